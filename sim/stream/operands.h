/// Positions of the operands of operations, as listed on the unit pages; a test compares them with
/// `acg::operand_index`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"
#include "sim/common/fault.h"

namespace covenant::sim::operand {

inline constexpr size_t kGroupEngine = 0, kGroupCount = 1;
inline constexpr size_t kBlockEndLast = 0;
inline constexpr size_t kLoopLevel = 0, kLoopLast = 1, kLoopReduction = 2;  // loop, trip; end has the level only
inline constexpr size_t kTokenMemory = 0, kTokenSlot = 1, kTokenState = 2;  // wait, post
inline constexpr size_t kBaseOperand = 0, kBaseHalf = 1, kBaseSlot = 2, kBaseValue = 3;
inline constexpr size_t kStrideOperand = 0, kStrideLevel = 1, kStrideHalf = 2, kStrideValue = 3;
inline constexpr size_t kLimitAxis = 0, kLimitValue = 1;
inline constexpr size_t kFillValue = 0;
inline constexpr size_t kRunLast = 0;  // load, store
inline constexpr size_t kInputType = 0;
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

inline uint32_t unsigned_value(const acg::Instruction& instruction, size_t position) {
  return static_cast<uint32_t>(instruction.operands[position]);
}

/// A count of iterations or bytes. Fault: SIM0023 if it is larger than the units allow, however wide the field is.
inline uint32_t count_value(const acg::Instruction& instruction, size_t position) {
  const uint32_t count = unsigned_value(instruction, position);
  if (count > acg::kMostCount) {
    raise("SIM0023", "a unit counts to less", fmt::format("{}", count), {fmt::format("0..{}", acg::kMostCount)},
          "cut the loop, or the transfer, into several");
  }
  return count;
}

}  // namespace covenant::sim::operand
