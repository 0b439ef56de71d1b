// The part of a DMA engine that loads and stores share (docs/reference/units/dma.md): its configuration words, and the
// beats of a tile, one a cycle.
//
// In every cycle with `beat_valid_o` one beat is on its way: `beat_count_o` bytes, off-chip at `beat_address_o` (of the
// aligned beat) + `beat_offset_o`, on-chip from byte `beat_onchip_o` on. What the data path does with it, and when, is its
// own business; it cannot refuse.
module covenant_dma #(
  parameter bit          Stores    = 1'b0,
  parameter int unsigned BeatBytes = 16,
  parameter int unsigned Memory    = 0,        // on-chip memory: index, halves, addresses of a half, bytes of a unit
  parameter int unsigned Buffers   = 2,
  parameter int unsigned HalfUnits = 1024,
  parameter int unsigned UnitBytes = 16,
  parameter int unsigned OffsetWidth = BeatBytes > 1 ? $clog2(BeatBytes) : 1,  // do not override
  parameter int unsigned CountWidth  = $clog2(BeatBytes + 1)                   // do not override
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,            // a block starts
  // Sequencer.
  input  logic                   unit_valid_i,
  input  covenant_pkg::operation_e             unit_operation_i,
  input  logic [31:0]            unit_word_i,
  output logic                   unit_ready_o,
  output logic                   unit_accepts_o,
  input  logic                   tile_advance_i,
  input  logic                   tile_close_i,
  input  logic [2:0]             tile_level_i,
  input  logic [15:0]            stride_index_i,
  input  logic                   post_issue_i,
  input  logic [31:0]            channel_i,
  // Beats.
  output logic                   beat_valid_o,
  output logic                   beat_inside_o,      // 0: fill (load) or skip (store)
  output logic [31:0]            beat_address_o,
  output logic [OffsetWidth-1:0] beat_offset_o,
  output logic [CountWidth-1:0]  beat_count_o,
  output logic [31:0]            beat_onchip_o,
  output logic [7:0]             beat_fill_o,
  output logic [15:0]            beat_tag_o,         // counts transfers, for observers
  output logic                   beat_last_o         // of the tile
);

  localparam int unsigned InnerLoops = 3;
  localparam int unsigned FirstInner = 14;
  // Walker operands, in the order of their codes.
  localparam int unsigned Offchip = 4, Onchip = 5, Row = 6;

  // Words.
  logic [31:0] word;
  logic        is_base, is_stride, is_trip, is_limit, is_fill, is_transfer;
  assign word        = unit_word_i;
  assign is_base     = unit_valid_i && (unit_operation_i == covenant_pkg::OpBase);
  assign is_stride   = unit_valid_i && (unit_operation_i == covenant_pkg::OpStride);
  assign is_trip     = unit_valid_i && (unit_operation_i == covenant_pkg::OpTrip);
  assign is_limit    = unit_valid_i && (unit_operation_i == covenant_pkg::OpLimit);
  assign is_fill     = unit_valid_i && (unit_operation_i == covenant_pkg::OpFill);
  assign is_transfer = unit_valid_i && (unit_operation_i == (Stores ? covenant_pkg::OpStore : covenant_pkg::OpLoad));
  assign unit_accepts_o = is_base || is_stride || is_trip || is_limit || is_fill || is_transfer;

  logic [1:0]  slot_q, slot_d;
  logic [15:0] row_limit_q, row_limit_d, column_limit_q, column_limit_d;
  logic [7:0]  fill_q, fill_d;
  logic [2:0]  operand;
  assign operand = 3'(covenant_pkg::operand_operand(word));

  always_comb begin
    slot_d         = slot_q;
    row_limit_d    = row_limit_q;
    column_limit_d = column_limit_q;
    fill_d         = fill_q;
    if (is_base && (operand == 3'(Onchip))) slot_d = 2'(covenant_pkg::operand_slot(word));
    if (is_fill) fill_d = 8'(covenant_pkg::operand_value(word));
    if (is_limit && (covenant_pkg::operand_axis(word) == 32'd0)) row_limit_d = 16'(covenant_pkg::operand_value(word));
    if (is_limit && (covenant_pkg::operand_axis(word) != 32'd0)) column_limit_d = 16'(covenant_pkg::operand_value(word));
    if (clear_i) begin
      slot_d         = '0;
      row_limit_d    = '0;
      column_limit_d = '0;
      fill_d         = '0;
    end
  end

  // Loops and addresses.
  logic                     step, nest_first, nest_last;
  logic [1:0]               carry;
  logic [InnerLoops*16-1:0] index;
  logic [4*32-1:0]          address;   // offchip, onchip, row, column
  logic                     unused_reduction;
  logic [InnerLoops-1:0]    unused_zero, unused_last;
  logic                     unused_plane;
  assign unused_plane = &{1'b0, index[15:0]};  // the outermost loop has no row or column of its own

  covenant_nest #(
    .Levels(InnerLoops)
  ) u_nest (
    .clk_i,
    .rst_ni,
    .clear_i,
    .trip_i           (is_trip),
    .trip_level_i     (2'(covenant_pkg::operand_level(word) - 32'(FirstInner))),
    .trip_last_i      (16'(covenant_pkg::operand_last(word))),
    .trip_reduction_i (1'b0),
    .step_i           (step),
    .carry_o          (carry),
    .first_o          (nest_first),
    .last_o           (nest_last),
    .reduction_first_o(unused_reduction),
    .at_zero_o        (unused_zero),
    .at_last_o        (unused_last),
    .index_o          (index)
  );

  for (genvar i = 0; i < 4; i++) begin : gen_walkers
    covenant_walker #(
      .InnerLoops(i + Offchip < Row ? InnerLoops : 0),
      .FirstInner(FirstInner),
      .NestLevels(InnerLoops)
    ) u_walker (
      .clk_i,
      .rst_ni,
      .clear_i,
      .base_i        (is_base && (operand == 3'(Offchip + i))),
      .stride_i      (is_stride && (operand == 3'(Offchip + i))),
      .high_i        (covenant_pkg::operand_half(word) != 32'd0),
      .level_i       (5'(covenant_pkg::operand_level(word))),
      .value_i       (16'(covenant_pkg::operand_value(word))),
      .index_i       (stride_index_i),
      .tile_advance_i,
      .tile_close_i,
      .tile_level_i,
      .step_i        (step),
      .first_i       (nest_first),
      .carry_i       (carry),
      .address_o     (address[i*32 +: 32])
    );
  end

  logic [4*32-1:0] half_offset;
  logic [31:0]     onchip_unit;
  covenant_pointer #(
    .Memory   (Memory),
    .Buffers  (Buffers),
    .HalfUnits(HalfUnits)
  ) u_pointer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .post_i   (post_issue_i),
    .counter_i(channel_i),
    .offset_o (half_offset)
  );
  assign onchip_unit = address[1*32 +: 32] + half_offset[32'(slot_q)*32 +: 32];

  // Is the run inside the limits? Row and column numbers below 0 are above every limit as unsigned numbers.
  logic [31:0] row, column;
  logic        inside_limits;
  assign row           = address[2*32 +: 32] + 32'(index[1*16 +: 16]);
  assign column        = address[3*32 +: 32] + 32'(index[2*16 +: 16]);
  assign inside_limits = ((row_limit_q == '0) || (row < 32'(row_limit_q))) &&
                         ((column_limit_q == '0) || (column < 32'(column_limit_q)));

  // A run, beat by beat.
  logic        middle_q, middle_d;     // not the first beat of its run
  logic [31:0] position_q, position_d; // off-chip byte
  logic [31:0] onchip_q, onchip_d;
  logic [16:0] left_q, left_d;         // bytes
  logic [31:0] position, onchip;
  logic [16:0] left, room, count;
  logic        run_ends;

  assign position = middle_q ? position_q : address[0*32 +: 32];
  assign onchip   = middle_q ? onchip_q : onchip_unit * UnitBytes;
  assign left     = middle_q ? left_q : 17'(covenant_pkg::operand_run_last(word)) + 17'd1;
  assign beat_offset_o = inside_limits ? OffsetWidth'(position % BeatBytes) : '0;
  assign room     = 17'(BeatBytes) - 17'(beat_offset_o);
  assign run_ends = left <= room;
  assign count    = run_ends ? left : room;
  assign step     = is_transfer && run_ends;

  always_comb begin
    middle_d   = middle_q;
    position_d = position_q;
    onchip_d   = onchip_q;
    left_d     = left_q;
    if (is_transfer) begin
      middle_d   = !run_ends;
      position_d = position + 32'(count);
      onchip_d   = onchip + 32'(count);
      left_d     = left - count;
    end
  end

  logic [15:0] tag_q, tag_d;
  assign tag_d = tag_q + 16'(beat_valid_o && beat_last_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q         <= '0;
      row_limit_q    <= '0;
      column_limit_q <= '0;
      fill_q         <= '0;
      middle_q       <= 1'b0;
      position_q     <= '0;
      onchip_q       <= '0;
      left_q         <= '0;
      tag_q          <= '0;
    end else begin
      slot_q         <= slot_d;
      row_limit_q    <= row_limit_d;
      column_limit_q <= column_limit_d;
      fill_q         <= fill_d;
      middle_q       <= middle_d;
      position_q     <= position_d;
      onchip_q       <= onchip_d;
      left_q         <= left_d;
      tag_q          <= tag_d;
    end
  end

  assign beat_valid_o   = is_transfer;
  assign beat_inside_o  = inside_limits;
  assign beat_address_o = position - 32'(beat_offset_o);
  assign beat_count_o   = CountWidth'(count);
  assign beat_onchip_o  = onchip;
  assign beat_fill_o    = fill_q;
  assign beat_tag_o     = tag_q;
  assign beat_last_o    = run_ends && nest_last;
  assign unit_ready_o   = is_transfer ? beat_last_o : 1'b1;

endmodule
