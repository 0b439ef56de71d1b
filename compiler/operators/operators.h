/// The normalised operators: what the front end hands over and codelets and reference operators implement.
///
/// Activations are quantised per tensor, each `u8` or `i8`, with `Value::quantization`; weights are `i8` with zero
/// point 0 (the front end shifts other representations, or refuses them), scale per tensor or per output channel;
/// biases are `i32` at scale x_scale * w_scale. `lowest`, `highest` clamp the stored output (an activation fused into
/// it).
///
/// | operation | inputs | output | attributes |
/// |---|---|---|---|
/// | conv | x [N,C,H,W], w [O,C/G,KH,KW] i8, b [O] i32 (optional) | y [N,O,OH,OW] | strides [2], pads
///   [top,left,bottom,right], dilations [2] (optional: 1), group G (optional: 1), lowest, highest |
/// | gemm | x [N,K], w [K,O] i8, b [O] i32 (optional) | y [N,O] | lowest, highest |
/// | conv_sums | as conv, y is i32 | y [N,O,OH,OW] i32 | strides [2], pads [4], dilations, group |
/// | gemm_sums | x [G*N,K], w [G,K,O] i8, rows g*N.. of x meet w[g] | y [G*N,O] i32 | |
/// | matmul | a [G,M,K], b [G,K,N] | y [G,M,N] | lowest, highest |
/// | to_signed | x u8 | y i8: each stored value and the zero point less 128 | |
/// | row_sums | a [G,M,K] | r [G,M,1] i32 | factor |
/// | column_sums | b [G,K,N] i8 | c [G,1,N] i32 | factor |
/// | matmul_stored | a [G,M,K], b [G,K,N] i8, c [G,1,N] i32, r [G,M,1] i32 (optional) | y [G,M,N] | lowest, highest |
/// | layer_norm | x [G,M,K], gains, offsets f32, both [K] or [M,1] | y [G,M,K] | epsilon, lowest, highest |
/// | row_mean | s [G,M,1] or [N,C] i32 | m f32 | count, scale |
/// | row_squares | hi, lo [G,M,1] or [N,C] i32 | q f32 | |
/// | row_variance | m, q [G,M,1] or [N,C] f32 | v f32 | count, scale |
/// | row_deviation | v [G,M,1] or [N,C] f32 | d f32 | epsilon |
/// | normalize_rows | x [G,M,K], m, d [G,M,1] f32 | e [G,M,K] f32 | |
/// | scale_columns | e [G,M,K] f32, gains, offsets f32, both [K] or [M,1] | y [G,M,K] | lowest, highest |
/// | channel_norm | x [N,C,H,W], gains, offsets [C] f32 | y [N,C,H,W] | groups of channels, epsilon, lowest, highest |
/// | channel_sums | x [N,C,H,W] | r [N,C] i32: at each channel the sum of its group | groups |
/// | normalize_channels | x [N,C,H,W], m, d [N,C] f32 | e [N,C,H,W] f32 | |
/// | scale_channels | e [N,C,H,W] f32, gains, offsets [C] f32 | y [N,C,H,W] | lowest, highest |
/// | add | a, b of one shape | y | lowest, highest |
/// | mul | a, b of one shape, or a [N,C,H,W] and b [N,C,1,1] | y | lowest, highest |
/// | sub, div, max, min | a, b of one shape | y | lowest, highest |
/// | lookup | x, table [256] of the dtype of y | y: for each byte of x, whatever its sign, that of the table | |
/// | float_chain | x, ... of one shape, the first stored; f32 params and inputs of the graph among them | y | steps
///   (compiler/srdfg/chain.h), lowest, highest |
/// | clip | x | y, quantised like x | lowest, highest (stored values) |
/// | max_pool | x [N,C,H,W] | y, quantised like x | kernel [2], strides [2], pads [4], dilations |
/// | average_pool | x [N,C,H,W] | y [N,C,OH,OW] | kernel [2], strides [2], pads [4], dilations, lowest, highest,
///   count_pads (optional: 1 if what lies around the image counts) |
/// | global_average_pool | x [N,C,H,W] | y [N,C,1,1] | lowest, highest |
/// | softmax | x of two or more dimensions | y | axis, lowest, highest |
/// | reduce_max | x | y: the largest along `axis`, of which one index is left, quantised like x | axis |
/// | softmax_sum | x, m (1 along `axis`) as x, table [256] f32 | s f32, of the shape of m | axis |
/// | softmax_quotient | x, m, s, table | y | axis, lowest, highest |
/// | reshape | x | y: same elements in the model's row-major order | |
/// | transpose | x | y: dimension d is dimension permutation[d] of x | permutation |
/// | slice | x | y[i, ...] = x[starts[0] + i * steps[0], ...] | starts, steps (at least 1), one of each a dimension |
/// | repeat | x | y[i, ...] = x[i / factors[0], ...] | factors, one a dimension |
/// | pad | x | y: x, and the zero point around it | before, after: elements of padding, one of each a dimension |
/// | concat | one or more x of one shape but for `axis` | y: one after the other along `axis` | axis |
/// | quantize | x f32 | y u8 or i8 | at the graph's inputs only: the host does it |
/// | dequantize | x u8 or i8 | y f32 | at the graph's outputs only: the host does it |
///
/// One of the operands of add, mul, sub, div, max and min may be a param.
///
/// The six that only move elements (reshape to concat) take any rank; all their tensors are quantised alike.
///
/// Output channels o of group g, O/G of them, see input channels g*C/G .. (g+1)*C/G - 1 only. `dilations` and `group`
/// are there if they differ from 1.
///
/// conv_sums and gemm_sums keep their sums: y = sum (x - x_zp) * w in wrapping i32, y is not quantised. So do row_sums,
/// r = factor * sum_k (a - a_zp), and column_sums, c = factor * sum_k b of stored values.
///
/// Values (requant = fp32, the arithmetic of ONNX Runtime):
///   conv, gemm: acc = b + sum (x - x_zp) * w in wrapping i32; y = clamp(rint(f32(acc) * scale[o]) + y_zp),
///               scale[o] = f32(f32(x_scale * w_scale[o]) / y_scale)
///   matmul: acc = sum_k (a - a_zp) * (b - b_zp) in wrapping i32; y = clamp(rint(f32(acc) * scale) + y_zp),
///               scale = f32(f32(a_scale * b_scale) / y_scale). Its parts (compiler/operators/templates.h) take the
///               stored values: acc = sum_k a * b + c - r, c by the factor -a_zp, r by b_zp; c may be a param
///   layer_norm: y = clamp(rint(f32(v / y_scale)) + y_zp), v = f32(f32(f32(f32(r - m) / d) * gain) + offset),
///               r = f32(f32(x - x_zp) * x_scale); with s = sum_k (x - x_zp), q = f32(sum_k (x - x_zp)^2) and n = K:
///               m = f32(f32(f32(s) / n) * x_scale),
///               v = f32(f32(f32(q / n) * f32(x_scale^2)) - f32(m^2)), d = f32(sqrt(f32(max(v, 0) + epsilon))).
///               Its parts have the squares as sums of their high and low bytes, q = f32(256 * f32(hi) + f32(lo)).
///               K is 65,536 at most: such sums are exact in f32
///   channel_norm: layer_norm of [N,groups,K], K all elements of a group of channels, with gains of channels
///   add: y = clamp(rint(fma(f32(b), sb, fma(f32(a), sa, offset)))), sa = a_scale / y_scale, sb = b_scale / y_scale,
///        offset = f32(y_zp) - fma(sb, f32(b_zp), f32(sa * f32(a_zp))): one rounding per operation, fma included.
///        ONNX Runtime's kernel adds the first operand of QLinearAdd last (but for some that are broadcast), so `a` is
///        the model's SECOND operand and `b` its first: the front end swaps them
///   mul: y = clamp(rint(f32(f32(f32((a - a_zp) * (b - b_zp)) * scale) + f32(y_zp)))),
///        scale = f32(f32(a_scale * b_scale) / y_scale)
///   add, mul of a, b and y that differ in sign, in requant = fp32: as sub, div, max, min; in fixed point as above
///   sub, div, max, min: y = clamp(rint(f32(r / y_scale)) + y_zp), r the f32 result of the operation on
///        f32(f32(a - a_zp) * a_scale) and the same of b
///   float_chain: y = clamp(rint(f32(r / y_scale)) + y_zp), r the last step, each step one f32 operation on those
///        before it; load: f32(f32(x - x_zp) * x_scale), or an f32 param as it is. max(a, b) is a unless b is greater,
///        min alike
///   average_pool: y = clamp(rint(f32(f32(f32(total / f32(n)) / y_scale) + f32(y_zp)))), total the f32 sum, one after
///        the other in row-major order, of f32(f32(x - x_zp) * x_scale) in the window; n: so many elements of it are
///        inside of the image, or all with count_pads. Where x and y differ in sign, f32(y_zp) is added after rint
///   softmax: y = clamp(rint(f32(f32(t[x - m] * f32(floor(1 / y_scale))) / s)) + y_zp), m the largest x along `axis`, s
///        the f32 sum of t[x - m] one after the other; t[-k] = f32(exp((b - k) * x_scale)) for k = 0..255 in double
///        precision, b = max(0, (f32(ln(FLT_MAX / n)) - 5) / x_scale) for n elements along `axis`: no sum overflows.
///        All t are divided by the least power of two that keeps the largest one times floor(1 / y_scale) finite.
///        The finer operations are its parts (compiler/operators/templates.h); the table's entry t[-k] is at the byte
///        -k
///   global_average_pool: y = clamp(rint(f32(sum x - H*W*x_zp) * scale) + y_zp), scale = x_scale / (y_scale * f32(H*W))
#pragma once

#include <vector>

#include "compiler/operators/operator.h"

namespace covenant::compiler::operators {

/// All rows, in the order of the table above.
std::vector<const Operator*> all_operators();

}  // namespace covenant::compiler::operators
