// Control of a systolic array (docs/reference/units/systolic_array.md): configuration words, and one step a cycle.
//
// The step of cycle t requests the input memory in cycle t + 1, and the grid takes over; for the cycles from there on
// see covenant_systolic_grid.
module covenant_systolic_array #(
  parameter int unsigned Rows            = 16,
  parameter int unsigned Columns         = 16,
  parameter int unsigned InputBits       = 8,    // bits of an element
  parameter int unsigned WeightBits      = 8,
  parameter int unsigned AccumulatorBits = 32,   // bits of a sum, which is stored extended to 32 bits
  parameter bit          Saturates       = 1'b0, // at the ends of its range; others wrap
  // Memories by role: index, buffers, addresses of a buffer; elements (of weights: bytes) of a unit.
  parameter int unsigned InputMemory     = 0,
  parameter int unsigned InputBuffers    = 2,
  parameter int unsigned InputBufferUnits  = 1024,
  parameter int unsigned InputUnitElements = 16,
  parameter int unsigned WeightMemory    = 1,
  parameter int unsigned WeightBuffers   = 2,
  parameter int unsigned WeightBufferUnits = 1024,
  parameter int unsigned WeightUnitBytes = Rows * Columns * WeightBits / 8,
  parameter int unsigned BiasMemory      = 2,
  parameter int unsigned BiasBuffers     = 2,
  parameter int unsigned BiasBufferUnits   = 1024,
  parameter int unsigned BiasUnitElements = Columns,
  parameter int unsigned OutputMemory    = 3,
  parameter int unsigned OutputBuffers   = 2,
  parameter int unsigned OutputBufferUnits = 1024,
  parameter int unsigned OutputUnitElements = Columns,
  parameter int unsigned WriteBytes      = 16   // bytes of the weight memory's write port
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,            // a block starts
  // Sequencer.
  input  covenant_pkg::command_t  command_i,
  output logic                    ready_o,            // in the last cycle of a word's occupancy
  output logic                    accepts_o,          // it knows the operation
  // Input memory: read port.
  output logic                    input_valid_o,
  output logic [31:0]             input_element_o,
  input  logic [Rows*InputBits-1:0] input_data_i,
  // Bias and output memory: skewed ports.
  output logic                    accumulate_o,
  output logic [31:0]             bias_element_o,
  input  logic [Columns*32-1:0]   bias_data_i,
  output logic [31:0]             output_element_o,
  input  logic [Columns*32-1:0]   output_data_i,
  output logic [Columns*32-1:0]   sum_o,
  // Weight memory: write port.
  input  logic                    write_valid_i,
  input  logic [31:0]             write_byte_i,
  input  logic [WriteBytes*8-1:0] write_data_i,
  input  logic [WriteBytes-1:0]   write_strobe_i
);

  localparam int unsigned InnerLoops = 7;

  // Words.
  logic is_gemm, walks, input_unsigned;

  always_comb begin
    is_gemm        = 1'b0;
    input_unsigned = 1'b0;
    if (command_i.valid) begin
      is_gemm        = command_i.operation == covenant_pkg::OpGemm;
      input_unsigned = covenant_pkg::is_unsigned_input(command_i.word);
    end
  end
  assign accepts_o = walks || is_gemm;

  // Loops and addresses, in units of each memory: input, weight, bias, output.
  logic                     pass_last, inner_first;
  logic [InnerLoops*16-1:0] unused_index;
  logic [4*32-1:0]          address, unit;
  logic [4*covenant_pkg::SlotBits-1:0] slot;

  covenant_tile_walk #(
    .Nested    (4),
    .InnerLoops(InnerLoops),
    .FirstInner(7)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .clear_i,
    .command_i,
    .accepts_o        (walks),
    .active_i         (is_gemm),
    .step_i           (is_gemm),
    .last_o           (pass_last),
    .reduction_first_o(inner_first),
    .index_o          (unused_index),
    .address_o        (address),
    .slot_o           (slot)
  );
  logic last_step;  // last step of a pass
  assign last_step = is_gemm && pass_last;
  assign ready_o   = !is_gemm || last_step;

  for (genvar i = 0; i < 4; i++) begin : gen_units
    logic [covenant_pkg::Slots*32-1:0] buffer_offset;

    covenant_pointer #(
      .Memory   (i == 0 ? InputMemory : i == 1 ? WeightMemory : i == 2 ? BiasMemory : OutputMemory),
      .Buffers  (i == 0 ? InputBuffers : i == 1 ? WeightBuffers : i == 2 ? BiasBuffers : OutputBuffers),
      .BufferUnits(i == 0 ? InputBufferUnits : i == 1 ? WeightBufferUnits : i == 2 ? BiasBufferUnits : OutputBufferUnits)
    ) u_pointer (
      .clk_i,
      .rst_ni,
      .clear_i,
      .post_i   (command_i.post_issue),
      .counter_i(command_i.channel),
      .offset_o (buffer_offset)
    );
    always_comb begin
      unit[i*32 +: 32] = '0;
      if (is_gemm) begin
        unit[i*32 +: 32] = address[i*32 +: 32] +
                           buffer_offset[32'(slot[i*covenant_pkg::SlotBits +: covenant_pkg::SlotBits])*32 +: 32];
      end
    end
  end

  // The input memory is requested in the cycle after the step.
  logic        input_valid_q;
  logic [31:0] input_element_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      input_valid_q   <= 1'b0;
      input_element_q <= '0;
    end else begin
      input_valid_q <= is_gemm;
      if (is_gemm) input_element_q <= unit[0*32 +: 32] * InputUnitElements;
    end
  end
  assign input_valid_o   = input_valid_q;
  assign input_element_o = input_element_q;

  // The column accumulators learn the addresses when the step's first sum arrives there.
  logic unused_valid, unused_line, unused_busy;
  covenant_delay #(
    .Width (64),
    .Cycles(Rows + 1)
  ) u_sum_address (
    .clk_i,
    .rst_ni,
    .valid_i(is_gemm),
    .data_i ({unit[2*32 +: 32] * BiasUnitElements, unit[3*32 +: 32] * OutputUnitElements}),
    .valid_o(unused_valid),
    .data_o ({bias_element_o, output_element_o}),
    .busy_o (unused_line)
  );

  covenant_systolic_grid #(
    .Rows       (Rows),
    .Columns    (Columns),
    .InputBits  (InputBits),
    .WeightBits (WeightBits),
    .AccumulatorBits(AccumulatorBits),
    .Saturates  (Saturates),
    .WeightUnits(WeightBufferUnits * WeightBuffers),
    .UnitBytes  (WeightUnitBytes),
    .WriteBytes (WriteBytes)
  ) u_grid (
    .clk_i,
    .rst_ni,
    .step_valid_i    (is_gemm),
    .weight_unit_i   (unit[1*32 +: 32]),
    .input_unsigned_i(input_unsigned),
    .first_i         (command_i.reduction_first && inner_first),
    .input_data_i,
    .accumulate_o,
    .old_i           (output_data_i),
    .bias_i          (bias_data_i),
    .sum_o,
    .busy_o          (unused_busy),
    .write_valid_i,
    .write_byte_i,
    .write_data_i,
    .write_strobe_i
  );

endmodule
