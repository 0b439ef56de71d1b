// Data path of a store: bytes of a scratchpad to off-chip beats (docs/reference/units/dma.md,
// docs/reference/off-chip-port.md).
//
// A burst whose first beat moves in cycle t is announced in cycle t + 1. A beat of cycle t reads the scratchpad in
// cycle t + 1 and is at the off-chip port in cycle t + 2; beats outside the limits write nothing. Every beat and every
// post of the engine waits in one queue: it leaves in cycle t + Latency + 1 at the earliest, in order, one a cycle, and
// the last beat of a burst only when the memory has written the burst. Its effect is visible in the next cycle.
module covenant_dma_store #(
  parameter int unsigned BeatBytes    = 16,
  parameter int unsigned Latency      = 40,
  parameter int unsigned Places       = 128,  // places of the queue: a power of two
  parameter int unsigned DataBytes    = 4,    // bytes of an element of the scratchpad
  parameter int unsigned ReadElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,  // do not override
  parameter int unsigned OffsetWidth  = BeatBytes > 1 ? $clog2(BeatBytes) : 1,        // do not override
  parameter int unsigned CountWidth   = $clog2(BeatBytes + 1)                         // do not override
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // Beats; `beat_ready_o` does not look at `beat_valid_i`.
  output logic                                beat_ready_o,
  input  logic                                beat_valid_i,
  input  logic                                beat_inside_i,
  input  logic                                beat_last_i,     // last beat of its transfer
  input  logic                                beat_begins_i,   // a burst ...
  input  logic [4:0]                          beat_burst_i,    // ... number of beats of that burst
  input  logic                                beat_ends_i,     // a burst
  input  logic [31:0]                         beat_address_i,
  input  logic [OffsetWidth-1:0]              beat_offset_i,
  input  logic [CountWidth-1:0]               beat_count_i,
  input  logic [31:0]                         beat_onchip_i,
  // Posts, and what the sequencer knows of the queue.
  input  logic                                post_i,
  input  logic [31:0]                         channel_i,
  output covenant_pkg::retirement_t           retirement_o,
  // Scratchpad's read port.
  output logic                                read_valid_o,
  output logic [31:0]                         read_element_o,
  input  logic [ReadElements*DataBytes*8-1:0] read_data_i,
  // Off-chip port: a burst, its beats, and that it has been written.
  output logic                                write_burst_valid_o,
  output logic [31:0]                         write_burst_address_o,
  output logic [4:0]                          write_burst_beats_o,
  input  logic                                write_ready_i,   // it can take a beat that moves in the next cycle, and its burst
  input  logic                                written_i,       // the oldest burst is in the memory
  output logic                                written_ready_o, // the oldest entry waits for that
  output logic                                write_valid_o,
  output logic [31:0]                         write_address_o,
  output logic [BeatBytes*8-1:0]              write_data_o,
  output logic [BeatBytes-1:0]                write_strobe_o
);

  typedef struct packed {
    logic [31:0]            address;
    logic [OffsetWidth-1:0] offset;
    logic [CountWidth-1:0]  count;
    logic [31:0]            onchip;
  } beat_t;

  beat_t beat_q, beat_q2;    // while the scratchpad is read, with its data
  logic  valid_q, valid_q2;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      valid_q2 <= 1'b0;
      beat_q   <= '0;
      beat_q2  <= '0;
    end else begin
      valid_q  <= beat_valid_i && beat_inside_i;
      valid_q2 <= valid_q;
      if (beat_valid_i) beat_q <= {beat_address_i, beat_offset_i, beat_count_i, beat_onchip_i};
      if (valid_q) beat_q2 <= beat_q;
    end
  end

  // Bursts.
  logic        write_ready_q, burst_valid_q;
  logic [31:0] burst_address_q;
  logic [4:0]  burst_beats_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_ready_q   <= 1'b0;
      burst_valid_q   <= 1'b0;
      burst_address_q <= '0;
      burst_beats_q   <= '0;
    end else begin
      write_ready_q <= write_ready_i;
      burst_valid_q <= beat_valid_i && beat_begins_i;
      if (beat_valid_i && beat_begins_i) begin
        burst_address_q <= beat_address_i;
        burst_beats_q   <= beat_burst_i;
      end
    end
  end
  assign write_burst_valid_o   = burst_valid_q;
  assign write_burst_address_o = burst_address_q;
  assign write_burst_beats_o   = burst_beats_q;

  // Beats and posts under way.
  logic        room, oldest, busy, leaves, is_post, ends_burst, unused;
  logic        is_last;   // for observers
  logic [31:0] channel;

  covenant_queue #(
    .Width (35),
    .Places(Places),
    .Cycles(Latency + 1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .room_o (room),
    .valid_i(beat_valid_i || post_i),
    .data_i ({post_i, beat_last_i, beat_ends_i, channel_i}),
    .valid_o(oldest),
    .data_o ({is_post, is_last, ends_burst, channel}),
    .ready_i(leaves),
    .busy_o (busy)
  );
  assign beat_ready_o    = room && (write_ready_q || !beat_inside_i);
  assign written_ready_o = oldest && !is_post && ends_burst;
  assign leaves          = oldest && (written_i || !written_ready_o);

  assign retirement_o.room    = room;
  assign retirement_o.busy    = busy;
  assign retirement_o.post    = oldest && is_post;  // it waits for no answer
  assign retirement_o.channel = channel;
  assign unused               = &{1'b0, is_last};

  assign read_valid_o = valid_q;
  always_comb begin
    read_element_o = '0;
    if (valid_q) read_element_o = beat_q.onchip / DataBytes;
  end

  logic [31:0]            shift;
  logic [BeatBytes*8-1:0] run;
  logic [BeatBytes-1:0]   ones;
  assign write_valid_o = valid_q2;

  always_comb begin
    shift           = '0;
    run             = '0;
    ones            = '0;
    write_address_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (valid_q2) begin
      shift           = beat_q2.onchip % DataBytes;
      run             = (BeatBytes*8)'(read_data_i >> (shift * 32'd8));
      ones            = {BeatBytes{1'b1}} >> (32'(BeatBytes) - 32'(beat_q2.count));
      write_address_o = beat_q2.address;
      write_data_o    = run << (32'(beat_q2.offset) * 32'd8);
      write_strobe_o  = ones << beat_q2.offset;
    end
  end

`ifndef SYNTHESIS
  OneEnters_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(beat_valid_i && post_i));
  BurstIsInside_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      beat_valid_i && (beat_begins_i || beat_ends_i) |-> beat_inside_i);
  BurstIsShort_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      beat_valid_i && beat_begins_i |-> (beat_burst_i inside {[5'd1:5'd16]}));
`endif

endmodule
