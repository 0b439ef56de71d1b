#include "compiler/families/vliw/immediates.h"

namespace covenant::compiler::vliw {

Immediates::Immediates(const acg::Machine& machine) {
  for (const acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (const acg::Field& field : mnemonic.fields) {
      if (field.operand.empty()) continue;
      const size_t operand = acg::operand_index(mnemonic.does, field.operand);
      fields_.emplace(std::pair{mnemonic.does, operand},
                      Field{acg::lowest_value(field), acg::highest_value(field), field.scale});
    }
  }
}

bool Immediates::hold(acg::Operation does, size_t operand, int64_t value) const {
  const Field& field = fields_.at({does, operand});
  return value >= field.lowest && value <= field.highest && value % field.scale == 0;
}

}  // namespace covenant::compiler::vliw
