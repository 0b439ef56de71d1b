// The part of a DMA engine that loads and stores share (docs/reference/units/dma.md): its configuration words, and the
// beats of a tile, one a cycle. Its words call the far memory off-chip, though it may be a scratchpad.
//
// In every cycle with `beat_valid_o` one beat is issued: `beat_count_o` bytes, far at `beat_address_o` (of the aligned
// beat) + `beat_offset_o`, on-chip from byte `beat_onchip_o` on. The data path decides what to do with it, and when. A
// beat moves in the cycle in which the data path is ready for it and the bus that the engine shares with others (1 for
// an engine with a bus of its own), requested by `bus_request_o`, grants it. The beats of a run inside are split into
// bursts of off-chip memory (docs/reference/off-chip-port.md).
module covenant_dma #(
  parameter bit          Stores    = 1'b0,
  parameter int unsigned BeatBytes = 16,
  parameter int unsigned Memory    = 0,        // on-chip memory: index, buffers, addresses of a buffer, bytes of a unit
  parameter int unsigned Buffers   = 2,
  parameter int unsigned BufferUnits = 1024,
  parameter int unsigned UnitBytes = 16,
  parameter bit          FarOnchip = 1'b0,     // the far memory is a scratchpad: index, buffers, bytes of a buffer
  parameter int unsigned FarMemory = 0,
  parameter int unsigned FarBuffers = 1,
  parameter int unsigned FarBufferBytes = 1024,
  parameter int unsigned OffsetWidth = BeatBytes > 1 ? $clog2(BeatBytes) : 1,  // do not override
  parameter int unsigned CountWidth  = $clog2(BeatBytes + 1)                   // do not override
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,            // a block starts
  // Sequencer.
  input  covenant_pkg::command_t command_i,
  output logic                   ready_o,            // in the last cycle of a word's occupancy
  output logic                   accepts_o,          // it knows the operation
  // Shared bus.
  output logic                   bus_request_o,
  input  logic                   bus_grant_i,
  // Beats. All but the valid signal are known before a beat moves, too.
  output logic                   beat_valid_o,
  input  logic                   beat_ready_i,
  output logic                   beat_inside_o,      // 0: fill (load) or skip (store)
  output logic [31:0]            beat_address_o,
  output logic [OffsetWidth-1:0] beat_offset_o,
  output logic [CountWidth-1:0]  beat_count_o,
  output logic [31:0]            beat_onchip_o,
  output logic [covenant_pkg::FillBytes*8-1:0] beat_fill_o,
  output logic                   beat_last_o,        // last beat of the tile
  output logic                   beat_begins_o,      // a burst ...
  output logic [4:0]             beat_burst_o,       // ... number of beats of that burst
  output logic                   beat_ends_o         // a burst
);

  localparam int unsigned InnerLoops = 3;
  // Operands, in the order of their codes.
  localparam int unsigned Far = 0, Onchip = 1, Row = 2, Column = 3;

  // Words.
  logic        is_limit, is_fill, is_transfer, walks, is_column;
  logic [15:0] limit;
  logic [16:0] run_bytes;
  logic [covenant_pkg::FillBytes*8-1:0] fill;

  always_comb begin
    is_limit    = 1'b0;
    is_fill     = 1'b0;
    is_transfer = 1'b0;
    is_column   = 1'b0;
    limit       = '0;
    fill        = '0;
    run_bytes   = '0;
    if (command_i.valid) begin
      is_limit    = command_i.operation == covenant_pkg::OpLimit;
      is_fill     = command_i.operation == covenant_pkg::OpFill;
      is_transfer = command_i.operation == (Stores ? covenant_pkg::OpStore : covenant_pkg::OpLoad);
      is_column   = covenant_pkg::operand_axis(command_i.word) != 32'd0;
      limit       = 16'(covenant_pkg::operand_value(command_i.word));
      fill        = (covenant_pkg::FillBytes*8)'(covenant_pkg::operand_value(command_i.word));
      run_bytes   = 17'(covenant_pkg::operand_run_last(command_i.word)) + 17'd1;
    end
  end
  assign accepts_o = walks || is_limit || is_fill || is_transfer;

  logic [15:0] row_limit_q, column_limit_q;
  logic [covenant_pkg::FillBytes*8-1:0] fill_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_limit_q    <= '0;
      column_limit_q <= '0;
      fill_q         <= '0;
    end else if (clear_i) begin
      row_limit_q    <= '0;
      column_limit_q <= '0;
      fill_q         <= '0;
    end else if (command_i.valid) begin
      if (is_limit && !is_column) row_limit_q <= limit;
      if (is_limit && is_column) column_limit_q <= limit;
      if (is_fill) fill_q <= fill;
    end
  end

  // Loops and addresses.
  logic                     step, tile_last;
  logic [InnerLoops*16-1:0] index;
  logic [4*32-1:0]          address;
  logic [4*covenant_pkg::SlotBits-1:0] slot;
  logic                     unused_reduction, unused_parts;
  // The outermost loop counts neither rows nor columns, which do not lie in buffers.
  assign unused_parts = &{1'b0, index[15:0], slot[4*covenant_pkg::SlotBits-1:2*covenant_pkg::SlotBits]};

  covenant_tile_walk #(
    .HighOperands(1'b1),
    .Nested      (2),
    .InnerLoops  (InnerLoops),
    .FirstInner  (14),
    .Buffered    ({1'b0, 1'b0, 1'b1, FarOnchip})
  ) u_walk (
    .clk_i,
    .rst_ni,
    .clear_i,
    .command_i,
    .accepts_o        (walks),
    .active_i         (is_transfer),
    .step_i           (step),
    .last_o           (tile_last),
    .reduction_first_o(unused_reduction),
    .index_o          (index),
    .address_o        (address),
    .slot_o           (slot)
  );

  // Where the buffers of the operands' channels begin; those of a scratchpad at the far end are counted in bytes.
  logic [covenant_pkg::Slots*32-1:0] buffer_offset;
  logic [covenant_pkg::SlotBits-1:0] far_slot, onchip_slot;
  logic [31:0]                       far_offset;
  assign {onchip_slot, far_slot} = slot[2*covenant_pkg::SlotBits-1:0];

  covenant_pointer #(
    .Memory   (Memory),
    .Buffers  (Buffers),
    .BufferUnits(BufferUnits)
  ) u_pointer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .post_i   (command_i.post_issue),
    .counter_i(command_i.channel),
    .offset_o (buffer_offset)
  );

  if (FarOnchip) begin : gen_far
    logic [covenant_pkg::Slots*32-1:0] far_buffer;

    covenant_pointer #(
      .Memory     (FarMemory),
      .Buffers    (FarBuffers),
      .BufferUnits(FarBufferBytes)
    ) u_pointer (
      .clk_i,
      .rst_ni,
      .clear_i,
      .post_i   (command_i.post_issue),
      .counter_i(command_i.channel),
      .offset_o (far_buffer)
    );
    assign far_offset = far_buffer[32'(far_slot)*32 +: 32];
  end else begin : gen_offchip
    logic unused_slot;
    assign unused_slot = &{1'b0, far_slot};
    assign far_offset  = '0;
  end

  // A run, beat by beat.
  logic        middle_q, middle_d;     // not the first beat of its run
  logic [31:0] position_q, position_d; // far byte; of a scratchpad: of the buffer
  logic [31:0] onchip_q, onchip_d;
  logic [16:0] left_q, left_d;         // bytes
  logic [31:0] row, column, position, onchip_unit, onchip;
  logic [16:0] left, room, count;
  logic        inside_limits, run_ends;
  logic [OffsetWidth-1:0] offset;

  always_comb begin
    row           = '0;
    column        = '0;
    inside_limits = 1'b0;
    position      = '0;
    onchip_unit   = '0;
    onchip        = '0;
    left          = '0;
    offset        = '0;
    room          = '0;
    count         = '0;
    run_ends      = 1'b0;
    middle_d      = 1'b0;
    position_d    = '0;
    onchip_d      = '0;
    left_d        = '0;
    if (is_transfer) begin
      // Row and column numbers below 0 are above every limit as unsigned numbers.
      row           = address[Row*32 +: 32] + 32'(index[1*16 +: 16]);
      column        = address[Column*32 +: 32] + 32'(index[2*16 +: 16]);
      inside_limits = ((row_limit_q == '0) || (row < 32'(row_limit_q))) &&
                      ((column_limit_q == '0) || (column < 32'(column_limit_q)));
      position      = middle_q ? position_q : address[Far*32 +: 32];
      onchip_unit   = address[Onchip*32 +: 32] + buffer_offset[32'(onchip_slot)*32 +: 32];
      onchip        = middle_q ? onchip_q : onchip_unit * UnitBytes;
      left          = middle_q ? left_q : run_bytes;
      offset        = inside_limits ? OffsetWidth'(position % BeatBytes) : '0;
      room          = 17'(BeatBytes) - 17'(offset);
      run_ends      = left <= room;
      count         = run_ends ? left : room;
      middle_d      = !run_ends;
      position_d    = position + 32'(count);
      onchip_d      = onchip + 32'(count);
      left_d        = left - count;
    end
  end
  logic moves, last_step;   // a beat moves; it is the last of the tile
  always_comb begin
    moves       = 1'b0;
    step        = 1'b0;
    beat_last_o = 1'b0;
    last_step   = 1'b0;
    if (is_transfer) begin
      moves       = bus_grant_i && beat_ready_i;
      step        = moves && run_ends;
      beat_last_o = run_ends && tile_last;
      last_step   = moves && beat_last_o;
    end
  end
  assign beat_offset_o = offset;

  // Bursts of off-chip memory end before a beat whose number is a multiple of BurstBeats.
  localparam int unsigned BurstBeats = 16;
  if (FarOnchip) begin : gen_no_bursts
    assign beat_begins_o = 1'b0;
    assign beat_burst_o  = '0;
    assign beat_ends_o   = 1'b0;
  end else begin : gen_bursts
    logic [3:0]  number;     // number of the beat within its window of BurstBeats
    logic [31:0] reach, window; // bytes from its start to the end of the run, of the window
    always_comb begin
      number        = '0;
      reach         = '0;
      window        = '0;
      beat_begins_o = 1'b0;
      beat_burst_o  = '0;
      beat_ends_o   = 1'b0;
      if (is_transfer && inside_limits) begin
        number        = 4'(position / BeatBytes);
        beat_begins_o = !middle_q || (number == '0);
        beat_ends_o   = run_ends || (number == '1);
      end
      if (beat_begins_o) begin
        window       = (BurstBeats - 32'(number)) * BeatBytes;
        reach        = 32'(left) + 32'(offset);
        beat_burst_o = 5'(((reach < window ? reach : window) + (BeatBytes - 1)) / BeatBytes);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      middle_q   <= 1'b0;
      position_q <= '0;
      onchip_q   <= '0;
      left_q     <= '0;
    end else if (moves) begin
      middle_q   <= middle_d;
      position_q <= position_d;
      onchip_q   <= onchip_d;
      left_q     <= left_d;
    end
  end

  assign bus_request_o  = is_transfer;
  assign beat_valid_o   = moves;
  assign beat_inside_o  = inside_limits;
  assign beat_address_o = position - 32'(beat_offset_o) + far_offset;
  assign beat_count_o   = CountWidth'(count);
  assign beat_onchip_o  = onchip;
  assign beat_fill_o    = fill_q;
  assign ready_o        = !is_transfer || last_step;

`ifndef SYNTHESIS
  BeatMovesBytes_A: assert property (@(posedge clk_i) disable iff (!rst_ni) beat_valid_o |-> (beat_count_o != '0));
  ClearsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> !bus_request_o);
  MovesOnRequest_A: assert property (@(posedge clk_i) disable iff (!rst_ni) beat_valid_o |-> bus_request_o);
`endif

endmodule
