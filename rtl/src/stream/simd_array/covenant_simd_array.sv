// SIMD array (docs/reference/units/simd_array.md): the nest of a compute word, one iteration each cycle.
// covenant_simd_settings has types, quantisation and immediates, covenant_simd_iterators loops and addresses,
// covenant_simd_lanes arithmetic, covenant_simd_stages what comes after it.
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

  localparam int unsigned TypeBits = covenant_pkg::TypeBits;
  localparam int unsigned ElementBits = covenant_pkg::ElementBits;

  // Words. Operands of compute and index words: 0 destination, 1 and 2 sources.
  logic        is_compute, configures, is_reduction;
  logic        sets, iterates;         // it is a word of the settings, of the iterators
  logic        resumes;                // a reduction that resumes from the values in its destination
  logic [covenant_pkg::WordWidth-1:0] word;
  logic [31:0] latency;
  logic [3*TypeBits-1:0] types;        // src2, src1, dst
  logic [3*32-1:0] operand_memory, operand_entry;
  covenant_pkg::operation_t operation;
  logic unused;
  assign unused = &{1'b0, command_i.tile_end, command_i.tile_repeats, command_i.tile_level, command_i.stride_index};

  assign word      = command_i.word;
  assign operation = command_i.operation;

  always_comb begin
    is_compute      = 1'b0;
    configures      = 1'b0;
    is_reduction    = 1'b0;
    resumes         = 1'b0;
    latency         = '0;
    operand_memory  = '0;
    operand_entry   = '0;
    if (command_i.valid) begin
      is_compute      = covenant_pkg::is_simd_compute(operation);
      configures      = !is_compute;
      is_reduction    = covenant_pkg::is_simd_reduction(operation);
      resumes         = is_reduction && !command_i.reduction_first;
      latency         = covenant_pkg::simd_latency(Engine, operation, types[TypeBits-1:0],
                                                   types[2*TypeBits-1:TypeBits], types[3*TypeBits-1:2*TypeBits]);
      operand_memory  = {covenant_pkg::operand_src2_memory(word), covenant_pkg::operand_src1_memory(word),
                         covenant_pkg::operand_dst_memory(word)};
      operand_entry   = {covenant_pkg::operand_src2(word), covenant_pkg::operand_src1(word),
                         covenant_pkg::operand_dst(word)};
    end
  end
  assign accepts_o = is_compute || sets || iterates;

  // Iterations.
  logic            step, unused_first, nest_last, reduction_first, reduction_last, draining_q, draining_d, finished;
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
    .first_o          (unused_first),
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

  // Settings that stay for the words that follow, and the immediates that a compute word reads in this cycle.
  logic [31:0]            src1_immediate, src2_immediate;
  logic [4*32-1:0]        scalars;  // the first immediates
  logic [ElementBits-1:0] zero_point, lowest, highest;
  logic [covenant_pkg::TableBytes*8-1:0] lookup_table;

  covenant_simd_settings u_settings (
    .clk_i,
    .rst_ni,
    .clear_i,
    .configures_i     (configures),
    .operation_i      (operation),
    .word_i           (word),
    .accepts_o        (sets),
    .types_o          (types),
    .zero_point_o     (zero_point),
    .lowest_o         (lowest),
    .highest_o        (highest),
    .table_o          (lookup_table),
    .reads_i          (compute_valid_q),
    .src1_slot_i      (operand_entry[1*32 +: 5]),
    .src2_slot_i      (operand_entry[2*32 +: 5]),
    .src1_immediate_o (src1_immediate),
    .src2_immediate_o (src2_immediate),
    .scalars_o        (scalars)
  );

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

  logic [VectorBytes*8-1:0] src1, src2, result;

  always_comb begin
    src1_from_o = '0;
    src2_from_o = '0;
    src1_scalar = 1'b0;
    src2_scalar = 1'b0;
    if (compute_valid_q) begin
      src1_from_o = operand_memory[1*32 +: 32];
      src2_from_o = resumes ? operand_memory[31:0] : operand_memory[2*32 +: 32];
      src1_scalar = src1_from_o == Immediate;
      src2_scalar = src2_from_o == Immediate;
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
      if (src1_scalar) src1[31:0] = src1_immediate;
      if (src2_scalar) src2[31:0] = src2_immediate;
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
    .dst_type_i       (types[TypeBits-1:0]),
    .src1_type_i      (types[2*TypeBits-1:TypeBits]),
    .src2_type_i      (resumes ? types[TypeBits-1:0] : types[3*TypeBits-1:2*TypeBits]),
    .src1_scalar_i    (src1_scalar),
    .src2_scalar_i    (src2_scalar),
    .src1_i           (src1),
    .src2_i           (src2),
    .reduction_first_i(compute_first_q),
    .resumes_i        (resumes),
    .zero_point_i     (zero_point),
    .lowest_i         (lowest),
    .highest_i        (highest),
    .scalars_i        (scalars),
    .table_i          (lookup_table),
    .result_o         (result)
  );

  assign draining_d = (draining_q || last_step) && !finished;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      draining_q <= 1'b0;
    end else if (is_compute) begin
      draining_q <= draining_d;
    end
  end
  assign ready_o = is_compute ? finished : 1'b1;

  covenant_simd_stages #(
    .Lanes     (Lanes),
    .MaxLatency(MaxLatency)
  ) u_stages (
    .clk_i,
    .rst_ni,
    .is_compute_i   (is_compute),
    .latency_i      (latency),
    .dst_memory_i   (operand_memory[31:0]),
    .dst_width_i    (types[TypeBits-1:1]),
    .valid_i        (compute_valid_q),
    .last_i         (compute_last_q),
    .write_i        (compute_write_q),
    .element_i      (compute_element_q),
    .byte_offset_i  (compute_offset_q[1:0]),
    .result_i       (result),
    .finished_o     (finished),
    .fault_o,
    .write_valid_o,
    .write_memory_o,
    .write_element_o,
    .write_data_o,
    .write_strobe_o
  );

`ifndef SYNTHESIS
  ClearsIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> !command_i.valid);
`endif

endmodule
