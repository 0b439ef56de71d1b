/// What convolutions and pools see, by their attributes, and shapes that are broadcast.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Rows, columns: from one element of the kernel to the next; 1 if the node says nothing.
std::array<int64_t, 2> dilations(const Node& node);
/// Groups of channels that do not see each other; 1 if the node says nothing.
int64_t groups(const Node& node);

/// Of each window of a pool over the image `x`, [N,C,H,W], rows first: so many of its elements are inside of it; of one
/// with `count_pads` all. Precondition: `y` is the shape of its result.
std::vector<float> elements_seen(const Node& pool, const std::vector<uint64_t>& x, const std::vector<uint64_t>& y);

/// The shape that two operands have together: dimensions count from the last, and one index stands for any number of
/// them (the ONNX specification of broadcasting). Nothing if they do not fit.
std::optional<std::vector<uint64_t>> broadcast(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

/// True of [N,C,1,1] beside the image [N,C,H,W].
bool is_one_per_channel(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& image);

}  // namespace covenant::compiler::srdfg
