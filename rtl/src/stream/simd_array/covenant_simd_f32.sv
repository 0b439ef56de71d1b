// One lane of the single-precision operations (docs/reference/units/simd_array.md). Combinational; idle without
// `valid_i`.
module covenant_simd_f32 (
  input  logic                     valid_i,
  input  covenant_pkg::operation_t operation_i,
  input  logic                     from_integer_i,  // src1 is one
  input  logic [31:0]              a_i,             // f32, or an integer extended to 32 bits
  input  logic [31:0]              b_i,             // f32
  input  logic [31:0]              scale_i,         // for dequantize and dequantize_sum
  input  logic [31:0]              zero_i,
  input  logic [31:0]              offset_i,        // for quantize
  input  logic                     adds_up_i,       // for reductions: adds to `before_i`
  input  logic [31:0]              before_i,
  output logic [31:0]              result_o         // f32; of quantize before it is rounded to an integer
);

  localparam logic [31:0] One = 32'h3F80_0000;

  logic [31:0] dequantized, summand;

  always_comb begin
    result_o    = '0;
    dequantized = '0;
    summand     = '0;
    if (valid_i) begin
      unique case (operation_i)
        covenant_pkg::OpAdd: result_o = covenant_f32_pkg::multiply_add(a_i, One, b_i);
        covenant_pkg::OpSub: result_o = covenant_f32_pkg::multiply_add(a_i, One, {!b_i[31], b_i[30:0]});
        covenant_pkg::OpMul: result_o = covenant_f32_pkg::multiply(a_i, b_i);
        covenant_pkg::OpDiv: result_o = covenant_f32_pkg::divide(a_i, b_i);
        covenant_pkg::OpSqrt: result_o = covenant_f32_pkg::square_root(a_i);
        covenant_pkg::OpMax: result_o = covenant_f32_pkg::quieted(covenant_f32_pkg::is_less(a_i, b_i) ? b_i : a_i);
        covenant_pkg::OpMin: result_o = covenant_f32_pkg::quieted(covenant_f32_pkg::is_less(b_i, a_i) ? b_i : a_i);
        covenant_pkg::OpMove: result_o = from_integer_i ? covenant_f32_pkg::from_i32(a_i) : a_i;
        covenant_pkg::OpQuantize: begin
          result_o = covenant_f32_pkg::multiply_add(covenant_f32_pkg::divide(a_i, b_i), One, offset_i);
        end
        covenant_pkg::OpDequantize, covenant_pkg::OpDequantizeSum, covenant_pkg::OpReduceSum: begin
          if (operation_i != covenant_pkg::OpReduceSum) begin
            dequantized = covenant_f32_pkg::multiply(covenant_f32_pkg::from_i32(a_i - zero_i), scale_i);
          end
          summand  = operation_i == covenant_pkg::OpReduceSum ? a_i : dequantized;
          result_o = adds_up_i ? covenant_f32_pkg::multiply_add(before_i, One, summand) : summand;
        end
        default: result_o = '0;
      endcase
    end
  end

endmodule
