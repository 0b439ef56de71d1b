/// Parts of tensors, seen by layers that take the place of another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/network/network.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler {

/// Names of a network that are taken.
struct TakenNames {
  srdfg::Names tensors, layers;
};
TakenNames names_in(const Network& network);

/// Elements of an activation, by the steps of each dimension.
struct TensorPart {
  size_t of = 0;        ///< an activation
  uint64_t offset = 0;  ///< from its first element
  std::vector<StorageDimension> dimensions;
};

/// Appends an activation that shares the allocation of `part.of`; its name begins with `name`. Returns its index.
size_t add_part(Network& network, TakenNames& names, const std::string& name, TensorPart part);

}  // namespace covenant::compiler
