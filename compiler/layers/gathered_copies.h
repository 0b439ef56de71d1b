/// Copies whose vectors gather elements of one row, done by a product.
///
/// before: a copy of x to y that moves short runs, often one element at a time: adjacent elements of y lie in one row
/// of x, but not in its order
///
/// after: a product of each row with a matrix of 0 and 1, which makes whole vectors of y. Channel shuffles, pixels that
/// are repeated, and depth to space with channels in any order are such copies. Each way is a lowering with a name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/layers/one_hot_product.h"
#include "compiler/layers/tensor_parts.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// How a copy gathers: its loops, by what they become.
struct Gather {
  std::vector<CopyLoop> outer;  ///< around rows
  CopyLoop vectors;             ///< vectors of y that one row makes
  std::vector<CopyLoop> lanes;  ///< of a vector: contiguous in y, the innermost first
  bool operator==(const Gather&) const = default;
};

/// Elements of x from the first to the last that one row's vectors take.
uint64_t row_of(const Gather& gather);

/// How schedules call it: `rows of 96 as 2 vectors of 48`.
std::string name_of(const Gather& gather);
/// True if a name is that of a way to gather, whether or not any copy has it where its tensors lie.
bool names_gather(const std::string& name);

/// Ways that take fewer steps than the copy has runs, the best few first; none if there is no such, if the layer is no
/// copy, or if the machine has no product of the elements. Precondition: `common_steps` goes through both of its
/// tensors.
std::vector<Gather> gathers(const Network& network, const NetworkLayer& copy, const acg::Machine& machine);

/// The layer that does the work of a copy, under its name. Its tensors are appended to the network, and share the
/// allocations of x and y. Precondition: `gather` is one of `gathers`.
NetworkLayer gathered_copy(Network& network, const NetworkLayer& copy, const Gather& gather,
                           const acg::Machine& machine, TakenNames& names);

/// The same with tensors of no network: to be priced.
NetworkLayer gathered_alone(const Network& network, const NetworkLayer& copy, const Gather& gather,
                            const acg::Machine& machine);

}  // namespace covenant::compiler
