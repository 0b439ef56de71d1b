/// Random instructions and packets of the machine `hvx`.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "acg/isa/vliw/packet.h"
#include "acg/lang/load.h"
#include "acg/operations/vliw_traits.h"
#include "tests/property/acg/random_source.h"

namespace covenant::acg::testing {

inline Machine hvx() {
  const Result<Machine> machine = load_machine("hvx");
  if (machine) return *machine;
  ADD_FAILURE() << render(machine.error());
  return {};
}

/// A value that `field` can carry; the limits come often. Registers below `registers`.
inline int32_t random_operand(RandomSource& random, const Field& field, const OperandInfo& operand,
                              int64_t registers = 32) {
  if (field.kind == FieldKind::kEnumeration) {
    for (;;) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(field.values.size()) - 1));
      const std::string& name = field.values[at];
      // Registers without a name of their own, and the one that cannot be written, are nothing to compare.
      if (name == "pc" || (name.starts_with('c') && name != "cs0" && name != "cs1" && name != "c5")) continue;
      return static_cast<int32_t>(at);
    }
  }
  if (field.kind == FieldKind::kFixed) return static_cast<int32_t>(field.constant);
  const int64_t count = int64_t{1} << field.width;
  if (field.top != 0) {
    for (;;) {
      const int32_t value = value_of_bits(field, static_cast<uint32_t>(random.between(0, count - 1)));
      if (value < registers) return value;
    }
  }
  int64_t lowest = field.is_signed ? -count / 2 : 0;
  int64_t highest = lowest + count - 1;
  if (operand.access != Access::kNone) highest = std::min(highest, registers / int64_t{field.scale} - 1);
  const int64_t pick = random.between(0, 5);
  const int64_t value = pick == 0 ? lowest : pick == 1 ? highest : random.between(lowest, highest);
  return static_cast<int32_t>(value * int64_t{field.scale});
}

inline Instruction random_instruction(RandomSource& random, const Mnemonic& mnemonic, int64_t registers = 32) {
  Instruction instruction;
  instruction.operation = mnemonic.does;
  for (const Field& field : mnemonic.fields) {
    const size_t at = operand_index(mnemonic.does, field.operand);
    instruction.operands[at] = random_operand(random, field, info(mnemonic.does).operands[at], registers);
  }
  return instruction;
}

/// A value of the same packet refers to the instruction directly before.
inline std::optional<OperandKind> set_producer_before(Instruction& instruction) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_produced(operands[i].kind)) continue;
    instruction.operands[i] = 2;
    return operands[i].kind;
  }
  return std::nullopt;
}
/// Written as two instructions in LLVM's texts, and read as two.
inline bool is_compound(const Instruction& instruction) {
  const std::optional<VliwOperation> operation = vliw_operation(instruction.operation);
  return has(instruction, VliwTrait::kCompareJump) || operation == VliwOperation::kJ4Jumpseti ||
         operation == VliwOperation::kJ4Jumpsetr;
}

inline const Mnemonic& mnemonic_of(const Machine& machine, VliwOperation operation) {
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does == operation_of(operation)) return mnemonic;
  }
  ADD_FAILURE() << "no mnemonic for " << info(operation_of(operation)).name;
  return machine.mnemonics.front();
}

/// The packet as LLVM reads it: it takes a number in the place of an address for the way to it.
inline std::string for_llvm(const PacketCodec& codec, const Packet& packet) {
  std::string text = codec.disassemble(packet, 0);
  size_t at = 0;
  for (const PacketInstruction& entry : packet.instructions) {
    at = text.find("0x", at);
    if (at == std::string::npos) return text;
    const std::span<const OperandInfo> operands = info(entry.instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].name != "target") continue;
      const size_t end = text.find_first_not_of("0123456789abcdef", at + 2);
      text.replace(at, end - at, fmt::format("{}{}", entry.is_extended ? "##" : "#", entry.instruction.operands[i]));
      ++at;
    }
  }
  return text;
}

}  // namespace covenant::acg::testing
