/// Copies that exchange the innermost dimensions of a tensor, done by runs of elements and a product.
///
/// before: a copy of x, in which elements along i are contiguous, to y, in which those along j are: it moves one
/// element at a time, because no vector of x is a vector of y
///
/// after: a copy of runs along i, to tiles of all lanes along j; then a product of each tile with a permutation, which
/// makes vectors along j. A sum with one product that is not 0 is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/layers/tensor_parts.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Elements of a run for which `transposed_copy` makes layers, shortest first; none if the copy moves vectors as it is,
/// or if the machine has no product of its elements.
std::vector<uint64_t> run_lengths(const Network& network, const NetworkLayer& copy, const acg::Machine& machine);

/// The layers that do the work of a copy, in their order. Their tensors are appended to the network; those within x and
/// y share their allocations. Elements that fill no run or no vector are copied as before, by layers at the end.
/// Precondition: `run` is one of `run_lengths`.
std::vector<NetworkLayer> transposed_copy(Network& network, const NetworkLayer& copy, uint64_t run,
                                          const acg::Machine& machine, TakenNames& names);

}  // namespace covenant::compiler
