// SIMD array (docs/reference/units/simd_array.md): types, quantisation and immediates, and the stages of a nest, one
// iteration each cycle; covenant_simd_iterators has its loops and addresses, covenant_simd_lanes its arithmetic.
//
// The iteration of cycle t is addressed in t, asks its sources in t + 1, computes in t + 2 ... t + 1 + latency and is
// written in t + 2 + latency. A compute word is finished when its last iteration is written: the array drains.
// Memories are numbered as in the machine; `Touched` marks those with an edge to or from the array.
module covenant_simd_array #(
  parameter logic [7:0]  Engine      = '0,                      // its number: capabilities are those of this engine
  parameter int unsigned Lanes       = 16,
  parameter int unsigned MaxLatency  = 8,
  parameter int unsigned NumMemories = 4,
  parameter int unsigned Immediate   = 0,                       // number of the immediate memory
  parameter logic [NumMemories-1:0]    Touched   = '1,
  parameter logic [NumMemories*8-1:0]  Buffers   = {NumMemories{8'd2}},          // per memory: buffers,
  parameter logic [NumMemories*32-1:0] BufferUnits = {NumMemories{32'd64}},      // addresses of a buffer,
  parameter logic [NumMemories*32-1:0] UnitBytes = {NumMemories{32'd16}},        // bytes of a unit,
  parameter logic [NumMemories*8-1:0]  DataShift = {NumMemories{8'd2}},          // log2 of the bytes of an element,
  parameter logic [NumMemories*8-1:0]  EntryShift = {NumMemories{8'd3}},         // log2 of the entries of a channel
  parameter int unsigned VectorBytes = Lanes * 4                // do not override
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,          // a block starts
  // Sequencer.
  input  covenant_pkg::command_t         command_i,
  output logic                           ready_o,            // in the last cycle of a word's occupancy
  output logic                           accepts_o,          // it knows the operation
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

  localparam int unsigned Entries  = 32;  // immediates
  localparam int unsigned TypeBits = covenant_pkg::TypeBits;
  localparam int unsigned ElementBits = covenant_pkg::ElementBits;
  localparam int unsigned HalfLanes   = Lanes > 1 ? Lanes / 2 : 1;  // bytes of a vector of 4-bit elements

  // Words. Operands of compute and index words: 0 destination, 1 and 2 sources.
  logic        is_compute, is_types, is_quantization, is_quantization_high, is_immediate, sets_immediate, sets_table, configures, is_reduction;
  logic        iterates;
  logic        resumes;                // a reduction that resumes from the values in its destination
  logic [covenant_pkg::WordWidth-1:0] word;
  logic [31:0] latency;
  logic [3*TypeBits-1:0] types_q;      // src2, src1, dst
  logic [3*32-1:0] operand_memory, operand_entry;
  covenant_pkg::operation_t operation;
  logic unused;
  assign unused = &{1'b0, command_i.tile_end, command_i.tile_repeats, command_i.tile_level, command_i.stride_index};

  assign word      = command_i.word;
  assign operation = command_i.operation;

  always_comb begin
    is_compute      = 1'b0;
    is_types        = 1'b0;
    is_quantization = 1'b0;
    is_quantization_high = 1'b0;
    is_immediate    = 1'b0;
    sets_immediate  = 1'b0;
    sets_table      = 1'b0;
    configures      = 1'b0;
    is_reduction    = 1'b0;
    resumes         = 1'b0;
    latency         = '0;
    operand_memory  = '0;
    operand_entry   = '0;
    if (command_i.valid) begin
      is_compute      = covenant_pkg::is_simd_compute(operation);
      is_types        = operation == covenant_pkg::OpTypes;
      is_quantization = operation == covenant_pkg::OpQuantization;
      is_quantization_high = covenant_pkg::HasQuantizationHigh && (operation == covenant_pkg::OpQuantizationHigh);
      is_immediate    = operation == covenant_pkg::OpImmediateLow;
      sets_immediate  = is_immediate || (operation == covenant_pkg::OpImmediateHigh);
      sets_table      = operation == covenant_pkg::OpTable;
      configures      = !is_compute;
      is_reduction    = covenant_pkg::is_simd_reduction(operation);
      resumes         = is_reduction && !command_i.reduction_first;
      latency         = covenant_pkg::simd_latency(Engine, operation, types_q[TypeBits-1:0],
                                                   types_q[2*TypeBits-1:TypeBits], types_q[3*TypeBits-1:2*TypeBits]);
      operand_memory  = {covenant_pkg::operand_src2_memory(word), covenant_pkg::operand_src1_memory(word),
                         covenant_pkg::operand_dst_memory(word)};
      operand_entry   = {covenant_pkg::operand_src2(word), covenant_pkg::operand_src1(word),
                         covenant_pkg::operand_dst(word)};
    end
  end
  assign accepts_o = is_compute || is_types || is_quantization || is_quantization_high || sets_immediate || sets_table || iterates;

  // Immediates: what a block has not set reads 0.
  logic [31:0]        immediate_table [Entries];
  logic [Entries-1:0] immediate_set_q;
  logic [4:0]         slot;
  logic [31:0]        part, immediate_d;

  always_comb begin
    slot        = '0;
    part        = '0;
    immediate_d = '0;
    if (sets_immediate) begin
      slot        = 5'(covenant_pkg::operand_slot(word));
      part        = is_immediate ? 32'd0 : covenant_pkg::operand_part(word) + 32'd1;
      immediate_d = covenant_pkg::with_part(immediate_set_q[slot] ? immediate_table[slot] : 32'd0, part,
                                            covenant_pkg::ImmediatePart, covenant_pkg::operand_value(word), 1'b0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (sets_immediate) immediate_table[slot] <= immediate_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      immediate_set_q <= '0;
    end else if (clear_i) begin
      immediate_set_q <= '0;
    end else if (sets_immediate) begin
      immediate_set_q[slot] <= 1'b1;
    end
  end

  logic [covenant_pkg::TableBytes*8-1:0] lookup_table;
  if (covenant_pkg::HasTable) begin : gen_table
    covenant_simd_table #(
      .PartBits(covenant_pkg::TablePart),
      .Bytes   (covenant_pkg::TableBytes)
    ) u_table (
      .clk_i,
      .rst_ni,
      .clear_i,
      .sets_i (sets_table),
      .part_i (covenant_pkg::operand_index(word)),
      .value_i(covenant_pkg::operand_value(word)),
      .table_o(lookup_table)
    );
  end else begin : gen_no_table
    assign lookup_table = '0;
  end

  // Types and quantisation.
  logic [ElementBits-1:0] zero_point_q, lowest_q, highest_q;

  // A number of a quantisation with one part of it set.
  function automatic logic [ElementBits-1:0] quantization_with(input logic [ElementBits-1:0] old, input logic high,
                                                               input logic [31:0] value);
    quantization_with = ElementBits'(covenant_pkg::with_part(32'(old), 32'(high), covenant_pkg::QuantizationPart, value,
                                                             1'b0));
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      types_q      <= '0;
      zero_point_q <= '0;
      lowest_q     <= '0;
      highest_q    <= '0;
    end else if (clear_i) begin
      types_q      <= '0;
      zero_point_q <= '0;
      lowest_q     <= '0;
      highest_q    <= '0;
    end else if (is_types) begin
      types_q <= {TypeBits'(covenant_pkg::operand_src2(word)), TypeBits'(covenant_pkg::operand_src1(word)),
                  TypeBits'(covenant_pkg::operand_dst(word))};
    end else if (is_quantization || is_quantization_high) begin
      zero_point_q <= quantization_with(zero_point_q, is_quantization_high, covenant_pkg::operand_zero_point(word));
      lowest_q     <= quantization_with(lowest_q, is_quantization_high, covenant_pkg::operand_lowest(word));
      highest_q    <= quantization_with(highest_q, is_quantization_high, covenant_pkg::operand_highest(word));
    end
  end

  // Iterations.
  logic            step, nest_first, nest_last, reduction_first, reduction_last, draining_q, draining_d, finished;
  logic [3*32-1:0] element;
  logic [3*2-1:0]  byte_offset;
  assign step = is_compute && !draining_q;

  covenant_simd_iterators #(
    .NumMemories(NumMemories),
    .Immediate  (Immediate),
    .Touched    (Touched),
    .Buffers    (Buffers),
    .BufferUnits(BufferUnits),
    .UnitBytes  (UnitBytes),
    .DataShift  (DataShift),
    .EntryShift (EntryShift)
  ) u_iterators (
    .clk_i,
    .rst_ni,
    .clear_i,
    .configures_i     (configures),
    .operation_i      (operation),
    .word_i           (word),
    .accepts_o        (iterates),
    .post_issue_i     (command_i.post_issue),
    .channel_i        (command_i.channel),
    .operand_memory_i (operand_memory),
    .operand_entry_i  (operand_entry),
    .step_i           (step),
    .is_reduction_i   (is_reduction),
    .first_o          (nest_first),
    .last_o           (nest_last),
    .reduction_first_o(reduction_first),
    .reduction_last_o (reduction_last),
    .element_o        (element),
    .byte_offset_o    (byte_offset)
  );
  logic last_step;  // last step of a nest
  assign last_step = step && nest_last;

  // Stages: sources requested, result computed, result written.
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
        ask_last_q    <= last_step;
        ask_write_q   <= reduction_last;
        ask_first_q   <= reduction_first;
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

  // Requests to the sources, and their answers in the next cycle.
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
      src2_valid_o   = (operand_memory[2*32 +: 32] != Immediate) && !covenant_pkg::is_simd_unary(operation);
      src2_memory_o  = operand_memory[2*32 +: 32];
      src2_element_o = ask_element_q[2*32 +: 32];
      if (resumes) begin
        src2_valid_o   = ask_first_q;
        src2_memory_o  = operand_memory[31:0];
        src2_element_o = ask_element_q[31:0];
      end
    end
  end

  logic [4:0]               src1_slot, src2_slot;
  logic [4*32-1:0]          scalars;  // the first immediates
  logic [VectorBytes*8-1:0] src1, src2, result;

  always_comb begin
    src1_from_o = '0;
    src2_from_o = '0;
    src1_scalar = 1'b0;
    src2_scalar = 1'b0;
    src1_slot   = '0;
    src2_slot   = '0;
    scalars     = '0;
    if (compute_valid_q) begin
      src1_from_o = operand_memory[1*32 +: 32];
      src2_from_o = resumes ? operand_memory[31:0] : operand_memory[2*32 +: 32];
      src1_scalar = src1_from_o == Immediate;
      src2_scalar = src2_from_o == Immediate;
      src1_slot   = operand_entry[1*32 +: 5];
      src2_slot   = operand_entry[2*32 +: 5];
      for (int unsigned i = 0; i < 4; i++) begin
        scalars[i*32 +: 32] = immediate_set_q[i] ? immediate_table[i] : 32'd0;
      end
    end
  end

  logic [1:0] src2_offset;

  always_comb begin
    src1        = '0;
    src2        = '0;
    src2_offset = '0;
    if (compute_valid_q) begin
      src1 = src1_data_i >> (32'(compute_offset_q[3:2]) * 32'd8);
      src2_offset = resumes ? compute_offset_q[1:0] : compute_offset_q[5:4];
      src2 = src2_data_i >> (32'(src2_offset) * 32'd8);
      if (src1_scalar) src1[31:0] = immediate_set_q[src1_slot] ? immediate_table[src1_slot] : 32'd0;
      if (src2_scalar) src2[31:0] = immediate_set_q[src2_slot] ? immediate_table[src2_slot] : 32'd0;
    end
  end

  covenant_simd_lanes #(
    .Lanes     (Lanes),
    .TableBytes(covenant_pkg::TableBytes),
    .TableEntries(covenant_pkg::TableEntries)
  ) u_lanes (
    .clk_i,
    .valid_i          (compute_valid_q),
    .operation_i      (operation),
    .dst_type_i       (types_q[TypeBits-1:0]),
    .src1_type_i      (types_q[2*TypeBits-1:TypeBits]),
    .src2_type_i      (resumes ? types_q[TypeBits-1:0] : types_q[3*TypeBits-1:2*TypeBits]),
    .src1_scalar_i    (src1_scalar),
    .src2_scalar_i    (src2_scalar),
    .src1_i           (src1),
    .src2_i           (src2),
    .reduction_first_i(compute_first_q),
    .resumes_i        (resumes),
    .zero_point_i     (zero_point_q),
    .lowest_i         (lowest_q),
    .highest_i        (highest_q),
    .scalars_i        (scalars),
    .table_i          (lookup_table),
    .result_o         (result)
  );

  // Execute stages after the arithmetic: stage s holds what was computed s + 1 cycles ago.
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

  assign draining_d = (draining_q || last_step) && !finished;

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
  assign ready_o = is_compute ? finished : 1'b1;

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
        strobe          = '1;
        if (types_q[TypeBits-1:1] == (TypeBits-1)'(0)) strobe = VectorBytes'({Lanes{1'b1}});  // i8, u8
        if (covenant_pkg::HasBits16 && (types_q[TypeBits-1:1] == (TypeBits-1)'(2))) strobe = VectorBytes'({(2*Lanes){1'b1}});
        if (covenant_pkg::HasBits4 && (types_q[TypeBits-1:1] == (TypeBits-1)'(3))) strobe = VectorBytes'({HalfLanes{1'b1}});
        write_element_o = stage_element[tap];
        write_data_o    = stage_result[tap] << (32'(stage_offset[tap]) * 32'd8);
        write_strobe_o  = strobe << stage_offset[tap];
      end
    end
  end

`ifndef SYNTHESIS
  StartsEmpty_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (step && nest_first) |-> !(|stage_valid_q));
  WritesWithinAWord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (|stage_valid_q) |-> is_compute);
  ClearsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> !command_i.valid);
`endif

endmodule
