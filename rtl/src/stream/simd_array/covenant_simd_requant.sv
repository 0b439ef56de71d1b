// Requantisation in one lane: integers or single-precision numbers to quantised elements
// (docs/reference/units/simd_array.md).
//
// Products, fused products and sums are rounded only where the page requires it. Combinational; idle without `valid_i`.
module covenant_simd_requant #(
  parameter int unsigned ElementBits = 8          // bits of the widest quantised element, at least 8
) (
  input  logic               valid_i,
  input  logic               adds_i,        // requant_add,
  input  logic               multiplies_i,  // requant_mul: two elements;
  input  logic               rounds_i,      // quantize: a_i alone; otherwise requant: a product
  input  logic [31:0]        a_i,           // i32; of quantize f32
  input  logic [31:0]        b_i,           // f32 scale; of requant_add and requant_mul i32
  input  logic [4*32-1:0]    scalars_i,     // their immediates, in the order of the page
  input  logic signed [17:0] zero_point_i,  // for requant and quantize
  input  logic signed [17:0] lowest_i,
  input  logic signed [17:0] highest_i,
  output logic [ElementBits-1:0] result_o
);

  localparam logic [31:0] One = 32'h3F80_0000;

  logic [31:0]        number, partial, product;
  logic signed [17:0] zero_point;

  always_comb begin
    partial    = '0;
    product    = '0;
    number     = '0;
    zero_point = '0;
    result_o   = '0;
    if (valid_i && adds_i) begin
      partial = covenant_f32_pkg::multiply_add(covenant_f32_pkg::from_i32(a_i), scalars_i[31:0], scalars_i[95:64]);
      number  = covenant_f32_pkg::multiply_add(covenant_f32_pkg::from_i32(b_i), scalars_i[63:32], partial);
    end else if (valid_i && multiplies_i) begin
      product = (a_i - scalars_i[95:64]) * (b_i - scalars_i[127:96]);
      partial = covenant_f32_pkg::multiply(covenant_f32_pkg::from_i32(product), scalars_i[31:0]);
      number  = covenant_f32_pkg::multiply_add(partial, One, scalars_i[63:32]);
    end else if (valid_i && rounds_i) begin
      number     = a_i;
      zero_point = zero_point_i;
    end else if (valid_i) begin
      number     = covenant_f32_pkg::multiply(covenant_f32_pkg::from_i32(a_i), b_i);
      zero_point = zero_point_i;
    end
    if (valid_i) result_o = ElementBits'(covenant_f32_pkg::to_integer(number, zero_point, lowest_i, highest_i));
  end

endmodule
