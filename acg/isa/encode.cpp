#include "acg/isa/encode.h"

#include <fmt/format.h>
#include <optional>

#include "acg/base/check.h"
#include "acg/base/suggest.h"
#include "acg/graph/queries.h"
#include "acg/isa/layout.h"

namespace covenant::acg {
namespace {

std::string qualified(Operation operation) { return fmt::format("{}.{}", info(operation).unit, info(operation).name); }

/// The operand value that a name of an efield stands for. Precondition: validated, so it exists.
int32_t value_of(const Machine& machine, const OperandInfo& operand, const std::string& name) {
  std::optional<uint32_t> value;
  if (operand.kind == OperandKind::kMemory) {
    if (const std::optional<MemoryId> memory = find_memory(machine, name)) value = memory->value;
  } else if (operand.kind == OperandKind::kEngine) {
    value = find_engine(machine, name);
  } else {
    for (uint32_t i = 0; i < operand.choices.size(); ++i) {
      if (operand.choices[i] == name) value = i;
    }
  }
  check(value.has_value(), fmt::format("name {} of an efield stands for nothing", name));
  return static_cast<int32_t>(*value);
}

int64_t lowest_of(const Field& field) { return field.is_signed ? -(int64_t{1} << (field.width - 1)) : 0; }
int64_t highest_of(const Field& field) { return (int64_t{1} << (field.is_signed ? field.width - 1 : field.width)) - 1; }

uint32_t field_bits(uint32_t word, uint32_t low, uint32_t width) {
  return static_cast<uint32_t>((word >> low) & ((uint64_t{1} << width) - 1));
}

int32_t sign_extended(uint32_t bits, const Field& field) {
  if (field.is_signed && (bits >> (field.width - 1)) != 0) bits |= ~uint32_t{0} << (field.width - 1);
  return static_cast<int32_t>(bits);
}

Diagnostic bad_value(const Mnemonic& mnemonic, const Field& field, std::string offending) {
  std::vector<std::string> allowed = field.values;
  if (allowed.empty()) allowed.push_back(fmt::format("{}..{}", lowest_of(field), highest_of(field)));
  return {"ISA0002",
          {},
          qualified(mnemonic.does),
          fmt::format("operand {} does not fit field {} of {}", field.operand, field.name, mnemonic.name),
          std::move(offending),
          std::move(allowed),
          "use a value of the field, or widen the field in the ACG"};
}

}  // namespace

Codec::Codec(const Machine& machine) {
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    const WordPattern pattern = word_pattern(mnemonic, machine.word_bits, machine.opcode_bits);
    Entry entry{mnemonic, pattern.mask, pattern.match, pattern.reserved, {}, {}, {}};
    for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
      const Field& field = mnemonic.fields[i];
      entry.bits.push_back({pattern.lows[i], field.width});
      entry.codes.emplace_back();
      entry.operands.push_back(0);
      if (field.operand.empty()) continue;
      entry.operands.back() = operand_index(mnemonic.does, field.operand);
      const OperandInfo& operand = info(mnemonic.does).operands[entry.operands.back()];
      for (const std::string& name : field.values) entry.codes.back().push_back(value_of(machine, operand, name));
    }
    entries_.push_back(std::move(entry));
  }
}

Result<uint32_t> Codec::encode(const Instruction& instruction) const {
  std::optional<Diagnostic> refusal;
  for (const Entry& entry : entries_) {
    if (entry.mnemonic.does != instruction.operation) continue;
    Result<uint32_t> word = encode_as(entry, instruction);
    if (word) return word;
    if (!refusal) refusal = word.error();
  }
  if (refusal) return *refusal;
  return Diagnostic{"ISA0001",
                    {},
                    qualified(instruction.operation),
                    "no mnemonic of the machine does this operation",
                    "",
                    {},
                    fmt::format("add a mnemonic with `does = {};` to the ACG", qualified(instruction.operation))};
}

Result<uint32_t> Codec::encode_as(const Entry& entry, const Instruction& instruction) const {
  uint32_t word = entry.match;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    const Field& field = entry.mnemonic.fields[i];
    if (field.operand.empty()) continue;
    const int32_t value = instruction.operands[entry.operands[i]];
    uint32_t code = static_cast<uint32_t>(value);
    if (field.kind == FieldKind::kEnumeration) {
      code = 0;
      while (code < entry.codes[i].size() && entry.codes[i][code] != value) ++code;
      if (code == entry.codes[i].size()) return bad_value(entry.mnemonic, field, fmt::format("number {}", value));
    } else if (value < lowest_of(field) || value > highest_of(field)) {
      return bad_value(entry.mnemonic, field, fmt::format("{}", value));
    }
    word |= field_bits(code, 0, field.width) << entry.bits[i].low;
  }
  return word;
}

const Codec::Entry* Codec::find(uint32_t word) const {
  for (const Entry& entry : entries_) {
    if ((word & entry.mask) == entry.match) return &entry;
  }
  return nullptr;
}

Result<Codec::Decoded> Codec::decode(uint32_t word) const {
  const Entry* entry = find(word);
  if (entry == nullptr) return undecodable(word);
  Decoded decoded;
  decoded.mnemonic = static_cast<uint32_t>(entry - entries_.data());
  decoded.instruction.operation = entry->mnemonic.does;
  for (size_t i = 0; i < entry->mnemonic.fields.size(); ++i) {
    const Field& field = entry->mnemonic.fields[i];
    if (field.operand.empty()) continue;
    const uint32_t bits = field_bits(word, entry->bits[i].low, field.width);
    int32_t value = sign_extended(bits, field);
    if (field.kind == FieldKind::kEnumeration) {
      if (bits >= entry->codes[i].size()) {
        return Diagnostic{"ISA0005",
                          {},
                          fmt::format("word 0x{:08x}", word),
                          fmt::format("field {} of {} holds a code without a name", field.name, entry->mnemonic.name),
                          fmt::format("{}", bits),
                          field.values,
                          "use the code of one of these names, counted from 0"};
      }
      value = entry->codes[i][bits];
    }
    decoded.instruction.operands[entry->operands[i]] = value;
  }
  return decoded;
}

Diagnostic Codec::undecodable(uint32_t word) const {
  const std::string subject = fmt::format("word 0x{:08x}", word);
  for (const Entry& entry : entries_) {
    if ((word & entry.mask & ~entry.reserved) != entry.match) continue;
    return {"ISA0004",
            {},
            subject,
            fmt::format("reserved bits of {} are not zero", entry.mnemonic.name),
            fmt::format("0x{:x}", word & entry.reserved),
            {"0"},
            "clear the reserved bits"};
  }
  return {"ISA0003",
          {},
          subject,
          "no mnemonic of the machine has this opcode and these constant bits",
          subject,
          {},
          "run the program on the machine that it was compiled for"};
}

std::string Codec::disassemble(uint32_t word) const {
  const Entry* entry = find(word);
  // A code without a name has no spelling: the whole word is shown as data.
  if (entry == nullptr || !decode(word)) return fmt::format(".word 0x{:08x}", word);
  std::string text = entry->mnemonic.name;
  std::string_view separator = " ";
  for (size_t i = 0; i < entry->mnemonic.fields.size(); ++i) {
    const Field& field = entry->mnemonic.fields[i];
    if (field.kind == FieldKind::kConstant) continue;
    const uint32_t bits = field_bits(word, entry->bits[i].low, field.width);
    text += separator;
    text += field.kind == FieldKind::kEnumeration ? field.values[bits] : fmt::format("{}", sign_extended(bits, field));
    separator = ", ";
  }
  return text;
}

std::vector<Codec::FieldBits> Codec::layout(uint32_t mnemonic) const { return entries_.at(mnemonic).bits; }

}  // namespace covenant::acg
