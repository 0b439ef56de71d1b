// IEEE 754 single precision as the SIMD lanes need it: handles subnormals, rounds to nearest even, makes NaN results
// quiet.
//
// Intermediate numbers are `significand * 2^(exponent - 63)` with the significand normalised to 64 bits. Bits shifted
// out of a significand are or-ed into its lowest bit (sticky), which is exact for rounding as long as rounding drops
// more than one bit; here it always drops forty. Names are fully qualified for yosys, which resolves them at the
// caller.
package covenant_f32_pkg;

  localparam logic [31:0] QuietNan = 32'h7FC0_0000;

  // leading_zeros(x: bit[64]) -> 0..64
  function automatic logic [6:0] leading_zeros(input logic [63:0] x);
    // verilator no_inline_task
    logic [63:0] rest;
    rest          = x;
    leading_zeros = 7'd0;
    if (rest[63:32] == '0) begin leading_zeros = leading_zeros + 7'd32; rest = rest << 32; end
    if (rest[63:48] == '0) begin leading_zeros = leading_zeros + 7'd16; rest = rest << 16; end
    if (rest[63:56] == '0) begin leading_zeros = leading_zeros + 7'd8;  rest = rest << 8;  end
    if (rest[63:60] == '0) begin leading_zeros = leading_zeros + 7'd4;  rest = rest << 4;  end
    if (rest[63:62] == '0) begin leading_zeros = leading_zeros + 7'd2;  rest = rest << 2;  end
    if (rest[63] == 1'b0)  begin leading_zeros = leading_zeros + 7'd1;  rest = rest << 1;  end
    if (rest[63] == 1'b0) leading_zeros = 7'd64;
  endfunction

  // x >> n, what falls out or-ed into bit 0; n >= 0
  function automatic logic [63:0] shift_right_sticky(input logic [63:0] x, input logic [31:0] n);
    // verilator no_inline_task
    if (n == 32'd0) begin
      shift_right_sticky = x;
    end else if (n > 32'd63) begin
      shift_right_sticky = {63'd0, x != '0};
    end else begin
      shift_right_sticky = (x >> n[5:0]) | {63'd0, (x << (7'd64 - {1'b0, n[5:0]})) != '0};
    end
  endfunction

  // round((-1)^sign * significand * 2^(exponent - 63)); significand normalised, or 0
  function automatic logic [31:0] round_pack(input logic sign, input logic signed [31:0] exponent,
                                             input logic [63:0] significand);
    // verilator no_inline_task
    logic signed [31:0] biased;
    logic [63:0]        kept;
    logic [30:0]        magnitude;
    biased = exponent + 32'sd127;
    kept   = significand;
    if (biased < 32'sd1) begin  // subnormal
      kept   = covenant_f32_pkg::shift_right_sticky(significand, 32'sd1 - biased);
      biased = 32'sd0;
    end
    if (significand == '0) begin
      magnitude = '0;
    end else if (biased > 32'sd254) begin
      magnitude = {8'hFF, 23'd0};
    end else begin
      magnitude = {biased[7:0], kept[62:40]} + {30'd0, kept[39] & (kept[40] | (kept[38:0] != '0))};
    end
    round_pack = {sign, magnitude};
  endfunction

  // normalised significand of a finite x (0 for 0); x = significand * 2^(exponent_of(x) - 63)
  function automatic logic [63:0] significand_of(input logic [31:0] x);
    logic [63:0] plain;
    plain          = {x[30:23] != 8'd0, x[22:0], 40'd0};
    significand_of = plain << covenant_f32_pkg::leading_zeros(plain);
  endfunction

  function automatic logic signed [31:0] exponent_of(input logic [31:0] x);
    if (x[30:23] == 8'd0) begin
      exponent_of = -32'sd126 - $signed({25'd0, covenant_f32_pkg::leading_zeros({1'b0, x[22:0], 40'd0})});
    end else begin
      exponent_of = $signed({24'd0, x[30:23]}) - 32'sd127;
    end
  endfunction

  function automatic logic is_nan(input logic [31:0] x);
    is_nan = (x[30:23] == 8'hFF) && (x[22:0] != '0);
  endfunction

  function automatic logic is_infinite(input logic [31:0] x);
    is_infinite = x[30:0] == {8'hFF, 23'd0};
  endfunction

  function automatic logic is_zero(input logic [31:0] x);
    is_zero = x[30:0] == '0;
  endfunction

  // True if a * b is not a number: an operand is NaN, or 0 times infinity.
  function automatic logic is_invalid_product(input logic [31:0] a, input logic [31:0] b);
    is_invalid_product = covenant_f32_pkg::is_nan(a) || covenant_f32_pkg::is_nan(b) ||
                         (covenant_f32_pkg::is_infinite(a) && covenant_f32_pkg::is_zero(b)) ||
                         (covenant_f32_pkg::is_zero(a) && covenant_f32_pkg::is_infinite(b));
  endfunction

  // f32(x: i32)
  function automatic logic [31:0] from_i32(input logic [31:0] x);
    // verilator no_inline_task
    logic [63:0] plain;
    logic [6:0]  zeros;
    plain    = {x[31] ? -x : x, 32'd0};
    zeros    = covenant_f32_pkg::leading_zeros(plain);
    from_i32 = covenant_f32_pkg::round_pack(x[31], 32'sd31 - $signed({25'd0, zeros}), plain << zeros);
  endfunction

  // a * b
  function automatic logic [31:0] multiply(input logic [31:0] a, input logic [31:0] b);
    // verilator no_inline_task
    logic               sign;
    logic [63:0]        sa, sb, product;
    logic signed [31:0] exponent;
    sign     = a[31] ^ b[31];
    sa       = covenant_f32_pkg::significand_of(a);
    sb       = covenant_f32_pkg::significand_of(b);
    product  = {16'd0, sa[63:40] * 48'(sb[63:40])} << 16;
    exponent = covenant_f32_pkg::exponent_of(a) + covenant_f32_pkg::exponent_of(b) + 32'sd1;
    if (!product[63]) begin
      product  = product << 1;
      exponent = exponent - 32'sd1;
    end
    if (covenant_f32_pkg::is_invalid_product(a, b)) begin
      multiply = covenant_f32_pkg::QuietNan;
    end else if (covenant_f32_pkg::is_infinite(a) || covenant_f32_pkg::is_infinite(b)) begin
      multiply = {sign, 8'hFF, 23'd0};
    end else begin
      multiply = covenant_f32_pkg::round_pack(sign, exponent, product);
    end
  endfunction

  // a * b + c, rounded once. Product and addend share a frame with three free bits above: `frame * 2^(exponent - 60)`.
  function automatic logic [31:0] multiply_add(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    // verilator no_inline_task
    logic               product_sign, sign, same;
    logic [63:0]        sa, sb, sc, product, addend, sum;
    logic signed [31:0] exponent, distance;
    logic [6:0]         zeros;
    product_sign = a[31] ^ b[31];
    same         = product_sign == c[31];
    sa           = covenant_f32_pkg::significand_of(a);
    sb           = covenant_f32_pkg::significand_of(b);
    sc           = covenant_f32_pkg::significand_of(c);
    product      = {2'd0, sa[63:40] * 48'(sb[63:40]), 14'd0};
    addend       = {3'd0, sc[63:3]};
    exponent     = covenant_f32_pkg::exponent_of(a) + covenant_f32_pkg::exponent_of(b);
    distance     = exponent - covenant_f32_pkg::exponent_of(c);
    if (product == '0) begin
      exponent = covenant_f32_pkg::exponent_of(c);
    end else if (addend != '0) begin
      if (distance >= 32'sd0) begin
        addend = covenant_f32_pkg::shift_right_sticky(addend, distance);
      end else begin
        product  = covenant_f32_pkg::shift_right_sticky(product, -distance);
        exponent = covenant_f32_pkg::exponent_of(c);
      end
    end
    sign = product_sign;
    if (same) begin
      sum = product + addend;
    end else if (product >= addend) begin
      sum = product - addend;
      if (product == addend) sign = 1'b0;  // exact cancellation: +0
    end else begin
      sum  = addend - product;
      sign = c[31];
    end
    zeros = covenant_f32_pkg::leading_zeros(sum);
    if (covenant_f32_pkg::is_invalid_product(a, b) || covenant_f32_pkg::is_nan(c)) begin
      multiply_add = covenant_f32_pkg::QuietNan;
    end else if (covenant_f32_pkg::is_infinite(a) || covenant_f32_pkg::is_infinite(b)) begin
      multiply_add = (covenant_f32_pkg::is_infinite(c) && !same) ? covenant_f32_pkg::QuietNan
                                                                 : {product_sign, 8'hFF, 23'd0};
    end else if (covenant_f32_pkg::is_infinite(c)) begin
      multiply_add = c;
    end else begin
      multiply_add = covenant_f32_pkg::round_pack(sign, exponent + 32'sd3 - $signed({25'd0, zeros}), sum << zeros);
    end
  endfunction

  // a / b. Digits of the quotient one by one, from the one before the binary point on; the rest is sticky.
  function automatic logic [31:0] divide(input logic [31:0] a, input logic [31:0] b);
    // verilator no_inline_task
    logic               sign;
    logic [63:0]        sa, sb;
    logic [24:0]        rest, divisor;
    logic [26:0]        quotient;
    logic signed [31:0] exponent;
    sign     = a[31] ^ b[31];
    sa       = covenant_f32_pkg::significand_of(a);
    sb       = covenant_f32_pkg::significand_of(b);
    rest     = {1'b0, sa[63:40]};
    divisor  = {1'b0, sb[63:40]};
    quotient = '0;
    for (int unsigned i = 0; i < 27; i++) begin
      quotient = quotient << 1;
      if (rest >= divisor) begin
        rest        = rest - divisor;
        quotient[0] = 1'b1;
      end
      rest = rest << 1;
    end
    exponent = covenant_f32_pkg::exponent_of(a) - covenant_f32_pkg::exponent_of(b);
    if (!quotient[26]) begin
      quotient = quotient << 1;
      exponent = exponent - 32'sd1;
    end
    if (covenant_f32_pkg::is_nan(a) || covenant_f32_pkg::is_nan(b) ||
        (covenant_f32_pkg::is_infinite(a) && covenant_f32_pkg::is_infinite(b)) ||
        (covenant_f32_pkg::is_zero(a) && covenant_f32_pkg::is_zero(b))) begin
      divide = covenant_f32_pkg::QuietNan;
    end else if (covenant_f32_pkg::is_infinite(a) || covenant_f32_pkg::is_zero(b)) begin
      divide = {sign, 8'hFF, 23'd0};
    end else if (covenant_f32_pkg::is_infinite(b) || covenant_f32_pkg::is_zero(a)) begin
      divide = {sign, 31'd0};
    end else begin
      divide = covenant_f32_pkg::round_pack(sign, exponent, {quotient, 36'd0, rest != '0});
    end
  endfunction

  // Computes the root digit by digit: `rest` is the remainder of the radicand so far; each digit takes two more of its
  // bits.
  function automatic logic [31:0] square_root(input logic [31:0] x);
    // verilator no_inline_task
    logic [63:0]        sx;
    logic [53:0]        radicand;
    logic [28:0]        rest, trial;
    logic [26:0]        root;
    logic signed [31:0] exponent;
    sx       = covenant_f32_pkg::significand_of(x);
    exponent = covenant_f32_pkg::exponent_of(x);
    // In [1, 4) with an even exponent; two bits are before the binary point.
    radicand = exponent[0] ? {sx[63:40], 30'd0} : {1'b0, sx[63:40], 29'd0};
    rest     = '0;
    root     = '0;
    for (int unsigned i = 0; i < 27; i++) begin
      rest     = {rest[26:0], radicand[53:52]};
      radicand = radicand << 2;
      trial    = {root, 2'b01};
      root     = root << 1;
      if (rest >= trial) begin
        rest    = rest - trial;
        root[0] = 1'b1;
      end
    end
    if (covenant_f32_pkg::is_nan(x) || (x[31] && !covenant_f32_pkg::is_zero(x))) begin
      square_root = covenant_f32_pkg::QuietNan;
    end else if (covenant_f32_pkg::is_zero(x) || covenant_f32_pkg::is_infinite(x)) begin
      square_root = x;
    end else begin
      square_root = covenant_f32_pkg::round_pack(1'b0, exponent >>> 1, {root, 36'd0, rest != '0});
    end
  endfunction

  // a < b, as numbers: zeros are equal, nothing is less or more than no number
  function automatic logic is_less(input logic [31:0] a, input logic [31:0] b);
    if (covenant_f32_pkg::is_nan(a) || covenant_f32_pkg::is_nan(b) ||
        (covenant_f32_pkg::is_zero(a) && covenant_f32_pkg::is_zero(b))) begin
      is_less = 1'b0;
    end else if (a[31] != b[31]) begin
      is_less = a[31];
    end else begin
      is_less = a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
    end
  endfunction

  function automatic logic [31:0] quieted(input logic [31:0] x);
    quieted = covenant_f32_pkg::is_nan(x) ? covenant_f32_pkg::QuietNan : x;
  endfunction

  // clamp(rint(x) + zero_point) to lowest..highest, of 16 bits with a sign or without; NaN gives lowest
  function automatic logic [15:0] to_integer(input logic [31:0] x, input logic signed [17:0] zero_point,
                                             input logic signed [17:0] lowest, input logic signed [17:0] highest);
    // verilator no_inline_task
    logic [23:0]        significand, below, half;
    logic [7:0]         distance;     // bits after the binary point
    logic signed [31:0] value;
    significand = {x[30:23] != 8'd0, x[22:0]};
    distance    = 8'd150 - x[30:23];
    value       = 32'sd0;
    if (x[30:23] >= 8'd143) begin                      // 2^16 and above, infinity
      value = x[31] ? -32'sd65536 : 32'sd65536;
    end else if (x[30:23] >= 8'd126) begin             // 0.5 and above
      value = $signed({8'd0, significand >> distance});
      below = significand & ~({24{1'b1}} << distance);
      half  = 24'd1 << (distance - 8'd1);
      if ((below > half) || ((below == half) && value[0])) value = value + 32'sd1;
      if (x[31]) value = -value;
    end
    value = value + 32'(zero_point);
    if (covenant_f32_pkg::is_nan(x) || (value < 32'(lowest))) begin
      to_integer = lowest[15:0];
    end else if (value > 32'(highest)) begin
      to_integer = highest[15:0];
    end else begin
      to_integer = value[15:0];
    end
  endfunction

endpackage
