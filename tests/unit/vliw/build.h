/// Builds code for the machine `hvx` instruction by instruction.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <vector>

#include "acg/lang/load.h"
#include "compiler/families/vliw/address_assignment.h"
#include "compiler/families/vliw/allocate.h"
#include "compiler/families/vliw/packetize.h"
#include "compiler/families/vliw/writer.h"

namespace covenant::compiler::vliw::testing {

using acg::RegisterFile;
using enum acg::VliwOperation;

inline const acg::Machine& hvx() {
  static const acg::Machine machine = *acg::load_machine("hvx");
  return machine;
}

inline CodeInstruction make(acg::VliwOperation operation, std::initializer_list<CodeOperand> operands,
                            uint32_t object = 0, bool is_extended = false) {
  CodeInstruction made{{operation_of(operation), {}}, is_extended, object};
  size_t at = 0;
  for (const CodeOperand& operand : operands) made.instruction.operands[at++] = operand.value;
  return made;
}

inline Name upper(Name pair) { return {pair.number, true}; }

/// Number of packets in each loop in order, those outside of loops first.
inline void count_packets(const std::vector<PacketStep>& steps, std::vector<size_t>& counts, size_t at = 0) {
  counts.resize(std::max(counts.size(), at + 1));
  for (const PacketStep& step : steps) {
    if (const auto* loop = std::get_if<PacketLoop>(&step)) {
      counts.emplace_back();
      count_packets(loop->body, counts, counts.size() - 1);
    } else {
      ++counts[at];
    }
  }
}

}  // namespace covenant::compiler::vliw::testing
