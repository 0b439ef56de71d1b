/// Row of `systolic_array`, and its nodes in random machines.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/random_unit.h"

namespace covenant::runtime::units {

extern const RandomUnit kSystolicArray;

/// Properties that all systolic arrays of one machine share.
struct DrawnArray {
  int64_t rows = 1, columns = 1;
  int64_t element_bits = 8;       ///< of inputs and weights
  int64_t accumulator_bits = 32;  ///< width of sums
  bool saturates = false;
};

/// Names of the memories in the roles of an array.
struct ArrayMemories {
  std::string input, weight, bias, output;
};

/// The node as `.acg` text.
std::string array_text(const std::string& name, const DrawnArray& drawn, const ArrayMemories& memories);

}  // namespace covenant::runtime::units
