/// Positions of the operands of operations that engines and several unit kinds have, as listed on the unit pages; a
/// test compares them with `acg::operand_index`.
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
