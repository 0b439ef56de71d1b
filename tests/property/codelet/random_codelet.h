/// Random codelets and machines, small enough to interpret thousands of them.
#pragma once

#include <random>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::testing {

using Random = std::mt19937_64;

/// Capabilities of a machine's nodes, as far as random codelets need them.
struct Abilities {
  std::vector<DType> elementwise;  ///< ADD SUB MUL MAX MIN MOVE of two tensors of this dtype
  bool has_relu = false;
  bool constants = false;  ///< ADD, MAX and MIN with an i32 constant
  std::vector<DType> reduce_max;
  std::vector<DType> reduce_sum;  ///< to i32
  bool has_gemm = false;          ///< i32 = i8 x i8 + i32
};

struct RandomMachine {
  acg::Machine machine;
  Abilities abilities;
};

/// Off-chip memory, perhaps one level between, one or two scratchpads and one to three nodes of random granularities
/// that share them: described, not simulated.
RandomMachine random_described_machine(Random& random);

/// GeneSys of a random array with random small memories.
RandomMachine random_genesys_machine(Random& random);

/// A bound codelet of one to three nests of loops, in random order, around chains of computes, reductions over windows
/// or a product of matrices, on tensors of one to four dimensions. Its indices stay inside or meet a fill.
codelet::Codelet random_codelet(Random& random, const Abilities& abilities);

}  // namespace covenant::compiler::testing
