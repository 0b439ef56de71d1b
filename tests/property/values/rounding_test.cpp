/// Requantised sums are those of the reference operators, for any sum and any scales of one layer.
#include "compiler/values/rounding.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "tests/support/seed.h"

namespace covenant::compiler::values {
namespace {

/// Scales of a layer, the greatest within [2^(e-1), 2^e), some of them a millionth of it.
std::vector<float> drawn_scales(std::mt19937_64& generator, size_t count) {
  std::uniform_real_distribution<double> octaves(-26, 0);
  const double greatest = std::uniform_real_distribution<double>(-20, 4)(generator);
  const bool is_power = generator() % 2 == 0;
  std::vector<float> scales{static_cast<float>(std::exp2(is_power ? std::round(greatest) : greatest))};
  while (scales.size() < count) scales.push_back(static_cast<float>(std::exp2(greatest + octaves(generator))));
  return scales;
}

/// Sums of any magnitude.
std::vector<int32_t> drawn_sums(std::mt19937_64& generator, size_t count) {
  std::vector<int32_t> sums;
  while (sums.size() < count) {
    const auto bits = static_cast<uint32_t>(generator());
    if (bits % 4 == 0) {  // a half, of some shift, of scales that are powers of two
      sums.push_back((2 * static_cast<int32_t>(generator() % 256) - 255) * (1 << generator() % 16));
      continue;
    }
    sums.push_back(static_cast<int32_t>(bits) >> (generator() % 31));
  }
  return sums;
}

TEST(Rounding, AnySumByAnyScale) {
  constexpr size_t kOutputs = 300;
  std::mt19937_64 generator(test::seed());
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const std::vector<float> scales = drawn_scales(generator, kOutputs);
    std::vector<int32_t> sums = drawn_sums(generator, kOutputs);
    const bool is_signed = generator() % 2 == 0;
    const int32_t least = is_signed ? -128 : 0;
    reference::Limits limits{
        least + static_cast<int32_t>(generator() % 256), least, least + 255, trial % 3 != 0, trial % 3 == 1, 0};
    limits.shift = reference::fixed_shift(scales);
    for (const SimdName& entry : kSimdNames) {
      if (!has(entry.simd)) continue;
      const Requantizer requantizer(limits, scales, entry.simd);
      std::vector<uint8_t> bytes(kOutputs);
      requantizer.finish(sums.data() + 5, 5, kOutputs - 5, bytes.data() + 5);
      std::vector<uint8_t> alike(kOutputs);
      requantizer.finish_alike(sums.data(), kOutputs, alike.data());
      for (size_t o = 0; o < kOutputs; ++o) {
        const auto by = [&](float scale) {
          return static_cast<uint8_t>(reference::requantize(sums[o], scale, limits));
        };
        if (o >= 5) {
          ASSERT_EQ(bytes[o], by(scales[o])) << entry.name << ": " << sums[o] << " by " << scales[o];
        }
        ASSERT_EQ(alike[o], by(scales[0])) << entry.name << ": " << sums[o] << " by " << scales[0];
      }
    }
  }
}

TEST(Rounding, SumsWrapInTheirPlace) {
  std::mt19937_64 generator(test::seed());
  for (uint32_t bits = 2; bits <= 32; ++bits) {
    const std::vector<int32_t> sums = drawn_sums(generator, 300);
    const int64_t range = int64_t{1} << bits;
    for (const SimdName& entry : kSimdNames) {
      if (!has(entry.simd)) continue;
      std::vector<int32_t> made = sums;
      wrap(made.data(), made.size(), bits, entry.simd);
      for (size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ((int64_t{made[i]} - sums[i]) % range, 0) << entry.name << ", " << bits << " bits";
        ASSERT_GE(made[i], -range / 2);
        ASSERT_LT(made[i], range / 2);
      }
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::values
