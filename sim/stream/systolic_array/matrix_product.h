/// The integer matrix product of a systolic pass, in one place so that another library can replace it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "acg/base/rounding.h"

namespace covenant::sim {

/// Ways to compute products; all give the same bits. kVnni: four 8-bit products per lane (AVX-512 VNNI). kPairs: two
/// 16-bit products per lane (AVX2). kPortable: plain C++.
enum class ProductKernel : uint8_t { kPortable, kPairs, kVnni };
/// Those that this processor can run, the fastest of bytes last.
std::vector<ProductKernel> product_kernels();

/// Bits of the elements: 4, 8 or 16.
struct ProductElements {
  uint32_t input_bits = 8;
  uint32_t weight_bits = 8;
  bool operator==(const ProductElements&) const = default;
};

/// Weight matrices, rearranged for a kernel: `matrices` of them, whose products are added up, for each of `tiles` that
/// are adjacent and share their inputs.
class PackedWeights {
 public:
  PackedWeights(uint32_t rows, uint32_t columns, size_t matrices, size_t tiles = 1,
                ProductKernel kernel = product_kernels().back(), ProductElements elements = {});

  /// Takes them: matrix s of tile t is at `weights` + matrices[s] + tiles[t], signed [rows, columns], row-major,
  /// packed.
  void load(const uint8_t* weights, std::span<const uint32_t> matrices, std::span<const uint32_t> tiles);

  uint32_t rows() const { return rows_; }
  uint32_t columns() const { return columns_; }
  size_t matrices() const { return matrices_; }
  size_t tiles() const { return tiles_; }
  /// kPairs in the place of kVnni if there are elements of 16 bits.
  ProductKernel kernel() const { return kernel_; }
  const ProductElements& elements() const { return elements_; }
  /// Rows that share a 32-bit lane: 4 of 8 bits (kVnni) or 2 of 16 bits.
  uint32_t group_rows() const { return kernel_ == ProductKernel::kVnni ? 4 : 2; }
  uint32_t groups() const { return ceil_divide(rows_, group_rows()); }
  /// Columns of a tile rounded up to whole vectors of 16.
  uint32_t tile_columns() const { return tile_columns_; }
  /// Those of all tiles.
  size_t padded_columns() const { return tiles_ * tile_columns_; }
  /// The lane of matrix s, row group g, tile t and column j, at (s * groups + g) * padded_columns + t * tile_columns +
  /// j; zero where the matrix has no element.
  const uint32_t* lanes() const { return lanes_.get(); }
  /// Corrections for inputs that are shifted by half of their range, from the sum of each column of all matrices.
  /// kVnni: -128 times that sum for signed inputs; for 16-bit inputs, 32768 times that sum for unsigned ones.
  const int32_t* starts() const { return starts_.data(); }

 private:
  void load_quads(const uint8_t* weights, std::span<const uint32_t> matrices, size_t tile);
  void load_unpacked(const uint8_t* weights, std::span<const uint32_t> matrices, size_t tile);
  void load_pairs(const uint8_t* weights, size_t matrix, size_t tile);

  uint32_t rows_;
  uint32_t columns_;
  size_t matrices_;
  size_t tiles_;
  ProductKernel kernel_;
  ProductElements elements_;
  uint32_t tile_columns_;
  std::unique_ptr<uint32_t[]> lanes_;
  std::vector<int32_t> starts_;
};

/// Input vectors of a product: vector v of matrix s is at `start` + vectors[v] + matrices[s], `rows` packed
/// elements with a sign or, with `is_unsigned`, without.
struct ProductInputs {
  const uint8_t* start = nullptr;
  std::span<const uint32_t> vectors;
  std::span<const uint32_t> matrices;
  bool is_unsigned = false;
};

/// Output vectors of a product: vector v of tile t is at `start` + vectors[v] + tiles[t], `columns` 32-bit integers,
/// little-endian.
struct ProductOutputs {
  uint8_t* start = nullptr;
  std::span<const uint32_t> vectors;
  std::span<const uint32_t> tiles;
};

/// For v = 0, 1, ... in this order: outputs[v][t][j] += sum over s and i of inputs[v][s][i] * weight(s, t, i, j),
/// wrapping at 32 bits. Several v may name the same output. There are as many inputs as outputs.
void accumulate_products(const PackedWeights& weights, const ProductInputs& inputs, const ProductOutputs& outputs);

}  // namespace covenant::sim
