// Fixed-point requantisation in one lane: sums, or two quantised elements, to a quantised element
// (docs/reference/units/simd_array.md).
//
// Multiplies a value by a 31-bit fraction and rounds half up; the right shift after that rounds in the same way, or
// half away from zero. Combinational; idle without `valid_i`.
module covenant_simd_fixed #(
  parameter int unsigned ElementBits = 8,         // bits of the widest quantised element, at least 8
  parameter bit          HalfAway    = 1'b0       // halves go away from zero
) (
  input  logic               valid_i,
  input  logic               adds_i,        // requant_add_fixed,
  input  logic               multiplies_i,  // requant_mul_fixed: two elements; otherwise a sum and its fraction
  input  logic [31:0]        a_i,
  input  logic [31:0]        b_i,
  input  logic [4*32-1:0]    scalars_i,     // the immediates, in the order of the page
  input  logic signed [17:0] zero_point_i,  // for requant_fixed and requant_mul_fixed; with HalfAway for all
  input  logic signed [17:0] lowest_i,
  input  logic signed [17:0] highest_i,
  output logic [ElementBits-1:0] result_o
);

  localparam int unsigned SumBits = 36;  // two products of an element and 16 bits, and an offset

  logic signed [31:0]        value, fraction, most, factor;
  logic [4:0]                shift, left;   // the first in two's complement
  logic [3:0]                right;
  logic signed [63:0]        product;
  logic signed [SumBits-1:0] scaled, half, zero, result;
  logic unused;
  assign unused = &{1'b0, scalars_i[63:48]};

  always_comb begin
    value    = '0;
    fraction = '0;
    shift    = '0;
    left     = '0;
    right    = '0;
    most     = '0;
    factor   = '0;
    product  = '0;
    scaled   = '0;
    half     = '0;
    zero     = '0;
    result   = '0;
    result_o = '0;
    if (valid_i && adds_i) begin
      scaled = SumBits'($signed(a_i[17:0])) * SumBits'($signed(scalars_i[15:0])) +
               SumBits'($signed(b_i[17:0])) * SumBits'($signed(scalars_i[47:32])) +
               SumBits'($signed(scalars_i[95:64]));
      right  = scalars_i[99:96];
      if (HalfAway) begin
        half = (SumBits'(1) << right) >> 1;
        zero = SumBits'(zero_point_i);
      end
    end else if (valid_i) begin
      value    = multiplies_i ? (a_i - scalars_i[95:64]) * (b_i - scalars_i[127:96]) : a_i;
      fraction = multiplies_i ? scalars_i[31:0] : b_i;
      shift    = multiplies_i ? scalars_i[36:32] : scalars_i[4:0];
      // To the left of what stays within 32 bits.
      left     = shift[4] ? -shift : 5'd0;
      most     = 32'h7FFF_FFFF >> left;
      factor   = (value > most ? most : value < ~most ? ~most : value) <<< left;
      product  = 64'(factor) * 64'(fraction) + 64'sd1073741824;
      scaled   = SumBits'(product >>> 31);
      right    = shift[4] ? 4'd0 : shift[3:0];
      half     = (SumBits'(1) << right) >> 1;
      zero     = SumBits'(zero_point_i);
    end
    if (valid_i) begin
      if (HalfAway && scaled < 0 && right != 0) half -= SumBits'(1);
      result = ((scaled + half) >>> right) + zero;
      if (result > SumBits'(highest_i)) result = SumBits'(highest_i);
      if (result < SumBits'(lowest_i)) result = SumBits'(lowest_i);
      result_o = ElementBits'(result);
    end
  end

endmodule
