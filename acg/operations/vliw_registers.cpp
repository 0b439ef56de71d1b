#include "acg/operations/vliw_registers.h"

#include <array>
#include <fmt/format.h>

#include "acg/operations/vliw_traits.h"

namespace covenant::acg {
namespace {

constexpr int32_t kModifiers = 2;

/// The register file that an operand of this kind selects from.
std::optional<RegisterFile> file_of(OperandKind kind) {
  switch (kind) {
    case OperandKind::kScalar:
    case OperandKind::kScalarPair:
      return RegisterFile::kScalar;
    case OperandKind::kVector:
    case OperandKind::kVectorPair:
      return RegisterFile::kVector;
    case OperandKind::kPredicate:
      return RegisterFile::kPredicate;
    case OperandKind::kVectorPredicate:
      return RegisterFile::kVectorPredicate;
    case OperandKind::kModifier:
    case OperandKind::kControlRegister:
      return RegisterFile::kControl;
    default:
      return std::nullopt;
  }
}

class Uses {
 public:
  void add(RegisterFile file, int32_t number, Access access, std::optional<size_t> operand = {}) {
    uses_.push_back({{file, number}, access, operand});
  }

  /// Adds the registers of an operand; the upper register of a pair first.
  void add_operand(const OperandInfo& info, int32_t number, size_t operand) {
    if (info.kind == OperandKind::kControlRegister) return add_control(number, info.access, operand);
    const std::optional<RegisterFile> file = file_of(info.kind);
    if (!file) return;
    if (info.kind == OperandKind::kModifier) number += kFirstModifier;
    if (is_pair(info.kind)) add(*file, number + 1, info.access, operand);
    add(*file, number, info.access, operand);
  }

  std::vector<RegisterUse> take() { return std::move(uses_); }

 private:
  /// Control register 4 is all predicates together.
  void add_control(int32_t number, Access access, size_t operand) {
    if (number != kAllPredicates) return add(RegisterFile::kControl, number, access, operand);
    for (int32_t i = 0; i < count_of(RegisterFile::kPredicate); ++i) add(RegisterFile::kPredicate, i, access, operand);
  }

  std::vector<RegisterUse> uses_;
};

}  // namespace

std::optional<int32_t> highest_number(const OperandInfo& operand) {
  if (operand.kind == OperandKind::kModifier) return kModifiers - 1;
  const std::optional<RegisterFile> file = file_of(operand.kind);
  return file ? count_of(*file) - (is_pair(operand.kind) ? 2 : 1) : operand.highest;
}

std::optional<size_t> predicate_read(const Instruction& instruction) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == OperandKind::kPredicate && reads(operands[i].access)) return i;
  }
  return std::nullopt;
}

std::string name_of(const Register& named) {
  constexpr std::array<char, 5> kLetters{'r', 'v', 'p', 'q', 'c'};
  return fmt::format("{}{}", kLetters.at(static_cast<size_t>(named.file)), named.number);
}

std::vector<RegisterUse> register_uses(const Instruction& instruction) {
  Uses uses;
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) uses.add_operand(operands[i], instruction.operands[i], i);
  if (has(instruction, VliwTrait::kLink)) uses.add(RegisterFile::kScalar, kLinkRegister, Access::kWrite);
  if (has(instruction, VliwTrait::kFrame)) {
    const bool is_store = has(instruction, VliwTrait::kStore);
    uses.add(RegisterFile::kScalar, is_store ? kFrameRegister : kStackRegister, Access::kWrite);
  }
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
