/// Fixed-point scales in the form in which machines hold them (docs/reference/numerics.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The scale of a REQUANT_FIXED in units of 2^-31 and 2^-shift.
int32_t fraction_of(float scale, int32_t shift);

/// The same for an array of scales, f32, little-endian; zeros are appended up to a multiple of `multiple`.
std::vector<uint8_t> fractions_of(std::span<const uint8_t> scales, int32_t shift, size_t multiple = 1);

/// The shift of the REQUANT_FIXED that uses this constant as its scales in a tiled codelet; nothing if none does.
std::optional<int32_t> shift_of(const codelet::Codelet& tiled, const std::string& constant);

/// Scalars of REQUANT_ADD_FIXED: (a * scale_a + b * scale_b + offset) / 2^shift.
struct FixedSum {
  int32_t scale_a = 0;
  int32_t scale_b = 0;
  int32_t offset = 0;  ///< where halves are rounded up, it includes half a unit, which has that effect
  int32_t shift = 0;
};
FixedSum fixed_sum(float scale_a, float scale_b, float offset, bool rounds_half_away = false);

}  // namespace covenant::compiler
