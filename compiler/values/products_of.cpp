#include "compiler/values/products_of.h"

#include <algorithm>

namespace covenant::compiler::values {
namespace {

/// Bytes of weights that are read again for each block of inputs: half of a common second-level cache.
constexpr size_t kHeldBytes = size_t{512} * 1024;

}  // namespace

Outputs::Outputs(PackedWeights packed, std::vector<int32_t> begins, Requantizer finishing, size_t first_output)
    : weights(std::move(packed)), starts(std::move(begins)), requantizer(std::move(finishing)), first(first_output) {
  starts.resize(weights.vectors() * kLanes);
}

void make_outputs(const Outputs& outputs, const uint8_t* x, std::span<const uint32_t> positions,
                  std::span<const uint32_t> runs, uint8_t* y, size_t step) {
  const PackedWeights& weights = outputs.weights;
  // All inputs pass by as many outputs as fit, while the weights of these stay in the cache.
  const size_t tile_bytes = kVectors * weights.vector_bytes();
  const size_t tiles_held = std::max<size_t>(1, kHeldBytes / std::max<size_t>(1, tile_bytes));
  alignas(64) std::array<int32_t, kPositions * kTile> sums;  // NOLINT: written before it is read
  ProductBlock block{.runs = runs, .starts = outputs.starts.data(), .sums = sums.data()};
  for (size_t held = 0; held < weights.vectors(); held += tiles_held * kVectors) {
    const size_t last = std::min(weights.vectors(), held + tiles_held * kVectors);
    for (size_t p = 0; p < positions.size(); p += kPositions) {
      block.count = std::min(kPositions, positions.size() - p);
      for (size_t k = 0; k < kPositions; ++k) block.positions[k] = x + positions[p + std::min(k, block.count - 1)];
      for (size_t vector = held; vector < last; vector += kVectors) {
        const size_t vectors = std::min(kVectors, last - vector);
        multiply(weights, block, vector, vectors);
        const size_t output = vector * kLanes;
        const size_t count = std::min(vectors * kLanes, weights.outputs() - output);
        for (size_t k = 0; k < block.count; ++k) {
          outputs.requantizer.finish(sums.data() + k * kTile, outputs.first + output, count,
                                     y + (p + k) * step + outputs.first + output);
        }
      }
    }
  }
}

}  // namespace covenant::compiler::values
