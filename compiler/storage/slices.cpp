#include "compiler/storage/slices.h"

#include <algorithm>
#include <numeric>

#include "compiler/storage/padding.h"

namespace covenant::compiler {
namespace {

uint64_t stride_of(const StorageDimension& dimension) {
  return dimension.strides.empty() ? 0 : dimension.strides[0].stride;
}

/// Indices of `whole` between two of `part`; nothing if those of `part` are not among them, or if `whole` has one
/// element for all of its indices.
std::optional<uint64_t> step_of(const StorageDimension& whole, const StorageDimension& part) {
  const uint64_t stride = stride_of(whole);
  if (whole.size > 1 && stride == 0) return std::nullopt;
  if (part.size == 1) return 1;
  if (stride == 0 || stride_of(part) == 0 || stride_of(part) % stride != 0) return std::nullopt;
  return stride_of(part) / stride;
}

}  // namespace

std::optional<Slice> slice_of(const Storage& whole, const Storage& part) {
  const size_t rank = whole.dimensions.size();
  if (part.memory != whole.memory || part.dimensions.size() != rank || part.offset < whole.offset) return std::nullopt;
  if (!std::ranges::all_of(whole.dimensions, has_one_step) || !std::ranges::all_of(part.dimensions, has_one_step)) {
    return std::nullopt;
  }
  Slice slice{std::vector<uint64_t>(rank, 0), {}, shape_of(part)};
  for (size_t d = 0; d < rank; ++d) {
    const std::optional<uint64_t> step = step_of(whole.dimensions[d], part.dimensions[d]);
    if (!step) return std::nullopt;
    slice.steps.push_back(*step);
  }
  // The first element, from the longest steps to the shortest.
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t d) { return stride_of(whole.dimensions[d]); });
  uint64_t distance = part.offset - whole.offset;
  for (const size_t d : order) {
    const uint64_t size = whole.dimensions[d].size, stride = stride_of(whole.dimensions[d]);
    if (size > 1 && stride > 0) slice.starts[d] = distance / stride;
    if (slice.starts[d] + (slice.shape[d] - 1) * slice.steps[d] >= size) return std::nullopt;
    distance -= slice.starts[d] * stride;
  }
  return distance == 0 ? std::optional(std::move(slice)) : std::nullopt;
}

bool has_all_pixels(const Slice& slice, const std::vector<uint64_t>& whole) {
  for (size_t d = 0; d < whole.size(); ++d) {
    if (d != kChannelAxis && slice.shape[d] != whole[d]) return false;
  }
  return whole.size() == 4;
}

std::optional<Storage> whole_of(const Storage& part, const Slice& slice, const std::vector<uint64_t>& shape) {
  if (!std::ranges::all_of(part.dimensions, has_one_step)) return std::nullopt;
  Storage whole = part;
  for (size_t d = 0; d < shape.size(); ++d) {
    StorageDimension& dimension = whole.dimensions[d];
    if (dimension.size == shape[d]) continue;
    const uint64_t stride = stride_of(dimension);
    if (slice.steps[d] != 1 || stride == 0 || slice.starts[d] * stride > whole.offset) return std::nullopt;
    whole.offset -= slice.starts[d] * stride;
    dimension = {shape[d], 0, 0, {{shape[d], stride}}};
  }
  return whole;
}

}  // namespace covenant::compiler
