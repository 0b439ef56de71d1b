/// Positions of the operands of its operations; a test compares them with `acg::operand_index`.
#pragma once

#include <cstddef>

#include "sim/stream/common/operands.h"

namespace covenant::sim::operand {

inline constexpr size_t kLimitAxis = 0, kLimitValue = 1;
inline constexpr size_t kFillValue = 0;
inline constexpr size_t kRunLast = 0;  // load, store

}  // namespace covenant::sim::operand
