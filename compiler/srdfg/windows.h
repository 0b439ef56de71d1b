/// Windows of convolutions and pools, from their attributes, and broadcasting of shapes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Distance between adjacent kernel elements: rows, columns; 1 by default.
std::array<int64_t, 2> dilations(const Node& node);
/// Number of channel groups, which do not share inputs; 1 by default.
int64_t groups(const Node& node);

/// Number of elements of a window that are inside of the image, along one axis: of `kernel` elements, `gap` apart, from
/// `first` on, those from 0 to `extent` - 1. Precondition: kernel, gap and extent are positive.
int64_t elements_inside(int64_t first, int64_t kernel, int64_t gap, int64_t extent);

/// For each window of a pool over image `x` [N,C,H,W], in row-major order: how many of its elements are inside of the
/// image; all of them with `count_pads`. Precondition: `y` is the shape of the pool's result.
std::vector<float> elements_seen(const Node& pool, const std::vector<uint64_t>& x, const std::vector<uint64_t>& y);

/// The common shape of two operands: dimensions are aligned at the last one, and a size of 1 is broadcast (ONNX
/// specification of broadcasting). Nothing if the shapes do not fit.
std::optional<std::vector<uint64_t>> broadcast(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

/// True for [N,C,1,1] with an image [N,C,H,W].
bool is_one_per_channel(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& image);

}  // namespace covenant::compiler::srdfg
