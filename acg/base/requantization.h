/// How a machine scales sums (docs/reference/numerics.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/base/named_value.h"

namespace covenant {

enum class Requantization : uint8_t {
  kFloat,       ///< in single precision
  kFixed,       ///< in fixed point; the shift after the product rounds halves up
  kFixedTflite  ///< in fixed point; the shift after the product rounds halves away from zero, as TensorFlow Lite does
};

/// What `requant = ...` says.
inline constexpr std::array<acg::NamedValue<Requantization>, 3> kRequantizations{
    {{Requantization::kFloat, "fp32"},
     {Requantization::kFixed, "fixed"},
     {Requantization::kFixedTflite, "fixed_tflite"}}};

}  // namespace covenant
