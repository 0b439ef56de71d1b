/// Builds instructions from the names of their operands.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "acg/operations/operation.h"

namespace covenant::compiler::stream {

/// `instruction(Operation::kEnd, {{"level", 2}})`; operands that are not named are 0.
inline acg::Instruction instruction(acg::Operation operation,
                                    std::initializer_list<std::pair<std::string_view, int64_t>> operands) {
  acg::Instruction made;
  made.operation = operation;
  for (const auto& [name, value] : operands) {
    made.operands.at(acg::operand_index(operation, name)) = static_cast<int32_t>(value);
  }
  return made;
}

}  // namespace covenant::compiler::stream
