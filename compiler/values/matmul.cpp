/// matmul: products of two activations, of which the second is packed for each image.
///
/// With a as unsigned bytes u and b as signed bytes v, and their zero points likewise:
///   sum (a - a_zp) * (b - b_zp) = sum u * v - u_zp * sum v - v_zp * sum u + K * u_zp * v_zp.
/// A narrow accumulator holds one part of it in addition (compiler/srdfg/accumulators.h): it is added, wraps within the
/// sum, and is subtracted as it wraps by itself.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/linear.h"
#include "compiler/values/products.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

/// The matrix product [rows, inner] by [inner, columns].
struct Matmul {
  size_t groups;
  size_t rows;
  size_t inner;
  size_t columns;
  bool flips_a;  ///< a is signed, and taken as unsigned
  bool flips_b;  ///< b is unsigned, and taken as signed
  uint32_t zero_a;
  uint32_t zero_b;
  Simd simd;
  Requantizer requantizer;
  uint32_t accumulator_bits;
  uint32_t zero_apart;
  bool is_turned;

  /// Narrows the sums of a row. `left` is the sum of its elements of a less their zero point, `right` that of each
  /// column of b.
  void narrow(int32_t* sums, size_t count, uint32_t left, const uint32_t* right) const {
    std::array<int32_t, kTile> more;  // NOLINT: written before it is read
    for (size_t j = 0; j < count; ++j) {
      more[j] = static_cast<int32_t>(zero_apart * (is_turned ? right[j] : left));
      sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + static_cast<uint32_t>(more[j]));
    }
    wrap(sums, count, accumulator_bits, simd);
    wrap(more.data(), count, accumulator_bits, simd);
    for (size_t j = 0; j < count; ++j) {
      sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) - static_cast<uint32_t>(more[j]));
    }
  }

  void run(const uint8_t* a, const uint8_t* b, uint8_t* y, uint8_t* scratch) const {
    const size_t size_a = groups * rows * inner;
    if (flips_a) a = flipped(a, size_a, scratch);
    for (size_t g = 0; g < groups; ++g) {
      group(a + g * rows * inner, b + g * inner * columns, y + g * rows * columns);
    }
  }

  void group(const uint8_t* a, const uint8_t* b, uint8_t* y) const {
    const uint8_t flip = flips_b ? 0x80 : 0;
    const PackedWeights right(simd, columns, 1, inner, [&](size_t o, size_t, size_t i) {
      return static_cast<int8_t>(b[i * columns + o] ^ flip);
    });
    std::vector<int32_t> starts(right.vectors() * kLanes);
    std::vector<uint32_t> column_sums(columns);
    for (size_t o = 0; o < columns; ++o) {
      column_sums[o] = right.sum(o) - static_cast<uint32_t>(inner) * zero_b;
      starts[o] = static_cast<int32_t>(static_cast<uint32_t>(inner) * zero_a * zero_b - zero_a * right.sum(o));
    }
    constexpr std::array<uint32_t, 1> kRuns{0};
    alignas(64) std::array<int32_t, kPositions * kTile> sums;  // NOLINT: written before it is read
    ProductBlock block{.runs = kRuns, .starts = starts.data(), .sums = sums.data()};
    for (size_t row = 0; row < rows; row += kPositions) {
      block.count = std::min(kPositions, rows - row);
      for (size_t k = 0; k < kPositions; ++k) {
        block.positions[k] = a + (row + std::min(k, block.count - 1)) * inner;
      }
      for (size_t vector = 0; vector < right.vectors(); vector += kVectors) {
        const size_t vectors = std::min(kVectors, right.vectors() - vector);
        multiply(right, block, vector, vectors);
        const size_t first = vector * kLanes;
        const size_t count = std::min(vectors * kLanes, columns - first);
        for (size_t k = 0; k < block.count; ++k) {
          int32_t* const own = sums.data() + k * kTile;
          const uint8_t* x = block.positions[k];
          const uint32_t elements = std::accumulate(x, x + inner, uint32_t{0});
          const uint32_t left = zero_b * elements;
          for (size_t j = 0; j < count; ++j) own[j] = static_cast<int32_t>(static_cast<uint32_t>(own[j]) - left);
          if (accumulator_bits != kWordBits) {
            narrow(own, count, elements - static_cast<uint32_t>(inner) * zero_a, column_sums.data() + first);
          }
          requantizer.finish_alike(own, count, y + (row + k) * columns + first);
        }
      }
    }
  }
};

uint32_t shifted_zero_of(const Value& value, int32_t offset) { return static_cast<uint32_t>(zero_of(value) + offset); }

}  // namespace

std::optional<Kernel> matmul_kernel(const Problem& problem) {
  if (problem.node.operation != "matmul") return {};
  if (!has_only(problem.node, {"lowest", "highest", reference::kFixedPoint, srdfg::kAccumulator, srdfg::kZeroPointApart,
                               srdfg::kTurned})) {
    return {};
  }
  const Value& a = problem.input(0);
  const Value& b = problem.input(1);
  const Value& y = problem.output();
  if (!is_byte_activation(a) || !is_byte_activation(b) || !is_byte_activation(y) || a.shape.size() != 3) return {};
  if (a.modifier == srdfg::Modifier::kParam || b.modifier == srdfg::Modifier::kParam) return {};
  const float scale = reference::product_scale(scale_of(a), scale_of(b), scale_of(y));
  const bool flips_a = is_signed(a);
  const bool flips_b = !is_signed(b);
  auto made = std::make_shared<Matmul>(Matmul{
      a.shape[0], a.shape[1], a.shape[2], b.shape[2], flips_a, flips_b, shifted_zero_of(a, flips_a ? 128 : 0),
      shifted_zero_of(b, flips_b ? -128 : 0), problem.simd,
      Requantizer(reference::limits_of(problem.node, y), {scale}, problem.simd), srdfg::accumulator_bits(problem.node),
      static_cast<uint32_t>(srdfg::optional_integer(problem.node, srdfg::kZeroPointApart, 0)),
      srdfg::optional_integer(problem.node, srdfg::kTurned, 0) != 0});
  return Kernel{flips_a ? size_of(a) + kSlack : 0,
                [=](auto inputs, uint8_t* out, uint8_t* scratch) { made->run(inputs[0], inputs[1], out, scratch); }};
}

}  // namespace covenant::compiler::values
