/// Ways in which layers read tensors, and the storages that allow them.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// How a layer reads a tensor.
enum class AccessLayout : uint8_t {
  kImage,   ///< [N,C,H,W], channels side by side
  kPixels,  ///< the same, all pixels of an image in one dimension
  kRows,    ///< [N,C], elements of a row side by side
  kGroups,  ///< [G,M,K], elements of the last dimension side by side
  kLanes,   ///< any rank: all dimensions but the last one of an order joined
};

/// `order`: of lanes.
bool can_be_read(const Storage& storage, AccessLayout layout, const std::vector<size_t>& order);

/// True if every row of a product's operand begins where the machine can read one. Without engines that move tiles, a
/// node reads such an operand directly from memory, in whole words of its reduction.
bool is_aligned_for_products(const Storage& storage, const acg::Machine& machine);

}  // namespace covenant::compiler
