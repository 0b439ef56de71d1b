// The processing elements of a systolic array, the weight memory that feeds them, and its column accumulators.
//
// Activations move right, partial sums move down, one element a cycle. Element (row i, column j) sees step k in cycle t
// + 2 + i + j, where t is the cycle in which the step was given; it reads its own bank of the weight memory one cycle
// before, at an address that travels with the step. Column j's sum leaves at `sum_o` in cycle t + Rows + 2 + j; the
// values that it is added to come at `old_i` and `bias_i` in that cycle.
//
// All elements are in flat arrays that one process walks from the last to the first, so that every element still sees
// what its neighbours held before the clock edge: one module and one array for each element would be an order of
// magnitude slower to simulate. The process is idle while no step is inside (a clock gate in silicon).
module covenant_systolic_grid #(
  parameter int unsigned Rows        = 16,
  parameter int unsigned Columns     = 16,
  parameter int unsigned InputBits   = 8,     // bits of an element: 4, 8 or 16
  parameter int unsigned WeightBits  = 8,
  parameter int unsigned AccumulatorBits = 32,  // bits of a sum: 16 to 32
  parameter bit          Saturates   = 1'b0,    // sums stay at the ends of their range; others wrap
  parameter int unsigned WeightUnits = 1024,  // addresses of the weight memory, all buffers
  parameter int unsigned UnitBytes   = Rows * Columns * WeightBits / 8,  // bytes of one address: a matrix, or a part of
                                                                         // one
  parameter int unsigned WriteBytes  = 16     // bytes of the weight memory's write port
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // A step.
  input  logic                    step_valid_i,
  input  logic [31:0]             weight_unit_i,     // address of the matrix it multiplies by
  input  logic                    input_unsigned_i,
  input  logic                    first_i,           // adds to the bias, not to the output memory
  input  logic [Rows*InputBits-1:0] input_data_i,    // two cycles later: its vector of activations
  // Column accumulators.
  output logic                    accumulate_o,      // column 0 requests output and bias: cycle t + Rows + 1
  input  logic [Columns*32-1:0]   old_i,
  input  logic [Columns*32-1:0]   bias_i,
  output logic [Columns*32-1:0]   sum_o,
  output logic                    busy_o,
  // Weight memory, write port: bytes from `write_byte_i` on, where the strobe is set.
  input  logic                    write_valid_i,
  input  logic [31:0]             write_byte_i,
  input  logic [WriteBytes*8-1:0] write_data_i,
  input  logic [WriteBytes-1:0]   write_strobe_i
);

  localparam int unsigned Elements   = Rows * Columns;
  localparam int unsigned Diagonals  = Rows + Columns - 1;
  localparam int unsigned DiagonalWidth = Diagonals > 1 ? $clog2(Diagonals) : 1;
  localparam int unsigned Bytes      = WeightUnits * UnitBytes;
  localparam int unsigned ByteWidth  = $clog2(Bytes);
  localparam int unsigned RowWidth   = Rows > 1 ? $clog2(Rows) : 1;
  localparam int unsigned Stages     = Rows + Columns + 2;
  // Sums that wrap need no more bits on the way than at the end; those that saturate are exact up to there.
  localparam int unsigned ExactBits   = InputBits + 1 + WeightBits + $clog2(Rows);
  localparam int unsigned PartialBits = Saturates ? ExactBits : AccumulatorBits;
  localparam int unsigned ProductBits = Saturates ? ExactBits : 32;

  // Progress of steps: bit d is set in cycle t + 1 + d of a step.
  logic [Stages-1:0] stage_q, stage_d;
  logic              active;
  assign stage_d = {stage_q[Stages-2:0], step_valid_i};
  assign active  = |stage_q;
  assign busy_o  = active;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q <= '0;
    end else begin
      stage_q <= stage_d;
    end
  end

  // First steps: column j's accumulator sees one j + 1 cycles after the delay line.
  logic               step_first;
  logic [Columns-1:0] sum_first_q, sum_first_d;

  covenant_delay #(
    .Width (1),
    .Cycles(Rows + 1)
  ) u_first (
    .clk_i,
    .rst_ni,
    .valid_i(step_valid_i),
    .data_i (first_i),
    .valid_o(accumulate_o),
    .data_o (step_first),
    .busy_o (first_busy)
  );

  logic first_busy, unused;
  assign unused = &{1'b0, first_busy};

  if (Columns == 1) begin : gen_one_accumulator
    assign sum_first_d = step_first;
  end else begin : gen_accumulators
    assign sum_first_d = {sum_first_q[Columns-2:0], step_first};
  end

  // Inputs become signed numbers of one bit more where they enter.
  logic                unsigned_q, unsigned_q2;
  logic [RowWidth-1:0] turn_q;                      // row in which the skew ring writes in this cycle

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_first_q <= '0;
      unsigned_q  <= 1'b0;
      unsigned_q2 <= 1'b0;
      turn_q      <= '0;
    end else begin
      sum_first_q <= sum_first_d;
      unsigned_q  <= input_unsigned_i;
      unsigned_q2 <= unsigned_q;
      turn_q      <= turn_q + 1'b1;
    end
  end

  // State of the elements, row-major.
  (* nomem2reg *)                                     // yosys: a memory, not registers
  logic [7:0]         memory [Bytes];                // weights: matrix, row, column, packed
  logic [31:0]        address [1 << DiagonalWidth];  // byte address of the matrix that diagonal d reads now
  logic [WeightBits-1:0] weight [Elements];          // weight that the element uses at present
  logic [InputBits:0] activation [Elements];         // activation that the element uses at present; that of column 0 is
                                                     // a wire from the skew
  logic [PartialBits-1:0] product [Elements];        // its product in this cycle, a wire
  logic [PartialBits-1:0] partial [Elements];        // partial sum that it passed down in the last cycle
  logic [InputBits:0] skew [1 << (2*RowWidth)];      // row i waits i cycles: rings over the last cycles

  // One clock edge, in tasks: their loop counters become local variables of the simulator. Assignments are blocking,
  // because no other process reads these arrays at the same edge.
  /* verilator lint_off BLKSEQ */
  task automatic enter_left();
    activation[0] = {input_data_i[InputBits-1] & ~unsigned_q2, input_data_i[InputBits-1:0]};
    for (int unsigned r = 1; r < Rows; r++) begin
      activation[r*Columns] = skew[{turn_q - RowWidth'(r), RowWidth'(r)}];
    end
  endtask

  task automatic multiply_add();
    for (int unsigned e = 0; e < Elements; e++) begin
      product[e] = PartialBits'(ProductBits'($signed(activation[e])) * ProductBits'($signed(weight[e])));
    end
    for (int unsigned r = Rows - 1; r >= 1; r--) begin
      for (int unsigned c = 0; c < Columns; c++) begin
        partial[r*Columns + c] = partial[(r-1)*Columns + c] + product[r*Columns + c];
      end
    end
    for (int unsigned e = 0; e < Columns; e++) begin
      partial[e] = product[e];
    end
  endtask

  task automatic read_weights();
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < Columns; c++) begin
        if (WeightBits == 8) begin
          weight[r*Columns + c] = WeightBits'(memory[ByteWidth'(address[DiagonalWidth'(r + c)] + (r*Columns + c))]);
        end else if (WeightBits == 4) begin
          weight[r*Columns + c] = WeightBits'(8'(
              memory[ByteWidth'(address[DiagonalWidth'(r + c)] + (r*Columns + c) / 2)] >> ((r*Columns + c) % 2 * 4)));
        end else begin
          weight[r*Columns + c] = WeightBits'({memory[ByteWidth'(address[DiagonalWidth'(r + c)] + (r*Columns + c) * 2 + 1)],
                                               memory[ByteWidth'(address[DiagonalWidth'(r + c)] + (r*Columns + c) * 2)]});
        end
      end
    end
  endtask

  task automatic move_on();
    for (int unsigned e = Elements - 1; e >= 1; e--) begin
      activation[e] = activation[e-1];
    end
    for (int unsigned r = 0; r < Rows; r++) begin
      skew[{turn_q, RowWidth'(r)}] = {input_data_i[r*InputBits+InputBits-1] & ~unsigned_q2,
                                        input_data_i[r*InputBits +: InputBits]};
    end
    for (int unsigned d = Diagonals - 1; d >= 1; d--) begin
      address[d] = address[d-1];
    end
    address[0] = weight_unit_i * UnitBytes;
  endtask

  always_ff @(posedge clk_i) begin
    if (active || step_valid_i) begin
      enter_left();
      multiply_add();
      read_weights();
      move_on();
    end
    if (write_valid_i) begin
      for (int unsigned b = 0; b < WriteBytes; b++) begin
        if (write_strobe_i[b]) memory[ByteWidth'(write_byte_i + b)] = write_data_i[b*8 +: 8];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // A word of a memory holds more bits than a sum: those are the sum's sign.
  if (Saturates) begin : gen_saturating_sums
    localparam int unsigned SumBits = (PartialBits > 32 ? PartialBits : 32) + 1;
    localparam logic signed [SumBits-1:0] Most = (SumBits'(1) << (AccumulatorBits - 1)) - 1;
    logic signed [SumBits-1:0] sum;

    always_comb begin
      sum = '0;
      for (int unsigned c = 0; c < Columns; c++) begin
        sum = SumBits'($signed(partial[(Rows-1)*Columns + c])) +
              SumBits'($signed(sum_first_q[c] ? bias_i[c*32 +: 32] : old_i[c*32 +: 32]));
        sum_o[c*32 +: 32] = 32'(sum > Most ? Most : sum < ~Most ? ~Most : sum);
      end
    end
  end else if (AccumulatorBits == 32) begin : gen_words
    always_comb begin
      for (int unsigned c = 0; c < Columns; c++) begin
        sum_o[c*32 +: 32] = partial[(Rows-1)*Columns + c] + (sum_first_q[c] ? bias_i[c*32 +: 32] : old_i[c*32 +: 32]);
      end
    end
  end else begin : gen_narrow_sums
    logic [Columns*AccumulatorBits-1:0] sums;
    logic unused_signs;  // signs of the words that are added to
    assign unused_signs = &{1'b0, bias_i, old_i};

    always_comb begin
      for (int unsigned c = 0; c < Columns; c++) begin
        sums[c*AccumulatorBits +: AccumulatorBits] =
            partial[(Rows-1)*Columns + c] +
            (sum_first_q[c] ? bias_i[c*32 +: AccumulatorBits] : old_i[c*32 +: AccumulatorBits]);
        sum_o[c*32 +: 32] = 32'($signed(sums[c*AccumulatorBits +: AccumulatorBits]));
      end
    end
  end

endmodule
