// AXI4 master of an off-chip write port (docs/reference/rtl.md, "AXI").
//
// A burst of the port becomes an INCR burst of the bus; at most Outstanding of them are in progress. Its address is
// issued when all its beats have arrived, so that bursts of another master behind it never wait for this machine, which
// could in turn be waiting for that master on its internal buses. On a bus that is wider than a beat each beat has its
// place. The machine is told of each burst that has been written. An answer with an error stops the machine, with the
// address of the burst. While `clear_i` holds the machine in reset, bursts that have begun are completed with beats
// that write nothing.
module covenant_axi_write #(
  parameter int unsigned BeatBytes   = 16,
  parameter int unsigned BusBytes    = BeatBytes,
  parameter int unsigned Outstanding = 8   // a power of two, at least 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  output logic                   idle_o,          // nothing is owed
  output logic                   fault_o,
  output logic [31:0]            fault_address_o,
  // Port of the machine. After `ready_o` has become 0, two more bursts and four more beats may come.
  input  logic                   burst_valid_i,
  input  logic [31:0]            burst_address_i,
  input  logic [4:0]             burst_beats_i,
  output logic                   ready_o,
  input  logic                   write_valid_i,
  input  logic [BeatBytes*8-1:0] write_data_i,
  input  logic [BeatBytes-1:0]   write_strobe_i,
  output logic                   written_o,
  input  logic                   written_ready_i,
  // Bus.
  output logic                   awvalid_o,
  input  logic                   awready_i,
  output logic [31:0]            awaddr_o,
  output logic [7:0]             awlen_o,
  output logic [2:0]             awsize_o,
  output logic [1:0]             awburst_o,
  output logic                   wvalid_o,
  input  logic                   wready_i,
  output logic [BusBytes*8-1:0]  wdata_o,
  output logic [BusBytes-1:0]    wstrb_o,
  output logic                   wlast_o,
  input  logic                   bvalid_i,
  output logic                   bready_o,
  input  logic [1:0]             bresp_i
);

  localparam logic [1:0] Incr = 2'b01;

  // Announced by the machine, not yet on the bus.
  logic        waits, asks, busy, burst_room, data_room, owed_room, unsent_room, whole;
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
    .room_o (burst_room),
    .valid_i(burst_valid_i),
    .data_i ({burst_address_i, burst_beats_i}),
    .valid_o(waits),
    .data_o ({address, beats}),
    .ready_i(asks),
    .busy_o (busy)
  );
  assign ready_o   = burst_room && data_room;
  assign awvalid_o = waits && whole && owed_room && unsent_room;  // there is no less room before it is taken
  assign asks      = awvalid_o && awready_i;
  assign awaddr_o  = address;
  assign awlen_o   = 8'(beats) - 8'd1;
  assign awsize_o  = 3'($clog2(BeatBytes));
  assign awburst_o = Incr;

  // Beats that wait for the bus.
  logic                   there, sends, holds;
  logic [BeatBytes*8-1:0] data;
  logic [BeatBytes-1:0]   strobe;
  covenant_queue #(
    .Width (BeatBytes * 9),
    .Places(32),
    .Cycles(1),
    .Spare (4)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .room_o (data_room),
    .valid_i(write_valid_i),
    .data_i ({write_data_i, write_strobe_i}),
    .valid_o(there),
    .data_o ({data, strobe}),
    .ready_i(sends),
    .busy_o (holds)
  );

  // Those of bursts whose addresses are not on the bus. A machine in reset sends no more of them.
  logic [5:0] beats_q, beats_d;
  assign whole = clear_i || beats_q >= 6'(beats);
  always_comb begin
    beats_d = beats_q + 6'(write_valid_i);
    if (asks) beats_d = (beats_d > 6'(beats)) ? beats_d - 6'(beats) : '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beats_q <= '0;
    end else begin
      beats_q <= beats_d;
    end
  end

  // Bursts whose addresses are on the bus: of how many beats, until they have been sent.
  logic        unsent, unused_unsent;
  logic [4:0]  length, beat_q;
  logic [31:0] first;
  covenant_queue #(
    .Width (37),
    .Places(Outstanding),
    .Cycles(1)
  ) u_unsent (
    .clk_i,
    .rst_ni,
    .room_o (unsent_room),
    .valid_i(asks),
    .data_i ({address, beats}),
    .valid_o(unsent),
    .data_o ({first, length}),
    .ready_i(sends && wlast_o),
    .busy_o (unused_unsent)
  );
  assign wvalid_o = unsent && (there || clear_i);
  assign sends    = wvalid_o && wready_i;
  assign wlast_o  = beat_q + 5'd1 == length;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
    end else if (sends) begin
      beat_q <= wlast_o ? '0 : beat_q + 5'd1;
    end
  end

  logic [BeatBytes-1:0] written;
  assign written = there ? strobe : '0;
  if (BusBytes == BeatBytes) begin : gen_whole
    assign wdata_o = data;
    assign wstrb_o = written;
  end else begin : gen_part
    localparam int unsigned Places     = BusBytes / BeatBytes;
    localparam int unsigned PlaceWidth = $clog2(Places);
    logic [PlaceWidth-1:0] place;
    assign place   = first[$clog2(BeatBytes)+:PlaceWidth] + PlaceWidth'(beat_q);
    assign wdata_o = {Places{data}};
    always_comb begin
      wstrb_o                             = '0;
      wstrb_o[BeatBytes*place+:BeatBytes] = written;
    end
  end

  // And their addresses, until they are answered.
  logic        owed, unused_owed;
  logic [31:0] owed_address;
  covenant_queue #(
    .Width (32),
    .Places(Outstanding),
    .Cycles(1)
  ) u_owed (
    .clk_i,
    .rst_ni,
    .room_o (owed_room),
    .valid_i(asks),
    .data_i (address),
    .valid_o(unused_owed),
    .data_o (owed_address),
    .ready_i(bvalid_i),
    .busy_o (owed)
  );
  assign bready_o        = 1'b1;
  assign fault_o         = bvalid_i && bresp_i[1] && !clear_i;
  assign fault_address_o = owed_address;
  assign idle_o          = !busy && !owed && !holds;

  // Written bursts that the machine has not been told of.
  logic [15:0] written_q;
  assign written_o = written_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
    end else if (clear_i) begin
      written_q <= '0;
    end else begin
      written_q <= written_q + 16'(bvalid_i && !bresp_i[1]) - 16'(written_o && written_ready_i);
    end
  end

  logic unused;
  assign unused = &{1'b0, bresp_i[0], first};

`ifndef SYNTHESIS
  WriteStaysValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      awvalid_o && !awready_i |=> awvalid_o && $stable({awaddr_o, awlen_o}));
  DataStayValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wvalid_o && !wready_i |=> wvalid_o && $stable({wdata_o, wstrb_o, wlast_o}));
  WriteStaysInPage_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      awvalid_o |-> 32'(awaddr_o[11:0]) + (32'(awlen_o) + 32'd1) * BeatBytes <= 32'd4096);
  WriteIsAligned_A: assert property (@(posedge clk_i) disable iff (!rst_ni) awvalid_o |-> awaddr_o % BeatBytes == 32'd0);
  WriteIsOwed_A: assert property (@(posedge clk_i) disable iff (!rst_ni) bvalid_i |-> owed);
`endif

endmodule
