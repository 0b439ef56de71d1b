#include "compiler/storage/access_layouts.h"

#include <algorithm>

#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// One step from index to index, and not 0.
bool is_row(const StorageDimension& dimension) {
  return dimension.size == 1 || (dimension.strides.size() == 1 && dimension.strides[0].stride > 0);
}

bool is_side_by_side(const StorageDimension& dimension) {
  return dimension.size == 1 || (dimension.strides.size() == 1 && dimension.strides[0].stride == 1);
}

/// Elements of the longest vector that a node multiplies by a matrix.
uint64_t word_of_products(const acg::Machine& machine) {
  uint64_t word = 1;
  const auto has_rank = [](size_t rank) {
    return [rank](const acg::CapabilityOperand& operand) { return operand.shape.size() == rank; };
  };
  for (const acg::Compute& node : machine.computes) {
    for (const acg::Capability& capability : node.capabilities) {
      if (std::ranges::none_of(capability.inputs, has_rank(2))) continue;
      const auto vector = std::ranges::find_if(capability.inputs, has_rank(1));
      if (vector != capability.inputs.end()) word = std::max(word, vector->shape.front());
    }
  }
  return word;
}

}  // namespace

bool can_be_read(const Storage& storage, AccessLayout layout, const std::vector<size_t>& order) {
  const std::vector<StorageDimension>& dimensions = storage.dimensions;
  if (layout == AccessLayout::kGroups) {
    return dimensions.size() == 3 && std::ranges::all_of(dimensions, has_one_step) && is_side_by_side(dimensions[2]);
  }
  if (layout != AccessLayout::kLanes) {
    const bool is_image = dimensions.size() == (layout == AccessLayout::kRows ? 2 : 4) &&
                          is_side_by_side(dimensions[1]) && std::ranges::all_of(dimensions, is_row);
    if (!is_image || layout != AccessLayout::kPixels) return is_image;
    const Result<Storage> pixels =
        reshaped(permuted(storage, memory_order(4)),
                 {dimensions[0].size, dimensions[2].size * dimensions[3].size, dimensions[1].size});
    return pixels && std::ranges::all_of(pixels->dimensions, is_row);
  }
  if (!std::ranges::all_of(dimensions, is_row) || !is_side_by_side(dimensions[order.back()])) return false;
  const Storage turned = permuted(storage, order);
  uint64_t rows = 1;
  for (size_t d = 0; d + 1 < order.size(); ++d) rows *= turned.dimensions[d].size;
  const Result<Storage> matrix = reshaped(turned, {rows, turned.dimensions.back().size});
  return matrix && std::ranges::all_of(matrix->dimensions, is_row);
}

bool is_aligned_for_products(const Storage& storage, const acg::Machine& machine) {
  if (has_transfer_engines(machine)) return true;
  const uint64_t word = word_of_products(machine);
  const std::vector<size_t> order = memory_order(storage.dimensions.size());
  return storage.offset % word == 0 && std::all_of(order.begin(), order.end() - 1, [&](size_t d) {
           const StorageDimension& one = storage.dimensions[d];
           return one.size == 1 ||
                  std::ranges::all_of(one.strides, [&](const acg::Stride& step) { return step.stride % word == 0; });
         });
}

}  // namespace covenant::compiler
