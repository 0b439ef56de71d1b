/// Constants that the compiler computes from a model's weights, biases and scales, exactly as in
/// compiler/operators/operators.h.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/network/constant_tensor.h"
#include "compiler/srdfg/graph.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// Maps the rows of a gemm's weights to the elements of its input: row k of the model becomes row `row[k]` of the
/// codelet, out of `rows`; unused rows are 0.
struct RowOrder {
  uint64_t rows = 0;
  std::vector<uint64_t> row;
};
/// Rows stay where they are.
RowOrder same_order(uint64_t rows);
/// The order of rows if the model flattens [C,H,W] of an [N,C,H,W]: the rows follow the elements and padding of that
/// tensor in memory.
RowOrder flattened_order(const Storage& storage);

/// w [O,I,KH,KW] i8 -> [KH,KW,I,O]. Of a convolution in `groups` groups, of which `merged` become one:
/// [KH,KW,groups/merged,merged*I,merged*O/groups], without the third dimension if all are one; what an output does not
/// see has the weight 0, and so has what lies after the last channel if `merged` does not divide the groups.
ConstantTensor conv_weights(const srdfg::Value& weights, uint64_t groups = 1, uint64_t merged = 1);
/// w [K,O] i8 -> [rows,O].
ConstantTensor gemm_weights(const srdfg::Value& weights, const RowOrder& order);

/// A constant operand of a layer that works lane by lane, as [P,C]: dimensions in `order`, all but the last one joined.
ConstantTensor lane_constant(const srdfg::Value& value, const std::vector<size_t>& order);

/// Each of `numbers` for every channel: f32 of `shape`, the channels last.
ConstantTensor once_a_channel(const std::vector<float>& numbers, const std::vector<uint64_t>& shape);

/// bias[o] - input_zero_point * sum of the weights of output channel o, wrapping at 32 bits. `bias` may be null: 0.
/// `channel_axis`: dimension of `weights` that counts output channels.
ConstantTensor folded_bias(const srdfg::Value* bias, const srdfg::Value& weights, size_t channel_axis,
                           int32_t input_zero_point);
/// The same without bias for w [G,K,O] -> [G,O].
ConstantTensor grouped_bias(const srdfg::Value& weights, int32_t input_zero_point);
/// f32(f32(x_scale * w_scale[o]) / y_scale) per output channel.
ConstantTensor output_scales(const srdfg::Value& input, const srdfg::Value& weights, const srdfg::Value& output,
                             uint64_t channels);

/// Scalars of REQUANT_ADD.
struct AddScalars {
  float scale_a = 0;
  float scale_b = 0;
  float offset = 0;
};
AddScalars add_scalars(const srdfg::Quantization& a, const srdfg::Quantization& b, const srdfg::Quantization& y);

/// f32(f32(a_scale * b_scale) / y_scale)
float product_scale(const srdfg::Quantization& a, const srdfg::Quantization& b, const srdfg::Quantization& y);

/// x_scale / (y_scale * f32(pixels)); 0 for none.
float mean_scale(const srdfg::Quantization& x, const srdfg::Quantization& y, uint64_t pixels);

}  // namespace covenant::compiler
