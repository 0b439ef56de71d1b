/// Storage: the layout of a tensor of a network in memory. It is all that layers, host and code generation need to know
/// of a layout; a view is another storage of the same allocation and costs nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"

namespace covenant::compiler {

/// One dimension: its indices, those of padding on both sides, and how all of these are counted in memory.
struct StorageDimension {
  uint64_t size = 1;
  uint64_t before = 0;  ///< indices of padding in front of index 0
  uint64_t after = 0;   ///< and past the last one
  /// Outermost step first; several if the dimension is tiled (acg::TensorBinding).
  std::vector<acg::Stride> strides;
  bool operator==(const StorageDimension&) const = default;
};

/// True if adjacent indices are always one step apart: the dimension is not tiled.
inline bool has_one_step(const StorageDimension& dimension) {
  return dimension.size == 1 || dimension.strides.size() == 1;
}

/// Layers between which a tensor is alive: from the one that makes it to the last one that reads it, by index.
struct Lifetime {
  size_t first = 0;
  size_t last = 0;
  bool operator==(const Lifetime&) const = default;
};

struct Storage {
  std::string memory;                        ///< name of a memory of the machine
  size_t allocation = 0;                     ///< tensors of one allocation share their bytes: views of one another
  uint64_t offset = 0;                       ///< elements from the start of the allocation to element [0, 0, ...]
  std::vector<StorageDimension> dimensions;  ///< in the order of the model's shape
  /// Padding that layers read and none writes: the allocation holds the zero point before the first layer runs.
  bool is_filled = false;
  std::optional<Lifetime> lifetime{};
  bool operator==(const Storage&) const = default;
};

/// Sizes of a storage with channels last; a size of 0 is as large as the tensor needs.
struct ChannelsLast {
  uint64_t channels = 0;     ///< channels of each pixel in memory
  uint64_t left_pixels = 0;  ///< padding before each row, in pixels
  uint64_t row_pixels = 0;   ///< pixels of a row, with all padding
  uint64_t row_group = 1;    ///< rows that are interleaved pixel by pixel
};

/// [N,C,H,W] as [N,H,W,C], [N,C] as it is. Precondition: rank 4 or 2; rows only of rank 4.
Storage channels_last(const std::string& memory, const std::vector<uint64_t>& shape, const ChannelsLast& sizes);

std::vector<uint64_t> shape_of(const Storage& storage);

/// Elements of the allocation up to the end of this tensor, padding included.
uint64_t elements_of(const Storage& storage);

/// [N,C,H,W], channels last and no other padding, as the rows [N,H*W*C] of a matrix: padding of channels is among their
/// elements.
Storage flattened(const Storage& storage);

/// The order of a model's dimensions in memory: [N,H,W,C] for rank 4, unchanged for others.
std::vector<size_t> memory_order(size_t rank);

/// Channels in memory of a storage with channels last: from one pixel to the next, or one row of rank 2.
uint64_t channels_in_memory(const Storage& storage);

/// Elements of padding after the contiguous ones; 0 if no two are contiguous.
uint64_t room_of_rows(const Storage& storage);

/// Dimension `i` of the result is dimension `order[i]`. Precondition: `order` is a permutation.
Storage permuted(const Storage& storage, const std::vector<size_t>& order);

/// The same elements in row-major order under another shape, without a move. A dimension whose indices are not equally
/// far apart takes several steps; an unchanged one keeps its padding. Error: NET0020 (no steps can express it).
Result<Storage> reshaped(const Storage& storage, const std::vector<uint64_t>& shape);

/// True if both have the same elements, one after the other in the same order, whatever their shapes. Of tiles that are
/// not full it is not known: false, unless the two are equal.
bool have_same_elements(const Storage& one, const Storage& other);

/// Every `steps[d]`-th index of each dimension from `starts[d]` on, `shape[d]` of them. Error: NET0020 (it cuts a
/// dimension of several steps).
Result<Storage> sliced(const Storage& storage, const std::vector<uint64_t>& starts, const std::vector<uint64_t>& steps,
                       const std::vector<uint64_t>& shape);

/// Each index of dimension `d` `factors[d]` times, one after the other.
Storage repeated(const Storage& storage, const std::vector<uint64_t>& factors);

/// A part of a storage from the index `starts` on, in which each dimension takes whole tiles or is within one.
struct Box {
  std::vector<uint64_t> starts;
  Storage storage;
};
/// Parts that hold all elements, without padding. Precondition: no padding before index 0.
std::vector<Box> boxes_of(const Storage& storage);

/// Two storages of one shape with at most `most` dimensions of one step each, with the same elements in both, those
/// closest together in `to` last; the elements of the last dimension are contiguous in both. Error: NET0020 (no steps
/// can express it, or it takes more dimensions).
struct CommonSteps {
  Storage from;
  Storage to;
};
Result<CommonSteps> common_steps(const Storage& from, const Storage& to, size_t most);

/// Rows in the order of `order`, the elements of the last one side by side and padded to `last` of them.
Storage dense(const std::string& memory, const std::vector<uint64_t>& shape, const std::vector<size_t>& order,
              uint64_t last);

/// The order of a tensor's dimensions in memory: that of contiguous elements last; the channels for rank 4 if there are
/// none. Dimensions of one index come first.
std::vector<size_t> order_of(const Storage& storage);

/// `DRAM allocation=3 offset=114 strides=[12996,1,1824,16] before=[0,0,0,1] after=[0,0,0,1] filled live=[0,2]`: parts
/// that are 0 everywhere are left out; the steps of tiles are printed as `[56,228,2,6]`, a count and a stride for each.
std::string print(const Storage& storage);

}  // namespace covenant::compiler
