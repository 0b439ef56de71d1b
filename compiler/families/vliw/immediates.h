/// Decides which constants an instruction can hold without an extender.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "acg/graph/graph.h"

namespace covenant::compiler::vliw {

class Immediates {
 public:
  /// Keeps no reference to the machine.
  explicit Immediates(const acg::Machine& machine);

  /// True if operand number `operand` of the operation can be `value` in the bits of its own word. Precondition: a
  /// mnemonic of the machine has the operand.
  bool hold(acg::Operation does, size_t operand, int64_t value) const;

 private:
  struct Field {
    int64_t lowest = 0, highest = 0, scale = 1;
  };
  std::map<std::pair<acg::Operation, size_t>, Field> fields_;
};

}  // namespace covenant::compiler::vliw
