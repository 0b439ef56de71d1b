/// Weights and biases of a layer, and how often the layer reads the operand that they multiply.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// Weights that need more bits than an element with a sign has are sums of several that have them. Each part meets the
/// same activation: a convolution reads each row or column of its image `count` times, or the channels that need it
/// again (compiler/frontends/onnx/channels_again.h); a product reads each element so often.
struct Repeats {
  uint64_t count = 1;
  size_t axis = 0;  ///< for a convolution: 0 for rows, 1 for columns
};

/// A product of an activation and weights, in their one form.
struct Product {
  srdfg::ValueId x;
  srdfg::Value weights;
  Repeats repeats;
};

/// `x` and weights that are the sum of `parts`: [O,C,KH,KW] with these dilations and groups, or [K,O] of rows [N,K].
/// The nodes that repeat elements of x are called after `name`.
Product product_of(Normalizing& normalizing, const std::string& name, srdfg::ValueId x, std::vector<srdfg::Value> parts,
                   const std::array<int64_t, 2>& dilations, int64_t groups);

/// Appends weights and bias to the inputs of `node`, and repeats its activation as often as the weights have parts.
/// ONX0005, ONX0015: as compiler/frontends/onnx/weights.h.
Result<Repeats> add_parameters(Normalizing& normalizing, const Layer& layer, srdfg::Node& node);

/// The attributes of a convolution, for an image that is repeated.
void repeat_window(const Repeats& repeats, srdfg::Node& node);

}  // namespace covenant::compiler::frontend
