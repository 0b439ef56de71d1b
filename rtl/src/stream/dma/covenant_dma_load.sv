// Data path of a load: off-chip beats to a scratchpad (docs/reference/units/dma.md, docs/reference/off-chip-port.md).
//
// A burst whose first beat moves in cycle t is requested in cycle t + 1. Every beat, including those that fill, and
// every post of the engine waits in one queue: it leaves in cycle t + Latency + 1 at the earliest, in order, one a
// cycle, and a requested beat only with its answer. It is written in the cycle in which it leaves, and is visible in
// the next one.
module covenant_dma_load #(
  parameter int unsigned BeatBytes     = 16,
  parameter int unsigned Latency       = 40,
  parameter int unsigned Places        = 128,  // places of the queue: a power of two
  parameter int unsigned DataBytes     = 1,    // bytes of an element of the scratchpad
  parameter int unsigned FillBytes     = 1,    // bytes of the fill
  parameter int unsigned WriteElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,  // do not override
  parameter int unsigned WriteBytes    = WriteElements * DataBytes,                    // do not override
  parameter int unsigned OffsetWidth   = BeatBytes > 1 ? $clog2(BeatBytes) : 1,        // do not override
  parameter int unsigned CountWidth    = $clog2(BeatBytes + 1)                         // do not override
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Beats; `beat_ready_o` does not look at `beat_valid_i`.
  output logic                        beat_ready_o,
  input  logic                        beat_valid_i,
  input  logic                        beat_inside_i,
  input  logic                        beat_last_i,     // last beat of its transfer
  input  logic                        beat_begins_i,   // a burst ...
  input  logic [4:0]                  beat_burst_i,    // ... number of beats of that burst
  input  logic [31:0]                 beat_address_i,
  input  logic [OffsetWidth-1:0]      beat_offset_i,
  input  logic [CountWidth-1:0]       beat_count_i,
  input  logic [31:0]                 beat_onchip_i,
  input  logic [FillBytes*8-1:0]      beat_fill_i,
  // Posts, and what the sequencer knows of the queue.
  input  logic                        post_i,
  input  logic [31:0]                 channel_i,
  output covenant_pkg::retirement_t   retirement_o,
  // Off-chip port: a burst, its answers beat by beat.
  output logic                        read_valid_o,
  output logic [31:0]                 read_address_o,
  output logic [4:0]                  read_beats_o,
  input  logic                        read_ready_i,    // it can take the burst of a beat that moves in the next cycle
  input  logic                        answer_valid_i,  // the next beat has arrived
  output logic                        answer_ready_o,
  input  logic [BeatBytes*8-1:0]      read_data_i,
  // Scratchpad's write port.
  output logic                        write_valid_o,
  output logic [31:0]                 write_element_o,
  output logic [WriteBytes*8-1:0]     write_data_o,
  output logic [WriteBytes-1:0]       write_strobe_o
);

  // Bursts.
  logic        read_ready_q, read_valid_q;
  logic [31:0] read_address_q;
  logic [4:0]  read_beats_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_ready_q   <= 1'b0;
      read_valid_q   <= 1'b0;
      read_address_q <= '0;
      read_beats_q   <= '0;
    end else begin
      read_ready_q <= read_ready_i;
      read_valid_q <= beat_valid_i && beat_begins_i;
      if (beat_valid_i && beat_begins_i) begin
        read_address_q <= beat_address_i;
        read_beats_q   <= beat_burst_i;
      end
    end
  end
  assign read_valid_o   = read_valid_q;
  assign read_address_o = read_address_q;
  assign read_beats_o   = read_beats_q;

  // Beats and posts under way.
  localparam int unsigned BeatWidth  = 1 + OffsetWidth + CountWidth + 32 + FillBytes*8;
  localparam int unsigned EntryWidth = BeatWidth > 32 ? BeatWidth : 32;
  logic                   room, oldest, busy, leaves, is_post, inside_now, unused_entry;
  logic                   is_last;   // for observers
  logic [EntryWidth-1:0]  entry, entry_in;
  logic [OffsetWidth-1:0] offset;
  logic [CountWidth-1:0]  count;
  logic [31:0]            onchip;
  logic [FillBytes*8-1:0] fill;

  always_comb begin
    entry_in = '0;
    if (beat_valid_i) entry_in = EntryWidth'({beat_inside_i, beat_offset_i, beat_count_i, beat_onchip_i, beat_fill_i});
    if (post_i) entry_in = EntryWidth'(channel_i);
  end

  covenant_queue #(
    .Width (EntryWidth + 2),
    .Places(Places),
    .Cycles(Latency + 1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .room_o (room),
    .valid_i(beat_valid_i || post_i),
    .data_i ({post_i, beat_last_i, entry_in}),
    .valid_o(oldest),
    .data_o ({is_post, is_last, entry}),
    .ready_i(leaves),
    .busy_o (busy)
  );
  assign {inside_now, offset, count, onchip, fill} = entry[BeatWidth-1:0];
  assign unused_entry   = &{1'b0, entry, is_last};
  assign beat_ready_o   = room && (read_ready_q || !beat_begins_i);
  assign answer_ready_o = oldest && !is_post && inside_now;
  assign leaves         = oldest && (answer_valid_i || !answer_ready_o);

  assign retirement_o.room    = room;
  assign retirement_o.busy    = busy;
  assign retirement_o.post    = oldest && is_post;  // it waits for no answer
  assign retirement_o.channel = entry[31:0];

  covenant_dma_align #(
    .BeatBytes(BeatBytes),
    .DataBytes(DataBytes),
    .FillBytes(FillBytes)
  ) u_align (
    .valid_i (leaves && !is_post),
    .inside_i(inside_now),
    .offset_i(offset),
    .count_i (count),
    .onchip_i(onchip),
    .fill_i  (fill),
    .data_i  (read_data_i),
    .write_valid_o,
    .write_element_o,
    .write_data_o,
    .write_strobe_o
  );

`ifndef SYNTHESIS
  // Requested beats that have not been handed over, and bursts with beats outstanding: there are never more answers
  // than that.
  logic [31:0] owed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= '0;
    end else begin
      owed_q <= owed_q + (read_valid_o ? 32'(read_beats_o) : 32'd0) -
                32'(answer_valid_i && answer_ready_o);
    end
  end
  OneEnters_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(beat_valid_i && post_i));
  BurstIsInside_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      beat_valid_i && beat_begins_i |-> beat_inside_i && (beat_burst_i inside {[5'd1:5'd16]}));
  AnswersWhatWasAsked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      answer_valid_i && answer_ready_o |-> (owed_q != '0) || read_valid_o);
`endif

endmodule
