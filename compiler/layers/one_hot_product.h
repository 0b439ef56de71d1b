/// Products of rows of a tensor with a matrix of 0 and 1: each element of the result is one of its row. A sum with one
/// product that is not 0 is exact, so the bytes are those of a copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/layers/tensor_parts.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Loops around the rows of a product: dimensions A, B, D, I, T of the codelet `transpose`.
inline constexpr size_t kRowLoops = 5;

/// One loop of a copy: steps through x and y.
struct CopyLoop {
  uint64_t count = 1;
  uint64_t in_x = 0;
  uint64_t in_y = 0;
  bool operator==(const CopyLoop&) const = default;
};

/// Loops of a copy that run more than once.
std::vector<CopyLoop> loops_of(const Network& network, const NetworkLayer& copy);

/// Steps of `loops` through x or y, after as many loops of one iteration as make them `count`.
std::vector<acg::Stride> steps_of(const std::vector<CopyLoop>& loops, size_t count, uint64_t CopyLoop::* step);

/// The machine multiplies elements of this copy.
bool has_one_hot_products(const NetworkLayer& copy, const acg::Machine& machine);

/// Appends `loops` of a tensor as one of its own, which shares its allocation.
size_t add_loops(Network& network, TakenNames& names, const std::string& name, size_t of, uint64_t offset,
                 const std::vector<acg::Stride>& loops);

/// The product that does the work of a copy, or of a part of it.
/// \param rows activation of shape [A,B,D,I,T,K], its rows contiguous
/// \param made activation of shape [A,B,D,I,T,C,L]: C vectors of each row
/// \param chosen of each element of [C,L], the element of the row that it is
NetworkLayer one_hot_product(const Network& network, const NetworkLayer& copy, const std::string& name, size_t rows,
                             size_t made, const std::vector<uint64_t>& chosen);

}  // namespace covenant::compiler
