#include "compiler/target/vliw/scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "acg/base/rounding.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kLanes = 32, kWord = 4;
constexpr int kFractionBits = 31;
// A vasrwv shifts by -31 to 31, and 1 is left to do.
constexpr int kLeastShift = -31, kMostShift = 31;

}  // namespace

FixedScale fixed_scale(float scale) {
  int exponent = 0;
  const double fraction = std::ldexp(std::frexp(static_cast<double>(scale), &exponent), kFractionBits);
  return {static_cast<int32_t>(fraction), std::clamp(-exponent - 1, kLeastShift, kMostShift)};
}

std::vector<uint8_t> fixed_scales(std::span<const uint8_t> scales) {
  const size_t count = scales.size() / kWord;
  std::vector<uint8_t> result(2 * kWord * round_up(count, kLanes));
  for (size_t i = 0; i < count; ++i) {
    float scale = 0;
    std::memcpy(&scale, &scales[i * kWord], kWord);
    const FixedScale fixed = fixed_scale(scale);
    uint8_t* const to = &result[2 * kWord * kLanes * (i / kLanes) + kWord * (i % kLanes)];
    std::memcpy(to, &fixed.fraction, kWord);
    std::memcpy(to + kWord * kLanes, &fixed.shift, kWord);
  }
  return result;
}

}  // namespace covenant::compiler::vliw
