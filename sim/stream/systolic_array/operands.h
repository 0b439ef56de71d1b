/// Positions of the operands of its operations; a test compares them with `acg::operand_index`.
#pragma once

#include <cstddef>

#include "sim/stream/common/operands.h"

namespace covenant::sim::operand {

inline constexpr size_t kInputType = 0;

}  // namespace covenant::sim::operand
