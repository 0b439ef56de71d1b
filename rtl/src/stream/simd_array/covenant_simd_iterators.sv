// The three operands of a SIMD nest, destination and two sources (docs/reference/units/simd_array.md): tables of bases
// and strides, the nest's loops, and the addresses of one iteration each cycle.
//
// With `step_i` the outputs belong to the iteration of this cycle, and the next one follows. A configuration word comes
// with `configures_i`, never together with a step. Operand k has bits k * 32 ... k * 32 + 31: 0 is the destination.
module covenant_simd_iterators #(
  parameter int unsigned NumMemories = 4,
  parameter int unsigned Immediate   = 0,                // number of the immediate memory
  parameter logic [NumMemories-1:0]    Touched   = '1,   // as in covenant_simd_array
  parameter logic [NumMemories*8-1:0]  Buffers   = {NumMemories{8'd2}},
  parameter logic [NumMemories*32-1:0] BufferUnits = {NumMemories{32'd64}},
  parameter logic [NumMemories*32-1:0] UnitBytes = {NumMemories{32'd16}},
  parameter logic [NumMemories*8-1:0]  DataShift = {NumMemories{8'd2}},
  parameter logic [NumMemories*8-1:0]  EntryShift = {NumMemories{8'd3}}
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,            // a block starts
  // Configuration words.
  input  logic                     configures_i,
  input  covenant_pkg::operation_t operation_i,
  input  logic [covenant_pkg::WordWidth-1:0] word_i,
  output logic                     accepts_o,          // it is one of these
  input  logic                     post_issue_i,
  input  logic [31:0]              channel_i,
  // Operands of the index or compute word: memories, and entries of their tables.
  input  logic [3*32-1:0]          operand_memory_i,
  input  logic [3*32-1:0]          operand_entry_i,
  // Iterations.
  input  logic                     step_i,
  input  logic                     is_reduction_i,
  output logic                     first_o,            // first iteration of the nest
  output logic                     last_o,
  output logic                     reduction_first_o,  // first iteration of the sum or maximum that it belongs to
  output logic                     reduction_last_o,
  output logic [3*32-1:0]          element_o,          // element in its memory, and the byte within it
  output logic [3*2-1:0]           byte_offset_o
);

  localparam int unsigned Levels  = 8;
  localparam int unsigned Entries = 32;
  localparam int unsigned MemoryWidth = NumMemories > 1 ? $clog2(NumMemories) : 1;
  localparam int unsigned TableSize   = Entries << MemoryWidth;
  localparam int unsigned TableWidth  = MemoryWidth + 5;
  localparam int unsigned Slots       = covenant_pkg::Slots;

  // Words.
  logic                  is_trip, is_index, is_reduce, is_base, is_stride, sets_base, sets_stride;
  logic [2:0]            trip_level;
  logic [15:0]           trip_last;
  logic [31:0]           value, part;
  logic [TableWidth-1:0] entry;

  always_comb begin
    is_trip     = 1'b0;
    is_index    = 1'b0;
    is_reduce   = 1'b0;
    is_base     = 1'b0;
    is_stride   = 1'b0;
    sets_base   = 1'b0;
    sets_stride = 1'b0;
    accepts_o   = 1'b0;
    trip_level  = '0;
    trip_last   = '0;
    value       = '0;
    part        = '0;
    entry       = '0;
    if (configures_i) begin
      is_trip     = operation_i == covenant_pkg::OpSimdTrip;
      is_index    = operation_i == covenant_pkg::OpSimdIndex;
      is_reduce   = operation_i == covenant_pkg::OpSimdReduce;
      is_base     = operation_i == covenant_pkg::OpSimdBase;
      is_stride   = operation_i == covenant_pkg::OpSimdStride;
      sets_base   = is_base || (operation_i == covenant_pkg::OpSimdBaseHigh);
      sets_stride = is_stride || (operation_i == covenant_pkg::OpSimdStrideHigh);
      accepts_o   = is_trip || is_index || is_reduce || sets_base || sets_stride;
      trip_level  = 3'(covenant_pkg::operand_level(word_i));
      trip_last   = 16'(covenant_pkg::operand_last(word_i));
      value       = covenant_pkg::operand_value(word_i);
      part        = (is_base || is_stride) ? 32'd0 : covenant_pkg::operand_part(word_i) + 32'd1;
      entry       = {MemoryWidth'(covenant_pkg::operand_memory(word_i)), 5'(covenant_pkg::operand_index(word_i))};
    end
  end

  // Tables of bases and strides: what a block has not set reads 0.
  logic [31:0]          base_table [TableSize];
  logic [31:0]          stride_table [TableSize];
  logic [TableSize-1:0] base_set_q, stride_set_q;
  logic [31:0]          base_d, stride_d;

  always_comb begin
    base_d   = '0;
    stride_d = '0;
    if (sets_base) begin
      base_d = covenant_pkg::with_part(base_set_q[entry] ? base_table[entry] : 32'd0, part, covenant_pkg::SimdBasePart,
                                       value, 1'b0);
    end
    if (sets_stride) begin
      stride_d = covenant_pkg::with_part(stride_set_q[entry] ? stride_table[entry] : 32'd0, part,
                                         covenant_pkg::SimdStridePart, value, 1'b1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (sets_base) base_table[entry] <= base_d;
    if (sets_stride) stride_table[entry] <= stride_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_set_q   <= '0;
      stride_set_q <= '0;
    end else if (clear_i) begin
      base_set_q   <= '0;
      stride_set_q <= '0;
    end else begin
      if (sets_base) base_set_q[entry] <= 1'b1;
      if (sets_stride) stride_set_q[entry] <= 1'b1;
    end
  end

  // For each level, the operands that advance, and their strides.
  logic [2:0] level_q, level_d;                              // current level of the nest
  logic [3:0] first_level_q, first_level_d;                  // first level of reductions
  logic [3*Levels-1:0]            advance_q, advance_d;      // per operand and level: it advances,
  logic [3*Levels*TableWidth-1:0] advance_by_q, advance_by_d;// entry of the stride

  always_comb begin
    level_d       = '0;
    first_level_d = 4'd8;
    advance_d     = '0;
    advance_by_d  = '0;
    if (configures_i && !clear_i) begin
      level_d       = is_trip ? trip_level : level_q;
      first_level_d = is_reduce ? 4'(covenant_pkg::operand_first_level(word_i)) : first_level_q;
      advance_d     = advance_q;
      advance_by_d  = advance_by_q;
      for (int unsigned k = 0; k < 3; k++) begin
        if (is_trip) advance_d[5'(k*Levels) + 5'(trip_level)] = 1'b0;
        if (is_index) begin
          advance_d[5'(k*Levels) + 5'(level_q)] = operand_memory_i[k*32 +: 32] != Immediate;
          advance_by_d[(k*Levels + 32'(level_q))*TableWidth +: TableWidth] =
              {operand_memory_i[k*32 +: MemoryWidth], operand_entry_i[k*32 +: 5]};
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q       <= '0;
      first_level_q <= 4'd8;
      advance_q     <= '0;
      advance_by_q  <= '0;
    end else if (configures_i || clear_i) begin
      level_q       <= level_d;
      first_level_q <= first_level_d;
      advance_q     <= advance_d;
      advance_by_q  <= advance_by_d;
    end
  end

  // Loops.
  logic                 unused_reduction;
  logic [2:0]           carry;
  logic [Levels-1:0]    at_zero, at_last, reduced;
  logic [Levels*16-1:0] unused_index;

  covenant_nest #(
    .Levels(Levels)
  ) u_nest (
    .clk_i,
    .rst_ni,
    .clear_i,
    .trip_i           (is_trip),
    .trip_level_i     (trip_level),
    .trip_last_i      (trip_last),
    .trip_reduction_i (1'b0),
    .active_i         (step_i),
    .step_i,
    .carry_o          (carry),
    .first_o,
    .last_o,
    .reduction_first_o(unused_reduction),
    .at_zero_o        (at_zero),
    .at_last_o        (at_last),
    .index_o          (unused_index)
  );

  always_comb begin
    reduced           = '0;
    reduction_first_o = 1'b0;
    reduction_last_o  = 1'b0;
    if (step_i) begin
      for (int unsigned l = 0; l < Levels; l++) reduced[l] = is_reduction_i && (4'(l) >= first_level_q);
      reduction_first_o = &(at_zero | ~reduced);
      reduction_last_o  = &(at_last | ~reduced);
    end
  end

  // Addresses of the three operands, in units, then elements and bytes within the first element.
  logic [NumMemories*Slots*32-1:0] buffer_offset;
  for (genvar m = 0; m < NumMemories; m++) begin : gen_memories
    if (Touched[m] && (Buffers[m*8 +: 8] != 8'd0)) begin : gen_pointer
      covenant_pointer #(
        .Memory   (m),
        .Buffers  (32'(Buffers[m*8 +: 8])),
        .BufferUnits(BufferUnits[m*32 +: 32])
      ) u_pointer (
        .clk_i,
        .rst_ni,
        .clear_i,
        .post_i   (post_issue_i),
        .counter_i(channel_i),
        .offset_o (buffer_offset[m*Slots*32 +: Slots*32])
      );
    end else begin : gen_none
      assign buffer_offset[m*Slots*32 +: Slots*32] = '0;
    end
  end

  for (genvar k = 0; k < 3; k++) begin : gen_operands
    logic [MemoryWidth-1:0] memory;
    logic [4:0]             base_entry, slot;
    logic [TableWidth-1:0]  stride_entry;
    logic [31:0]            base, stride, address, next, bytes;
    logic [Levels*32-1:0]   start_q, start_d;   // address where the current iteration of each level began

    always_comb begin
      memory       = '0;
      base_entry   = '0;
      slot         = '0;
      stride_entry = '0;
      base         = '0;
      stride       = '0;
      address      = '0;
      next         = '0;
      bytes        = '0;
      start_d      = '0;
      element_o[k*32 +: 32]   = '0;
      byte_offset_o[k*2 +: 2] = '0;
      if (step_i) begin
        memory       = operand_memory_i[k*32 +: MemoryWidth];
        base_entry   = operand_entry_i[k*32 +: 5];
        slot         = base_entry >> EntryShift[32'(memory)*8 +: 8];
        stride_entry = advance_by_q[(k*Levels + 32'(carry))*TableWidth +: TableWidth];
        base         = (base_set_q[{memory, base_entry}] ? base_table[{memory, base_entry}] : 32'd0) +
                       buffer_offset[(32'(memory)*Slots + 32'(slot))*32 +: 32];
        if (advance_q[5'(k*Levels) + 5'(carry)] && stride_set_q[stride_entry] && !((k == 0) && reduced[carry])) begin
          stride = stride_table[stride_entry];
        end
        address = first_o ? base : start_q[(Levels-1)*32 +: 32];
        next    = (first_o ? base : start_q[32'(carry)*32 +: 32]) + stride;
        for (int unsigned l = 0; l < Levels; l++) begin
          start_d[l*32 +: 32] = (3'(l) >= carry) ? next : first_o ? base : start_q[l*32 +: 32];
        end
        bytes = address * UnitBytes[32'(memory)*32 +: 32];
        element_o[k*32 +: 32]   = bytes >> DataShift[32'(memory)*8 +: 8];
        byte_offset_o[k*2 +: 2] = bytes[1:0] & ~({2{1'b1}} << DataShift[32'(memory)*8 +: 8]);
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        start_q <= '0;
      end else if (step_i) begin
        start_q <= start_d;
      end
    end
  end

`ifndef SYNTHESIS
  WordOrStep_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(configures_i && step_i));
`endif

endmodule
