// The arithmetic of covenant_f32_pkg behind ports, for f32_bench.cpp.
module f32_bench (
  input  logic [31:0]        a_i,
  input  logic [31:0]        b_i,
  input  logic [31:0]        c_i,
  input  logic signed [17:0] zero_point_i,
  input  logic signed [17:0] lowest_i,
  input  logic signed [17:0] highest_i,
  output logic [31:0]        from_o,
  output logic [31:0]        product_o,
  output logic [31:0]        fused_o,
  output logic [15:0]        integer_o
);

  assign from_o    = covenant_f32_pkg::from_i32(a_i);
  assign product_o = covenant_f32_pkg::multiply(a_i, b_i);
  assign fused_o   = covenant_f32_pkg::multiply_add(a_i, b_i, c_i);
  assign integer_o = covenant_f32_pkg::to_integer(a_i, zero_point_i, lowest_i, highest_i);

endmodule
