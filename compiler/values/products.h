/// Sums of products of bytes, in which convolutions and matrix products spend most of their time.
///
/// Inputs are unsigned bytes, weights signed ones, sums wrapping 32-bit integers. An input consists of runs of bytes
/// that meet the same weights wherever the input begins: the rows of a kernel in an image, or a row of a matrix.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/values/simd.h"

namespace covenant::compiler::values {

inline constexpr size_t kLanes = 16;      ///< outputs in one vector
inline constexpr size_t kVectors = 4;     ///< vectors that are summed at once
inline constexpr size_t kPositions = 24;  ///< most inputs of one call: a multiple of what each kernel handles at once
inline constexpr size_t kTile = kLanes * kVectors;

/// Weights in the order in which a kernel reads them, padded with zeros to whole quads of inputs and vectors of
/// outputs.
class PackedWeights {
 public:
  /// element(o, r, i) is the weight of output `o` for byte `i` of run `r`.
  PackedWeights(Simd simd, size_t outputs, size_t runs, size_t run_length,
                const std::function<int8_t(size_t o, size_t r, size_t i)>& element);

  Simd simd() const { return simd_; }
  size_t outputs() const { return outputs_; }
  size_t vectors() const { return (outputs_ + kLanes - 1) / kLanes; }
  /// Groups of four bytes in a run; the last one may extend past its end.
  size_t quads() const { return quads_; }
  size_t vector_bytes() const { return vector_bytes_; }
  const uint8_t* of_vector(size_t vector) const { return bytes_.data() + vector * vector_bytes_; }
  /// The sum of all weights of an output.
  uint32_t sum(size_t output) const { return sums_[output]; }

 private:
  Simd simd_;
  size_t outputs_;
  size_t quads_;
  size_t vector_bytes_;
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> sums_;
};

struct ProductBlock {
  std::array<const uint8_t*, kPositions> positions{};  ///< start of each input
  size_t count = 0;                                    ///< number of inputs
  std::span<const uint32_t> runs{};                    ///< offset of each run from the start of its input
  const int32_t* starts = nullptr;                     ///< initial sum of each output; whole vectors
  int32_t* sums = nullptr;                             ///< [kPositions][kTile]: output j of input p at p * kTile + j
};

/// Computes `vectors` (1..kVectors) vectors of outputs from `first` on, for all inputs of a block. Reads up to three
/// bytes past each run.
void multiply(const PackedWeights& weights, const ProductBlock& block, size_t first, size_t vectors);

}  // namespace covenant::compiler::values
