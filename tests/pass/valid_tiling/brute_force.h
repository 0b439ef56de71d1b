/// Valid tilings of the benchmark layers from independent formulas: without codelets, passes or other code of the
/// compiler.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "compiler/benchmarks/layers.h"

namespace covenant::compiler::testing {

/// A memory as the check needs it, in bits.
struct Room {
  uint64_t element = 8;  ///< data_width x banks: what every tile that comes or goes is a multiple of
  uint64_t buffer = 0;   ///< bytes of one buffer; 0: unlimited
};

/// A machine as far as a product of matrices meets it: what the node takes at once, and where each operand goes.
struct ProductMachine {
  std::string name;
  int64_t rows = 1;     ///< rows of the reduction at once
  int64_t columns = 1;  ///< columns of the result at once
  Room outermost;
  std::map<std::string, Room> rooms;
  std::string inputs, weights, biases, sums;
  /// The memory through which sums leave, if theirs has no path out.
  std::string exit;
};

/// Tile size of each loop, by the name of its variable in the library's codelets.
using NamedTiling = std::map<std::string, int64_t>;

/// Table 3 of the paper and the published designs of GeneSys, written down anew.
ProductMachine product_machine(const std::string& name);

std::set<NamedTiling> brute_force(const BenchmarkLayer& layer, const ProductMachine& machine);

}  // namespace covenant::compiler::testing
