/// Computes all outputs of any number of inputs that share the same weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/values/products.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {

/// Weights, with everything that turns their sums into stored bytes.
struct Outputs {
  /// `starts`: the initial sum of each output.
  Outputs(PackedWeights packed, std::vector<int32_t> starts, Requantizer requantizer, size_t first_output);

  PackedWeights weights;
  std::vector<int32_t> starts;  ///< whole vectors
  Requantizer requantizer;
  size_t first;  ///< index of the first of them among all outputs of the layer
};

/// For each input p, which begins at `x` + positions[p] and whose runs begin at `runs` from there: writes its outputs
/// from y + p * step + first on.
void make_outputs(const Outputs& outputs, const uint8_t* x, std::span<const uint32_t> positions,
                  std::span<const uint32_t> runs, uint8_t* y, size_t step);

}  // namespace covenant::compiler::values
