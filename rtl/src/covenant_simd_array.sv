// SIMD array (docs/reference/units/simd_array.md): configuration words, iterators, one iteration of a nest each cycle.
//
// The iteration of cycle t is addressed in t, asks its sources in t + 1, computes in t + 2 ... t + 1 + latency and is
// written in t + 2 + latency. A compute word is finished when its last iteration is written: the array drains.
// Memories are numbered as in the machine; `Touched` marks those with an edge to or from the array.
module covenant_simd_array #(
  parameter int unsigned Lanes       = 16,
  parameter int unsigned MaxLatency  = 8,
  parameter int unsigned NumMemories = 4,
  parameter int unsigned Immediate   = 0,                       // number of the immediate memory
  parameter logic [NumMemories-1:0]    Touched   = '1,
  parameter logic [NumMemories*8-1:0]  Buffers   = {NumMemories{8'd2}},          // per memory: halves,
  parameter logic [NumMemories*32-1:0] HalfUnits = {NumMemories{32'd64}},        // addresses of a half,
  parameter logic [NumMemories*32-1:0] UnitBytes = {NumMemories{32'd16}},        // bytes of a unit,
  parameter logic [NumMemories*8-1:0]  DataShift = {NumMemories{8'd2}},          // log2 of the bytes of an element
  parameter int unsigned VectorBytes = Lanes * 4                // do not override
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,          // a block starts
  // Sequencer.
  input  logic                           unit_valid_i,
  input  covenant_pkg::operation_t       unit_operation_i,
  input  logic [31:0]                    unit_word_i,
  output logic                           unit_ready_o,
  output logic                           unit_accepts_o,
  input  logic                           post_issue_i,
  input  logic [31:0]                    channel_i,
  output logic                           last_step_o,      // of a nest
  output logic                           fault_o,          // types that the machine has no capability for
  // Sources: read ports of the named memory; data of the memory named in src*_from_o, in the cycle after the request.
  output logic                           src1_valid_o,
  output logic [31:0]                    src1_memory_o,
  output logic [31:0]                    src1_element_o,
  output logic [31:0]                    src1_from_o,
  input  logic [VectorBytes*8-1:0]       src1_data_i,
  output logic                           src2_valid_o,
  output logic [31:0]                    src2_memory_o,
  output logic [31:0]                    src2_element_o,
  output logic [31:0]                    src2_from_o,
  input  logic [VectorBytes*8-1:0]       src2_data_i,
  // Destination: write port of the named memory.
  output logic                           write_valid_o,
  output logic [31:0]                    write_memory_o,
  output logic [31:0]                    write_element_o,
  output logic [VectorBytes*8-1:0]       write_data_o,
  output logic [VectorBytes-1:0]         write_strobe_o
);

  localparam int unsigned Levels  = 8;
  localparam int unsigned Entries = 32;
  localparam int unsigned MemoryWidth = NumMemories > 1 ? $clog2(NumMemories) : 1;
  localparam int unsigned TableSize   = Entries << MemoryWidth;
  localparam int unsigned TableWidth  = MemoryWidth + 5;
  localparam logic [1:0] TypeU8 = 2'd1;

  // Words. Operands of compute and index words: 0 destination, 1 and 2 sources.
  logic        is_compute, is_trip, is_index, is_reduce, is_types, is_quantization, is_immediate, is_immediate_high;
  logic        is_base, is_base_high, is_stride, is_stride_high, is_reduction;
  logic [31:0] word;
  logic [31:0] latency;
  logic [5:0]  types_q, types_d;       // src2, src1, dst
  logic [3*32-1:0] operand_memory, operand_entry;
  covenant_pkg::operation_t operation;
  assign word      = unit_word_i;
  assign operation = unit_operation_i;

  always_comb begin
    is_compute        = 1'b0;
    is_trip           = 1'b0;
    is_index          = 1'b0;
    is_reduce         = 1'b0;
    is_types          = 1'b0;
    is_quantization   = 1'b0;
    is_immediate      = 1'b0;
    is_immediate_high = 1'b0;
    is_base           = 1'b0;
    is_base_high      = 1'b0;
    is_stride         = 1'b0;
    is_stride_high    = 1'b0;
    is_reduction      = 1'b0;
    latency           = '0;
    operand_memory    = '0;
    operand_entry     = '0;
    unit_accepts_o    = 1'b0;
    if (unit_valid_i) begin
      is_compute        = covenant_pkg::is_simd_compute(operation);
      is_trip           = operation == covenant_pkg::OpSimdTrip;
      is_index          = operation == covenant_pkg::OpSimdIndex;
      is_reduce         = operation == covenant_pkg::OpSimdReduce;
      is_types          = operation == covenant_pkg::OpTypes;
      is_quantization   = operation == covenant_pkg::OpQuantization;
      is_immediate      = operation == covenant_pkg::OpImmediateLow;
      is_immediate_high = operation == covenant_pkg::OpImmediateHigh;
      is_base           = operation == covenant_pkg::OpSimdBase;
      is_base_high      = operation == covenant_pkg::OpSimdBaseHigh;
      is_stride         = operation == covenant_pkg::OpSimdStride;
      is_stride_high    = operation == covenant_pkg::OpSimdStrideHigh;
      is_reduction      = (operation == covenant_pkg::OpReduceSum) || (operation == covenant_pkg::OpReduceMax);
      latency           = covenant_pkg::simd_latency(operation, types_q[1:0], types_q[3:2], types_q[5:4]);
      operand_memory    = {covenant_pkg::operand_src2_memory(word), covenant_pkg::operand_src1_memory(word),
                           covenant_pkg::operand_dst_memory(word)};
      operand_entry     = {covenant_pkg::operand_src2(word), covenant_pkg::operand_src1(word),
                           covenant_pkg::operand_dst(word)};
      unit_accepts_o    = is_compute || is_trip || is_index || is_reduce || is_types || is_quantization ||
                          is_immediate || is_immediate_high || is_base || is_base_high || is_stride || is_stride_high;
    end
  end

  // Tables of bases and strides, and immediates: what a block has not set reads 0.
  logic [31:0]           base_table [TableSize];
  logic [31:0]           stride_table [TableSize];
  logic [31:0]           immediate_table [Entries];
  logic [TableSize-1:0]  base_set_q, stride_set_q;
  logic [Entries-1:0]    immediate_set_q;
  logic [TableWidth-1:0] entry;
  logic [4:0]            slot;
  logic [15:0]           value;
  logic [31:0]           base_d, stride_d, immediate_d;
  logic                  sets_base, sets_stride, sets_immediate, configures;
  assign sets_base      = is_base || is_base_high;
  assign sets_stride    = is_stride || is_stride_high;
  assign sets_immediate = is_immediate || is_immediate_high;
  assign configures     = unit_valid_i && !is_compute;

  always_comb begin
    entry       = '0;
    slot        = '0;
    value       = '0;
    base_d      = '0;
    stride_d    = '0;
    immediate_d = '0;
    if (configures) begin
      entry       = {MemoryWidth'(covenant_pkg::operand_memory(word)), 5'(covenant_pkg::operand_index(word))};
      slot        = 5'(covenant_pkg::operand_slot(word));
      value       = 16'(covenant_pkg::operand_value(word));
      base_d      = is_base ? {16'd0, value} : {value, base_set_q[entry] ? base_table[entry][15:0] : 16'd0};
      stride_d    = is_stride ? {{16{value[15]}}, value}
                              : {value, stride_set_q[entry] ? stride_table[entry][15:0] : 16'd0};
      immediate_d = is_immediate ? {16'd0, value} : {value, immediate_set_q[slot] ? immediate_table[slot][15:0] : 16'd0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (sets_base) base_table[entry] <= base_d;
    if (sets_stride) stride_table[entry] <= stride_d;
    if (sets_immediate) immediate_table[slot] <= immediate_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_set_q      <= '0;
      stride_set_q    <= '0;
      immediate_set_q <= '0;
    end else if (clear_i) begin
      base_set_q      <= '0;
      stride_set_q    <= '0;
      immediate_set_q <= '0;
    end else begin
      if (sets_base) base_set_q[entry] <= 1'b1;
      if (sets_stride) stride_set_q[entry] <= 1'b1;
      if (sets_immediate) immediate_set_q[slot] <= 1'b1;
    end
  end

  // Settings.
  logic [2:0] level_q, level_d;                              // current level of the nest
  logic [3:0] first_level_q, first_level_d;
  logic [7:0] zero_point_q, zero_point_d, lowest_q, lowest_d, highest_q, highest_d;
  logic [3*Levels-1:0]            advance_q, advance_d;      // per operand and level: it advances,
  logic [3*Levels*TableWidth-1:0] advance_by_q, advance_by_d;// by this stride

  always_comb begin
    level_d       = '0;
    first_level_d = 4'd8;
    types_d       = '0;
    zero_point_d  = '0;
    lowest_d      = '0;
    highest_d     = '0;
    advance_d     = '0;
    advance_by_d  = '0;
    if (configures && !clear_i) begin
      level_d       = is_trip ? 3'(covenant_pkg::operand_level(word)) : level_q;
      first_level_d = is_reduce ? 4'(covenant_pkg::operand_first_level(word)) : first_level_q;
      types_d       = is_types ? {2'(covenant_pkg::operand_src2(word)), 2'(covenant_pkg::operand_src1(word)),
                                  2'(covenant_pkg::operand_dst(word))} : types_q;
      zero_point_d  = is_quantization ? 8'(covenant_pkg::operand_zero_point(word)) : zero_point_q;
      lowest_d      = is_quantization ? 8'(covenant_pkg::operand_lowest(word)) : lowest_q;
      highest_d     = is_quantization ? 8'(covenant_pkg::operand_highest(word)) : highest_q;
      advance_d     = advance_q;
      advance_by_d  = advance_by_q;
      for (int unsigned k = 0; k < 3; k++) begin
        if (is_trip) advance_d[5'(k*Levels) + 5'(level_d)] = 1'b0;
        if (is_index) begin
          advance_d[5'(k*Levels) + 5'(level_q)] = operand_memory[k*32 +: 32] != Immediate;
          advance_by_d[(k*Levels + 32'(level_q))*TableWidth +: TableWidth] =
              {operand_memory[k*32 +: MemoryWidth], operand_entry[k*32 +: 5]};
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q       <= '0;
      first_level_q <= 4'd8;
      types_q       <= '0;
      zero_point_q  <= '0;
      lowest_q      <= '0;
      highest_q     <= '0;
      advance_q     <= '0;
      advance_by_q  <= '0;
    end else if (configures || clear_i) begin
      level_q       <= level_d;
      first_level_q <= first_level_d;
      types_q       <= types_d;
      zero_point_q  <= zero_point_d;
      lowest_q      <= lowest_d;
      highest_q     <= highest_d;
      advance_q     <= advance_d;
      advance_by_q  <= advance_by_d;
    end
  end

  // Loops.
  logic                 step, nest_first, nest_last, unused_reduction, draining_q, draining_d, finished;
  logic [2:0]           carry;
  logic [Levels-1:0]    at_zero, at_last, reduced;
  logic [Levels*16-1:0] unused_index;

  assign step = is_compute && !draining_q;

  covenant_nest #(
    .Levels(Levels)
  ) u_nest (
    .clk_i,
    .rst_ni,
    .clear_i,
    .trip_i           (is_trip),
    .trip_level_i     (3'(covenant_pkg::operand_level(word))),
    .trip_last_i      (16'(covenant_pkg::operand_last(word))),
    .trip_reduction_i (1'b0),
    .active_i         (step),
    .step_i           (step),
    .carry_o          (carry),
    .first_o          (nest_first),
    .last_o           (nest_last),
    .reduction_first_o(unused_reduction),
    .at_zero_o        (at_zero),
    .at_last_o        (at_last),
    .index_o          (unused_index)
  );
  assign last_step_o = step && nest_last;

  always_comb begin
    reduced = '0;
    if (is_reduction) begin
      for (int unsigned l = 0; l < Levels; l++) reduced[l] = 4'(l) >= first_level_q;
    end
  end

  // Addresses of the three operands, in units, then elements and bytes within the first element.
  logic [NumMemories*4*32-1:0] half_offset;
  for (genvar m = 0; m < NumMemories; m++) begin : gen_memories
    if (Touched[m] && (Buffers[m*8 +: 8] != 8'd0)) begin : gen_pointer
      covenant_pointer #(
        .Memory   (m),
        .Buffers  (32'(Buffers[m*8 +: 8])),
        .HalfUnits(HalfUnits[m*32 +: 32])
      ) u_pointer (
        .clk_i,
        .rst_ni,
        .clear_i,
        .post_i   (post_issue_i),
        .counter_i(channel_i),
        .offset_o (half_offset[m*4*32 +: 4*32])
      );
    end else begin : gen_none
      assign half_offset[m*4*32 +: 4*32] = '0;
    end
  end

  logic [3*32-1:0] element;
  logic [3*2-1:0]  byte_offset;
  for (genvar k = 0; k < 3; k++) begin : gen_operands
    logic [MemoryWidth-1:0] memory;
    logic [4:0]             base_entry;
    logic [TableWidth-1:0]  stride_entry;
    logic [31:0]            base, stride, address, next, bytes;
    logic [Levels*32-1:0]   start_q, start_d;   // address where the current iteration of each level began

    always_comb begin
      memory       = '0;
      base_entry   = '0;
      stride_entry = '0;
      base         = '0;
      stride       = '0;
      address      = '0;
      next         = '0;
      bytes        = '0;
      start_d      = '0;
      element[k*32 +: 32]   = '0;
      byte_offset[k*2 +: 2] = '0;
      if (step) begin
        memory       = operand_memory[k*32 +: MemoryWidth];
        base_entry   = operand_entry[k*32 +: 5];
        stride_entry = advance_by_q[(k*Levels + 32'(carry))*TableWidth +: TableWidth];
        base         = (base_set_q[{memory, base_entry}] ? base_table[{memory, base_entry}] : 32'd0) +
                       half_offset[(32'(memory)*4 + 32'(base_entry[4:3]))*32 +: 32];
        if (advance_q[5'(k*Levels) + 5'(carry)] && stride_set_q[stride_entry] && !((k == 0) && reduced[carry])) begin
          stride = stride_table[stride_entry];
        end
        address = nest_first ? base : start_q[(Levels-1)*32 +: 32];
        next    = (nest_first ? base : start_q[32'(carry)*32 +: 32]) + stride;
        for (int unsigned l = 0; l < Levels; l++) begin
          start_d[l*32 +: 32] = (3'(l) >= carry) ? next : nest_first ? base : start_q[l*32 +: 32];
        end
        bytes = address * UnitBytes[32'(memory)*32 +: 32];
        element[k*32 +: 32]   = bytes >> DataShift[32'(memory)*8 +: 8];
        byte_offset[k*2 +: 2] = bytes[1:0] & ~({2{1'b1}} << DataShift[32'(memory)*8 +: 8]);
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        start_q <= '0;
      end else if (step) begin
        start_q <= start_d;
      end
    end
  end

  // Stages: what is asked for, what is computed, what is written.
  logic            ask_valid_q, compute_valid_q, ask_last_q, compute_last_q, ask_write_q, compute_write_q;
  logic            ask_first_q, compute_first_q;
  logic [3*32-1:0] ask_element_q;
  logic [31:0]     compute_element_q;
  logic [3*2-1:0]  ask_offset_q, compute_offset_q;
  logic            src1_scalar, src2_scalar;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ask_valid_q       <= 1'b0;
      ask_last_q        <= 1'b0;
      ask_write_q       <= 1'b0;
      ask_first_q       <= 1'b0;
      ask_element_q     <= '0;
      ask_offset_q      <= '0;
      compute_valid_q   <= 1'b0;
      compute_last_q    <= 1'b0;
      compute_write_q   <= 1'b0;
      compute_first_q   <= 1'b0;
      compute_element_q <= '0;
      compute_offset_q  <= '0;
    end else begin
      ask_valid_q     <= step;
      compute_valid_q <= ask_valid_q;
      if (step) begin
        ask_last_q    <= last_step_o;
        ask_write_q   <= &(at_last | ~reduced);
        ask_first_q   <= &(at_zero | ~reduced);
        ask_element_q <= element;
        ask_offset_q  <= byte_offset;
      end
      if (ask_valid_q) begin
        compute_last_q    <= ask_last_q;
        compute_write_q   <= ask_write_q;
        compute_first_q   <= ask_first_q;
        compute_element_q <= ask_element_q[31:0];
        compute_offset_q  <= ask_offset_q;
      end
    end
  end
  // What the sources are asked for, and what they have answered in the next cycle.
  always_comb begin
    src1_valid_o   = 1'b0;
    src1_memory_o  = '0;
    src1_element_o = '0;
    src2_valid_o   = 1'b0;
    src2_memory_o  = '0;
    src2_element_o = '0;
    if (ask_valid_q) begin
      src1_valid_o   = operand_memory[1*32 +: 32] != Immediate;
      src1_memory_o  = operand_memory[1*32 +: 32];
      src1_element_o = ask_element_q[1*32 +: 32];
      src2_valid_o   = (operand_memory[2*32 +: 32] != Immediate) && !is_reduction && (operation != covenant_pkg::OpMove);
      src2_memory_o  = operand_memory[2*32 +: 32];
      src2_element_o = ask_element_q[2*32 +: 32];
    end
  end

  logic [4:0]               src1_slot, src2_slot;
  logic [31:0]              scale_a, scale_b, offset;
  logic [VectorBytes*8-1:0] src1, src2, result;

  always_comb begin
    src1_from_o = '0;
    src2_from_o = '0;
    src1_scalar = 1'b0;
    src2_scalar = 1'b0;
    src1_slot   = '0;
    src2_slot   = '0;
    scale_a     = '0;
    scale_b     = '0;
    offset      = '0;
    if (compute_valid_q) begin
      src1_from_o = operand_memory[1*32 +: 32];
      src2_from_o = operand_memory[2*32 +: 32];
      src1_scalar = src1_from_o == Immediate;
      src2_scalar = src2_from_o == Immediate;
      src1_slot   = operand_entry[1*32 +: 5];
      src2_slot   = operand_entry[2*32 +: 5];
      scale_a     = immediate_set_q[0] ? immediate_table[0] : 32'd0;
      scale_b     = immediate_set_q[1] ? immediate_table[1] : 32'd0;
      offset      = immediate_set_q[2] ? immediate_table[2] : 32'd0;
    end
  end

  always_comb begin
    src1 = '0;
    src2 = '0;
    if (compute_valid_q) begin
      src1 = src1_data_i >> (32'(compute_offset_q[3:2]) * 32'd8);
      src2 = src2_data_i >> (32'(compute_offset_q[5:4]) * 32'd8);
      if (src1_scalar) src1[31:0] = immediate_set_q[src1_slot] ? immediate_table[src1_slot] : 32'd0;
      if (src2_scalar) src2[31:0] = immediate_set_q[src2_slot] ? immediate_table[src2_slot] : 32'd0;
    end
  end

  covenant_simd_lanes #(
    .Lanes(Lanes)
  ) u_lanes (
    .clk_i,
    .valid_i          (compute_valid_q),
    .operation_i      (operation),
    .dst_type_i       (types_q[1:0]),
    .src1_type_i      (types_q[3:2]),
    .src2_type_i      (types_q[5:4]),
    .src1_scalar_i    (src1_scalar),
    .src2_scalar_i    (src2_scalar),
    .src1_i           (src1),
    .src2_i           (src2),
    .reduction_first_i(compute_first_q),
    .zero_point_i     (zero_point_q),
    .lowest_i         (lowest_q),
    .highest_i        (highest_q),
    .scale_a_i        (scale_a),
    .scale_b_i        (scale_b),
    .offset_i         (offset),
    .result_o         (result)
  );

  // Execute stages behind the arithmetic: stage s holds what was computed s + 1 cycles ago.
  localparam int unsigned StageWidth = MaxLatency > 1 ? $clog2(MaxLatency) : 1;
  logic [StageWidth-1:0]    tap;
  logic [MaxLatency-1:0]    stage_valid_q, stage_valid_d, stage_last_q, stage_last_d, stage_write_q, stage_write_d;
  logic [VectorBytes*8-1:0] stage_result [MaxLatency];
  logic [31:0]              stage_element [MaxLatency];
  logic [1:0]               stage_offset [MaxLatency];

  if (MaxLatency == 1) begin : gen_one_stage
    assign stage_valid_d = compute_valid_q;
    assign stage_last_d  = compute_last_q;
    assign stage_write_d = compute_write_q;
  end else begin : gen_stages
    assign stage_valid_d = {stage_valid_q[MaxLatency-2:0], compute_valid_q};
    assign stage_last_d  = {stage_last_q[MaxLatency-2:0], compute_last_q};
    assign stage_write_d = {stage_write_q[MaxLatency-2:0], compute_write_q};
  end

  /* verilator lint_off BLKSEQ */
  // One process, from the last stage to the first: every stage still sees what the one before it held.
  always_ff @(posedge clk_i) begin
    if (|stage_valid_d) begin
      for (int unsigned s = MaxLatency - 1; s >= 1; s--) begin
        stage_result[s]  = stage_result[s-1];
        stage_element[s] = stage_element[s-1];
        stage_offset[s]  = stage_offset[s-1];
      end
      stage_result[0]  = result;
      stage_element[0] = compute_element_q;
      stage_offset[0]  = compute_offset_q[1:0];
    end
  end
  /* verilator lint_on BLKSEQ */

  assign draining_d = (draining_q || last_step_o) && !finished;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      draining_q    <= 1'b0;
      stage_valid_q <= '0;
      stage_last_q  <= '0;
      stage_write_q <= '0;
    end else if (is_compute) begin
      draining_q    <= draining_d;
      stage_valid_q <= finished ? '0 : stage_valid_d;
      stage_last_q  <= finished ? '0 : stage_last_d;
      stage_write_q <= finished ? '0 : stage_write_d;
    end
  end
  assign unit_ready_o = is_compute ? finished : 1'b1;

  // Destination.
  logic [VectorBytes-1:0] strobe;
  always_comb begin
    tap             = '0;
    finished        = 1'b0;
    fault_o         = 1'b0;
    strobe          = '0;
    write_valid_o   = 1'b0;
    write_memory_o  = '0;
    write_element_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (is_compute) begin
      tap            = StageWidth'(latency - 32'd1);
      fault_o        = (latency == 32'd0) || (latency > MaxLatency);
      finished       = stage_valid_q[tap] && stage_last_q[tap];
      write_valid_o  = stage_valid_q[tap] && stage_write_q[tap];
      write_memory_o = operand_memory[31:0];
      if (write_valid_o) begin
        strobe          = (types_q[1:0] <= TypeU8) ? VectorBytes'({Lanes{1'b1}}) : '1;
        write_element_o = stage_element[tap];
        write_data_o    = stage_result[tap] << (32'(stage_offset[tap]) * 32'd8);
        write_strobe_o  = strobe << stage_offset[tap];
      end
    end
  end

`ifndef SYNTHESIS
  StartsEmpty_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (step && nest_first) |-> !(|stage_valid_q));
  WritesWithinAWord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (|stage_valid_q) |-> is_compute);
  ClearsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> !unit_valid_i);
`endif

endmodule
