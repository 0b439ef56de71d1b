/// Scales of REQUANT_FIXED as the core reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace covenant::compiler::vliw {

/// A scale is fraction * 2^-31 * 2^-shift (docs/reference/numerics.md).
struct FixedScale {
  int32_t fraction = 0;
  int32_t shift = 0;  ///< less 1: what is left is a shift by 1 that rounds
};
FixedScale fixed_scale(float scale);

/// Vectors of 32 fractions, each followed by the vector of their shifts. `scales`: f32, little-endian; the last vector
/// is filled with zeros.
std::vector<uint8_t> fixed_scales(std::span<const uint8_t> scales);

}  // namespace covenant::compiler::vliw
