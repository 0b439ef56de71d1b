// AXI4 master of an off-chip read port (docs/reference/rtl.md, "AXI").
//
// A burst of the port becomes an INCR burst of the bus; at most Outstanding of them are in progress. Answers go to the
// machine as they come, from their place on a bus that may be wider than a beat. An answer with an error is not handed
// over: the machine is told to stop, with the address of the burst.
//
// On a bus that other ports share, answers are taken in the cycle in which they come and buffered here for the machine:
// its port may be waiting for an internal bus that is held for another port, whose answers come later. The buffer holds
// all beats of all bursts in progress. The machine is offered an answer in the same cycle as without it.
//
// While `clear_i` holds the machine in reset, pending requests are still issued, and their answers taken and dropped.
module covenant_axi_read #(
  parameter int unsigned BeatBytes   = 16,
  parameter int unsigned BusBytes    = BeatBytes,
  parameter int unsigned Outstanding = 8,   // a power of two, at least 2
  parameter int unsigned BurstBeats  = 16,  // most beats of a burst: a power of two
  parameter bit          Shared      = 1'b0 // other ports are on the bus
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  output logic                   idle_o,          // nothing is owed
  output logic                   fault_o,
  output logic [31:0]            fault_address_o,
  // Port of the machine. After `burst_ready_o` has become 0, two more bursts may come.
  input  logic                   burst_valid_i,
  input  logic [31:0]            burst_address_i,
  input  logic [4:0]             burst_beats_i,
  output logic                   burst_ready_o,
  output logic                   answer_valid_o,
  input  logic                   answer_ready_i,
  input  logic                   answer_wanted_i, // an error in it would matter
  output logic [BeatBytes*8-1:0] answer_data_o,
  // Bus.
  output logic                   arvalid_o,
  input  logic                   arready_i,
  output logic [31:0]            araddr_o,
  output logic [7:0]             arlen_o,
  output logic [2:0]             arsize_o,
  output logic [1:0]             arburst_o,
  input  logic                   rvalid_i,
  output logic                   rready_o,
  input  logic [BusBytes*8-1:0]  rdata_i,
  input  logic [1:0]             rresp_i,
  input  logic                   rlast_i
);

  localparam logic [1:0] Incr = 2'b01;

  // Asked for by the machine, not yet on the bus.
  logic        waits, asks, busy, room;
  logic [31:0] address;
  logic [4:0]  beats;
  covenant_queue #(
    .Width (37),
    .Places(8),
    .Cycles(1),
    .Spare (2)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .room_o (burst_ready_o),
    .valid_i(burst_valid_i),
    .data_i ({burst_address_i, burst_beats_i}),
    .valid_o(waits),
    .data_o ({address, beats}),
    .ready_i(asks),
    .busy_o (busy)
  );
  assign arvalid_o = waits && room;  // there is no less room before it is taken
  assign asks      = arvalid_o && arready_i;
  assign araddr_o  = address;
  assign arlen_o   = 8'(beats) - 8'd1;
  assign arsize_o  = 3'($clog2(BeatBytes));
  assign arburst_o = Incr;

  // On the bus, of which the machine has not been given the last answer.
  logic        owed, ends;
  logic [31:0] owed_address;
  logic        unused_owed;
  covenant_queue #(
    .Width (32),
    .Places(Outstanding),
    .Cycles(1)
  ) u_owed (
    .clk_i,
    .rst_ni,
    .room_o (room),
    .valid_i(asks),
    .data_i (address),
    .valid_o(unused_owed),
    .data_o (owed_address),
    .ready_i(ends),
    .busy_o (owed)
  );

  // A beat's place on the bus.
  logic [BeatBytes*8-1:0] data;
  if (BusBytes == BeatBytes) begin : gen_whole
    assign data = rdata_i;
  end else begin : gen_part
    localparam int unsigned PlaceWidth = $clog2(BusBytes / BeatBytes);
    logic [PlaceWidth-1:0] first, place, beat_q;
    logic                  unused_room, unused_there, unused_busy;
    covenant_queue #(
      .Width (PlaceWidth),
      .Places(Outstanding),
      .Cycles(1)
    ) u_places (
      .clk_i,
      .rst_ni,
      .room_o (unused_room),
      .valid_i(asks),
      .data_i (address[$clog2(BeatBytes)+:PlaceWidth]),
      .valid_o(unused_there),
      .data_o (first),
      .ready_i(rvalid_i && rready_o && rlast_i),
      .busy_o (unused_busy)
    );
    assign place = first + beat_q;
    assign data  = rdata_i[BeatBytes*8*place+:BeatBytes*8];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        beat_q <= '0;
      end else if (rvalid_i && rready_o) begin
        beat_q <= rlast_i ? '0 : beat_q + 1'b1;
      end
    end
  end

  // The next answer for the machine.
  logic there, takes, failed, is_last;
  if (Shared) begin : gen_shared
    logic unused_room, unused_busy;
    covenant_queue #(
      .Width (BeatBytes * 8 + 2),
      .Places(Outstanding * BurstBeats),
      .Cycles(0)
    ) u_answers (
      .clk_i,
      .rst_ni,
      .room_o (unused_room),
      .valid_i(rvalid_i),
      .data_i ({data, rresp_i[1], rlast_i}),
      .valid_o(there),
      .data_o ({answer_data_o, failed, is_last}),
      .ready_i(takes),
      .busy_o (unused_busy)
    );
    assign rready_o = 1'b1;
  end else begin : gen_own
    assign there         = rvalid_i;
    assign failed        = rresp_i[1];
    assign is_last       = rlast_i;
    assign answer_data_o = data;
    assign rready_o      = takes;
  end
  assign ends   = there && takes && is_last;
  assign idle_o = !busy && !owed;

  logic bad;
  assign bad             = there && failed && answer_wanted_i;
  assign answer_valid_o  = there && !clear_i && !bad;
  assign takes           = clear_i || bad || answer_ready_i;
  assign fault_o         = bad && !clear_i;
  assign fault_address_o = owed_address;

  logic unused;
  assign unused = &{1'b0, rresp_i[0]};

`ifndef SYNTHESIS
  ReadStaysValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o && !arready_i |=> arvalid_o && $stable({araddr_o, arlen_o}));
  ReadStaysInPage_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o |-> 32'(araddr_o[11:0]) + (32'(arlen_o) + 32'd1) * BeatBytes <= 32'd4096);
  ReadIsAligned_A: assert property (@(posedge clk_i) disable iff (!rst_ni) arvalid_o |-> araddr_o % BeatBytes == 32'd0);
  ReadIsNotTooLong_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      arvalid_o |-> 32'(arlen_o) < BurstBeats);
  AnswerIsOwed_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rvalid_i |-> owed);
`endif

endmodule
