/// Slices: tensors that are a part of another one, where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// Every `steps[d]`-th index of each dimension from `starts[d]` on, `shape[d]` of them: see `sliced`.
struct Slice {
  std::vector<uint64_t> starts;
  std::vector<uint64_t> steps;
  std::vector<uint64_t> shape;
  bool operator==(const Slice&) const = default;
};

/// The slice of `whole` that has the elements of `part`; nothing if there is none, or if either takes several steps in
/// a dimension.
std::optional<Slice> slice_of(const Storage& whole, const Storage& part);

/// True for a slice of an image of which no dimension is cut but that of channels: what is around it is around the
/// whole, whose shape is `whole`.
bool has_all_pixels(const Slice& slice, const std::vector<uint64_t>& whole);

/// The storage of a tensor of which `part` stores the slice; nothing if it leaves indices out between those of the
/// slice, or if a dimension takes several steps. Padding is that of dimensions of which the slice has all indices.
std::optional<Storage> whole_of(const Storage& part, const Slice& slice, const std::vector<uint64_t>& shape);

}  // namespace covenant::compiler
