// Requantisation in one lane: integers to bytes by way of single precision (docs/reference/units/simd_array.md).
//
// The product and the two fused products are rounded where the page says so and nowhere else. Combinational; at rest
// without `valid_i`.
module covenant_simd_requant (
  input  logic               valid_i,
  input  logic               adds_i,        // requant_add: two bytes; else requant: a product
  input  logic [31:0]        a_i,           // i32
  input  logic [31:0]        b_i,           // f32 scale; of requant_add i32
  input  logic [31:0]        scale_a_i,     // f32, of requant_add
  input  logic [31:0]        scale_b_i,
  input  logic [31:0]        offset_i,
  input  logic signed [15:0] zero_point_i,  // of requant
  input  logic signed [15:0] lowest_i,
  input  logic signed [15:0] highest_i,
  output logic [7:0]         result_o
);

  logic [31:0]        number, partial;
  logic signed [15:0] zero_point;

  always_comb begin
    partial    = '0;
    number     = '0;
    zero_point = '0;
    result_o   = '0;
    if (valid_i && adds_i) begin
      partial = covenant_f32_pkg::multiply_add(covenant_f32_pkg::from_i32(a_i), scale_a_i, offset_i);
      number  = covenant_f32_pkg::multiply_add(covenant_f32_pkg::from_i32(b_i), scale_b_i, partial);
    end else if (valid_i) begin
      number     = covenant_f32_pkg::multiply(covenant_f32_pkg::from_i32(a_i), b_i);
      zero_point = zero_point_i;
    end
    if (valid_i) result_o = covenant_f32_pkg::to_byte(number, zero_point, lowest_i, highest_i);
  end

endmodule
