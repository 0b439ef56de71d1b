// Integer arithmetic of one lane of a SIMD array (docs/reference/units/simd_array.md).
module covenant_simd_integer (
  input  covenant_pkg::operation_t operation_i,
  input  logic [31:0]              a_i,
  input  logic [31:0]              b_i,
  input  logic                     adds_up_i,  // a reduction continues
  input  logic [31:0]              before_i,   // with this intermediate result
  output logic [31:0]              result_o
);

  always_comb begin
    result_o = a_i;  // move; a reduction starts
    unique case (operation_i)
      covenant_pkg::OpAdd: result_o = a_i + b_i;
      covenant_pkg::OpSub: result_o = a_i - b_i;
      covenant_pkg::OpMul: result_o = a_i * b_i;
      covenant_pkg::OpMax: if ($signed(b_i) > $signed(a_i)) result_o = b_i;
      covenant_pkg::OpMin: if ($signed(b_i) < $signed(a_i)) result_o = b_i;
      covenant_pkg::OpReduceSum: if (adds_up_i) result_o = before_i + a_i;
      covenant_pkg::OpReduceMax: if (adds_up_i && ($signed(before_i) > $signed(a_i))) result_o = before_i;
      default: ;
    endcase
  end

endmodule
