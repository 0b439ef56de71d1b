#include "acg/isa/vliw_registers.h"

#include <array>
#include <fmt/format.h>

#include "acg/isa/vliw_traits.h"

namespace covenant::acg {
namespace {

constexpr int32_t kPredicateCount = 4;

class Uses {
 public:
  void add(RegisterFile file, int32_t number, Access access, std::optional<size_t> operand = {}) {
    uses_.push_back({{file, number}, access, operand});
  }

  void add_operand(const OperandInfo& info, int32_t number, size_t operand) {
    switch (info.kind) {
      case OperandKind::kScalarPair:
        add(RegisterFile::kScalar, number + 1, info.access, operand);
        [[fallthrough]];
      case OperandKind::kScalar:
        add(RegisterFile::kScalar, number, info.access, operand);
        break;
      case OperandKind::kVectorPair:
        add(RegisterFile::kVector, number + 1, info.access, operand);
        [[fallthrough]];
      case OperandKind::kVector:
        add(RegisterFile::kVector, number, info.access, operand);
        break;
      case OperandKind::kPredicate:
        add(RegisterFile::kPredicate, number, info.access, operand);
        break;
      case OperandKind::kVectorPredicate:
        add(RegisterFile::kVectorPredicate, number, info.access, operand);
        break;
      case OperandKind::kModifier:
        add(RegisterFile::kControl, kFirstModifier + number, info.access, operand);
        break;
      case OperandKind::kControlRegister:
        add_control(number, info.access, operand);
        break;
      default:
        break;
    }
  }

  std::vector<RegisterUse> take() { return std::move(uses_); }

 private:
  /// The predicates are a control register, too.
  void add_control(int32_t number, Access access, size_t operand) {
    if (number != kAllPredicates) return add(RegisterFile::kControl, number, access, operand);
    for (int32_t i = 0; i < kPredicateCount; ++i) add(RegisterFile::kPredicate, i, access, operand);
  }

  std::vector<RegisterUse> uses_;
};

}  // namespace

std::string name_of(const Register& named) {
  constexpr std::array<char, 5> kLetters{'r', 'v', 'p', 'q', 'c'};
  return fmt::format("{}{}", kLetters.at(static_cast<size_t>(named.file)), named.number);
}

std::vector<RegisterUse> register_uses(const Instruction& instruction) {
  Uses uses;
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) uses.add_operand(operands[i], instruction.operands[i], i);
  if (has(instruction, VliwTrait::kLink)) uses.add(RegisterFile::kScalar, kLinkRegister, Access::kWrite);
  if (has(instruction, VliwTrait::kInnerLoop)) {
    uses.add(RegisterFile::kControl, kInnerStart, Access::kWrite);
    uses.add(RegisterFile::kControl, kInnerCount, Access::kWrite);
  }
  if (has(instruction, VliwTrait::kOuterLoop)) {
    uses.add(RegisterFile::kControl, kOuterStart, Access::kWrite);
    uses.add(RegisterFile::kControl, kOuterCount, Access::kWrite);
  }
  return uses.take();
}

}  // namespace covenant::acg
