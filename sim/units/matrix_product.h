/// The integer matrix product behind a systolic pass, in one place so that another library can take its part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace covenant::sim {

/// One weight matrix, rearranged for `accumulate_products`.
class PackedWeights {
 public:
  PackedWeights(uint32_t rows, uint32_t columns);

  /// Takes the matrix at `weights`: int8[rows, columns], row-major.
  void load(const uint8_t* weights);

  uint32_t rows() const { return rows_; }
  uint32_t columns() const { return columns_; }
  /// Columns rounded up to whole vectors of 16.
  uint32_t padded_columns() const { return padded_columns_; }
  uint32_t row_pairs() const { return (rows_ + 1) / 2; }
  /// int16[row_pairs, padded_columns, 2]: element (p, j, k) is weight (2p + k, j); zero where the matrix has none.
  const int16_t* pairs() const { return pairs_.data(); }

 private:
  uint32_t rows_;
  uint32_t columns_;
  uint32_t padded_columns_;
  std::vector<int16_t> pairs_;
};

/// For v = 0, 1, ... in this order: outputs[v][j] += sum over i of inputs[v][i] * weight(i, j), wrapping at 32 bits.
///
/// `input` + input_offsets[v]: `rows` bytes, i8 or, with `is_unsigned`, u8. `output` + output_offsets[v]: `columns`
/// 32-bit integers, little-endian. Several v may name the same output. The two spans are equally long.
/// Uses AVX2 or AVX-512 where the processor has them; the result is the same everywhere.
void accumulate_products(const PackedWeights& weights, const uint8_t* input, std::span<const uint32_t> input_offsets,
                         bool is_unsigned, uint8_t* output, std::span<const uint32_t> output_offsets);

}  // namespace covenant::sim
