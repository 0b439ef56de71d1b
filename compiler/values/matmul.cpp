/// matmul: of two activations, of which the second is packed for each image.
///
/// With a as unsigned bytes u and b as signed ones v, and their zero points alike:
/// sum (a - a_zp) * (b - b_zp) = sum u * v - u_zp * sum v - v_zp * sum u + K * u_zp * v_zp.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "compiler/srdfg/queries.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/linear.h"
#include "compiler/values/products.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

/// One product of matrices [rows, inner] by [inner, columns].
struct Matmul {
  size_t groups;
  size_t rows;
  size_t inner;
  size_t columns;
  bool flips_a;  ///< signed, and taken as unsigned
  bool flips_b;  ///< unsigned, and taken as signed
  uint32_t zero_a;
  uint32_t zero_b;
  Simd simd;
  Requantizer requantizer;

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
    for (size_t o = 0; o < columns; ++o) {
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
          const uint32_t left = zero_b * std::accumulate(x, x + inner, uint32_t{0});
          for (size_t j = 0; j < count; ++j) own[j] = static_cast<int32_t>(static_cast<uint32_t>(own[j]) - left);
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
  if (!has_only(problem.node, {"lowest", "highest", reference::kFixedPoint})) return {};
  const Value& a = problem.input(0);
  const Value& b = problem.input(1);
  const Value& y = problem.output();
  if (!is_byte_activation(a) || !is_byte_activation(b) || !is_byte_activation(y) || a.shape.size() != 3) return {};
  if (a.modifier == srdfg::Modifier::kParam || b.modifier == srdfg::Modifier::kParam) return {};
  const float scale = reference::product_scale(scale_of(a), scale_of(b), scale_of(y));
  const bool flips_a = is_signed(a);
  const bool flips_b = !is_signed(b);
  auto made = std::make_shared<Matmul>(
      Matmul{a.shape[0], a.shape[1], a.shape[2], b.shape[2], flips_a, flips_b, shifted_zero_of(a, flips_a ? 128 : 0),
             shifted_zero_of(b, flips_b ? -128 : 0), problem.simd,
             Requantizer(reference::limits_of(problem.node, y), {scale}, problem.simd)});
  return Kernel{flips_a ? size_of(a) + kSlack : 0,
                [=](auto inputs, uint8_t* out, uint8_t* scratch) { made->run(inputs[0], inputs[1], out, scratch); }};
}

}  // namespace covenant::compiler::values
