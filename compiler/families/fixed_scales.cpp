#include "compiler/families/fixed_scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

constexpr size_t kWord = 4;
constexpr int kFractionBits = 31, kMostSumShift = 15;
constexpr double kMostFraction = 2147483647.0, kMostFactor = 32767.0, kMostOffset = 1073741824.0;

/// `real` in units of 2^-bits, rounded to the nearest whole number.
double in_units(float real, int bits) { return std::nearbyint(std::ldexp(static_cast<double>(real), bits)); }

int32_t within(double real, double most) { return static_cast<int32_t>(std::clamp(real, -most, most)); }

/// Locals that hold parts of a constant, directly or through another local on the way.
std::set<std::string> locals_of(const codelet::Codelet& tiled, const std::string& constant) {
  std::set<std::string> locals;
  for_each_operation(tiled.body, [&](const codelet::Operation& operation, const auto& /*loops*/) {
    const auto* transfer = std::get_if<codelet::Transfer>(&operation.op);
    const auto* from = transfer == nullptr ? nullptr : std::get_if<codelet::Reference>(&transfer->source);
    if (from == nullptr) return;
    if (from->surrogate == constant || locals.contains(from->surrogate)) locals.insert(transfer->local);
  });
  return locals;
}

}  // namespace

int32_t fraction_of(float scale, int32_t shift) {
  return within(in_units(scale, kFractionBits + shift), kMostFraction);
}

std::vector<uint8_t> fractions_of(std::span<const uint8_t> scales, int32_t shift, size_t multiple) {
  const size_t count = scales.size() / kWord;
  std::vector<uint8_t> result(kWord * round_up(count, multiple));
  for (size_t i = 0; i < count; ++i) {
    float scale = 0;
    std::memcpy(&scale, &scales[i * kWord], kWord);
    const int32_t fraction = fraction_of(scale, shift);
    std::memcpy(&result[i * kWord], &fraction, kWord);
  }
  return result;
}

std::optional<int32_t> shift_of(const codelet::Codelet& tiled, const std::string& constant) {
  const std::set<std::string> locals = locals_of(tiled, constant);
  std::set<int32_t> shifts;
  for_each_operation(tiled.body, [&](const codelet::Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr || compute->capability != "REQUANT_FIXED") return;
    const auto* scales = std::get_if<codelet::Reference>(&compute->operands.at(1));
    if (scales == nullptr || !locals.contains(scales->surrogate)) return;
    const auto shift = compute->attributes.find("shift");
    shifts.insert(shift == compute->attributes.end() ? 0 : static_cast<int32_t>(shift->second.constant().value()));
  });
  check(shifts.size() <= 1, "scales have one shift");
  return shifts.empty() ? std::nullopt : std::optional(*shifts.begin());
}

FixedSum fixed_sum(float scale_a, float scale_b, float offset, bool rounds_half_away) {
  int32_t shift = 0;
  const auto has_room = [&](int32_t bits) {
    return std::abs(in_units(scale_a, bits)) <= kMostFactor && std::abs(in_units(scale_b, bits)) <= kMostFactor &&
           std::abs(in_units(offset, bits)) <= kMostOffset;
  };
  while (shift < kMostSumShift && has_room(shift + 1)) ++shift;
  const int32_t half = shift > 0 && !rounds_half_away ? 1 << (shift - 1) : 0;
  return {within(in_units(scale_a, shift), kMostFactor), within(in_units(scale_b, shift), kMostFactor),
          within(in_units(offset, shift), kMostOffset) + half, shift};
}

}  // namespace covenant::compiler
