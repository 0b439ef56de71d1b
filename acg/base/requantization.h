/// Ways in which machines scale 32-bit sums back to quantised values (docs/reference/numerics.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/base/named_value.h"

namespace covenant {

enum class Requantization : uint8_t {
  kFloat,       ///< single-precision floating point
  kFixed,       ///< fixed point; the shift after the product rounds halves up
  kFixedTflite  ///< fixed point; the shift after the product rounds halves away from zero, as TensorFlow Lite does
};

/// The words that `requant = ...` takes.
inline constexpr std::array<acg::NamedValue<Requantization>, 3> kRequantizations{
    {{Requantization::kFloat, "fp32"},
     {Requantization::kFixed, "fixed"},
     {Requantization::kFixedTflite, "fixed_tflite"}}};

}  // namespace covenant
