/// Positions of the operands of its operations; a test compares them with `acg::operand_index`.
#pragma once

#include <cstddef>

#include "sim/stream/common/operands.h"

namespace covenant::sim::operand {

inline constexpr size_t kSimdTripLevel = 0, kSimdTripLast = 1;
inline constexpr size_t kReduceFirstLevel = 0;
inline constexpr size_t kEntryMemory = 0, kEntryIndex = 1, kEntryValue = 2;  // base, stride and their high parts
inline constexpr size_t kEntryPart = 3, kImmediatePart = 2;                  // position of `part` in words for high
                                                                             // parts
inline constexpr size_t kImmediateSlot = 0, kImmediateValue = 1;
inline constexpr size_t kTypeDst = 0, kTypeSrc1 = 1, kTypeSrc2 = 2;
inline constexpr size_t kZeroPoint = 0, kLowest = 1, kHighest = 2;
inline constexpr size_t kTableIndex = 0, kTableValue = 1;
/// Compute words and index: memory of operand k (0 dst, 1 src1, 2 src2) at 2k, its entry at 2k + 1.
constexpr size_t memory_of(size_t k) { return 2 * k; }
constexpr size_t entry_of(size_t k) { return 2 * k + 1; }

}  // namespace covenant::sim::operand
