#include "acg/isa/encode.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "acg/base/check.h"
#include "acg/base/suggest.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"

namespace covenant::acg {
namespace {

/// The operand value that a name in an efield stands for. Precondition: the machine is validated, so the value exists.
int32_t value_of(const Machine& machine, std::span<const Engine> all_engines, const OperandInfo& operand,
                 const std::string& name) {
  std::optional<uint32_t> value;
  if (operand.kind == OperandKind::kMemory) {
    if (const std::optional<MemoryId> memory = find_memory(machine, name)) value = memory->value;
  } else if (operand.kind == OperandKind::kEngine) {
    value = find_engine(all_engines, name);
  } else {
    for (uint32_t i = 0; i < operand.choices.size(); ++i) {
      if (operand.choices[i] == name) value = i;
    }
  }
  check(value.has_value(), fmt::format("name {} of an efield stands for nothing", name));
  return static_cast<int32_t>(value.value());
}

/// The number that the field encodes for `operand`. Operands have 32 bits: if the field has 32-bit unsigned values, the
/// operand holds their bit pattern.
int64_t number_of(const Field& field, int32_t operand) {
  return highest_value(field) > std::numeric_limits<int32_t>::max()
             ? static_cast<int64_t>(static_cast<uint32_t>(operand))
             : operand;
}

Diagnostic bad_value(const Mnemonic& mnemonic, const Field& field, std::string offending) {
  std::vector<std::string> allowed = field.values;
  if (allowed.empty()) {
    allowed.push_back(fmt::format("{}..{}", lowest_value(field), highest_value(field)));
    if (field.scale > 1 && field.kind == FieldKind::kInteger)
      allowed.back() += fmt::format(" in steps of {}", field.scale);
  }
  return {"ISA0002",
          {},
          qualified_name(mnemonic.does),
          fmt::format("operand {} does not fit field {} of {}", field.operand, field.name, mnemonic.name),
          std::move(offending),
          std::move(allowed),
          "use a value of the field, or widen the field in the ACG"};
}

}  // namespace

Codec::Codec(const Machine& machine) : by_operation_(kOperationCount), word_bits_(machine.word_bits) {
  const std::vector<Engine> all_engines = engines(machine);
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    WordPattern pattern = word_pattern(mnemonic, machine.word_bits, machine.opcode_bits);
    Entry entry{mnemonic, pattern.mask, pattern.match,          pattern.reserved, std::move(pattern.ranges),
                {},       {},           syntax_pieces(mnemonic)};
    for (const Field& field : mnemonic.fields) {
      entry.codes.emplace_back();
      entry.operands.push_back(0);
      if (field.operand.empty()) continue;
      entry.operands.back() = operand_index(mnemonic.does, field.operand);
      const OperandInfo& operand = info(mnemonic.does).operands[entry.operands.back()];
      for (const std::string& name : field.values) {
        const auto code = static_cast<int32_t>(entry.codes.back().size());
        entry.codes.back().push_back(mnemonic.does == kDescribedWord ? code
                                                                     : value_of(machine, all_engines, operand, name));
      }
    }
    by_operation_[static_cast<size_t>(mnemonic.does)].push_back(static_cast<uint32_t>(entries_.size()));
    entries_.push_back(std::move(entry));
  }
  if (machine.packet.slots == 0 || machine.mnemonics.empty()) return;
  parse_bits_ = ranges_of(machine.mnemonics.front().encoding, machine.packet.parse.at(0));
  alone_ = scattered(machine.packet.last, parse_bits_);
}

Result<InstructionWord> Codec::encode(const Instruction& instruction) const {
  return encode_as_first_fits(instruction, false);
}

Result<InstructionWord> Codec::encode_extended(const Instruction& instruction) const {
  return encode_as_first_fits(instruction, true);
}

Result<InstructionWord> Codec::encode_as_first_fits(const Instruction& instruction, bool extended) const {
  std::optional<Diagnostic> refusal;
  for (const uint32_t index : by_operation_[static_cast<size_t>(instruction.operation)]) {
    Result<InstructionWord> word = encode_as(entries_[index], instruction, extended);
    if (word) return word;
    if (!refusal) refusal = word.error();
  }
  if (refusal) return *refusal;
  return Diagnostic{"ISA0001",
                    {},
                    qualified_name(instruction.operation),
                    "no mnemonic of the machine does this operation",
                    "",
                    {},
                    fmt::format("add a mnemonic with `does = {};` to the ACG", qualified_name(instruction.operation))};
}

Result<InstructionWord> Codec::encode_as(const Entry& entry, const Instruction& instruction, bool extended) const {
  InstructionWord word = entry.match | alone_;
  bool was_extended = false;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    const Field& field = entry.mnemonic.fields[i];
    if (field.operand.empty()) continue;
    const int32_t operand = instruction.operands[entry.operands[i]];
    const int64_t value = number_of(field, operand);
    uint32_t code = 0;
    if (field.kind == FieldKind::kEnumeration) {
      while (code < entry.codes[i].size() && entry.codes[i][code] != operand) ++code;
      if (code == entry.codes[i].size()) return bad_value(entry.mnemonic, field, fmt::format("number {}", operand));
    } else if (extended && field.is_extendable) {
      was_extended = true;
      code = static_cast<uint32_t>(operand) & kExtendedBits;
    } else if (const std::optional<uint32_t> bits = bits_of_value(field, value)) {
      code = *bits;
    } else {
      return bad_value(entry.mnemonic, field, fmt::format("{}", value));
    }
    word |= scattered(code, entry.ranges[i]);
  }
  if (!extended || was_extended) return word;
  return Diagnostic{"ISA0008",
                    {},
                    qualified_name(instruction.operation),
                    fmt::format("{} has no field that a constant extender extends", entry.mnemonic.name),
                    entry.mnemonic.name,
                    {},
                    "remove the extender"};
}

std::optional<size_t> Codec::extendable_operand(Operation operation) const {
  for (const uint32_t index : by_operation_[static_cast<size_t>(operation)]) {
    const Entry& entry = entries_[index];
    for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
      if (entry.mnemonic.fields[i].is_extendable) return entry.operands[i];
    }
  }
  return std::nullopt;
}

const Codec::Entry* Codec::find(const InstructionWord& word) const {
  for (const Entry& entry : entries_) {
    if ((word & entry.mask) == entry.match) return &entry;
  }
  return nullptr;
}

Result<Codec::Decoded> Codec::decode(const InstructionWord& word) const {
  const Entry* entry = find(word);
  if (entry == nullptr) return undecodable(word);
  return decode_as(*entry, word, std::nullopt);
}

Result<Codec::Decoded> Codec::decode_extended(const InstructionWord& word, uint32_t high) const {
  const Entry* entry = find(word);
  if (entry == nullptr) return undecodable(word);
  return decode_as(*entry, word, high);
}

Result<Codec::Decoded> Codec::decode_as(const Entry& entry, const InstructionWord& word,
                                        std::optional<uint32_t> high) const {
  Decoded decoded;
  decoded.mnemonic = static_cast<uint32_t>(&entry - entries_.data());
  decoded.instruction.operation = entry.mnemonic.does;
  bool was_extended = false;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    const Field& field = entry.mnemonic.fields[i];
    if (field.operand.empty()) continue;
    const auto bits = static_cast<uint32_t>(gathered(word, entry.ranges[i]));
    int32_t value = value_of_bits(field, bits);
    if (high && field.is_extendable) {
      was_extended = true;
      value = static_cast<int32_t>(*high | (bits & kExtendedBits));
    }
    if (field.kind == FieldKind::kEnumeration) {
      if (bits >= entry.codes[i].size()) {
        return Diagnostic{"ISA0005",
                          {},
                          fmt::format("word 0x{}", hex(word, word_bits_)),
                          fmt::format("field {} of {} holds a code without a name", field.name, entry.mnemonic.name),
                          fmt::format("{}", bits),
                          field.values,
                          "use the code of one of these names, counted from 0"};
      }
      value = entry.codes[i][bits];
    }
    decoded.instruction.operands[entry.operands[i]] = value;
  }
  if (!high || was_extended) return decoded;
  return Diagnostic{"ISA0008",
                    {},
                    fmt::format("word 0x{}", hex(word, word_bits_)),
                    fmt::format("{} has no field that a constant extender extends", entry.mnemonic.name),
                    entry.mnemonic.name,
                    {},
                    "remove the extender"};
}

Diagnostic Codec::undecodable(const InstructionWord& word) const {
  const std::string subject = fmt::format("word 0x{}", hex(word, word_bits_));
  for (const Entry& entry : entries_) {
    if ((word & entry.mask & ~entry.reserved) != entry.match) continue;
    return {"ISA0004",
            {},
            subject,
            fmt::format("reserved bits of {} are not zero", entry.mnemonic.name),
            "0x" + hex(word & entry.reserved, 0),
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

std::string Codec::disassemble(const InstructionWord& word) const {
  const Entry* entry = find(word);
  const Result<Decoded> decoded = entry == nullptr ? Result<Decoded>(undecodable(word)) : decode(word);
  // A code without a name cannot be written, nor can unusual parse bits: the whole word is shown as data.
  if (!decoded || (word & scattered(~uint64_t{0}, parse_bits_)) != alone_)
    return fmt::format(".word 0x{}", hex(word, word_bits_));
  if (!entry->mnemonic.syntax.empty()) return text(*decoded, {});
  std::string text = entry->mnemonic.name;
  std::string_view separator = " ";
  for (size_t i = 0; i < entry->mnemonic.fields.size(); ++i) {
    const Field& field = entry->mnemonic.fields[i];
    if (!is_said(field)) continue;
    const auto bits = static_cast<uint32_t>(gathered(word, entry->ranges[i]));
    text += separator;
    text += field.kind == FieldKind::kEnumeration
                ? field.values[bits]
                : fmt::format("{}", value_of_bits(field, bits) / static_cast<int64_t>(field.scale));
    separator = ", ";
  }
  return text;
}

std::vector<Codec::FieldBits> Codec::layout(uint32_t mnemonic) const {
  std::vector<FieldBits> bits;
  for (const std::vector<BitRange>& ranges : entries_.at(mnemonic).ranges) {
    check(ranges.size() == 1, "a scattered field has no single place");
    bits.push_back(ranges.front());
  }
  return bits;
}

WordPattern Codec::pattern(uint32_t mnemonic) const {
  const Entry& entry = entries_.at(mnemonic);
  return {entry.mask, entry.match, entry.reserved, entry.ranges};
}

std::string Codec::text(const Decoded& decoded, const TextPlace& place) const {
  const Entry& entry = entries_.at(decoded.mnemonic);
  std::vector<int32_t> values;
  for (size_t i = 0; i < entry.mnemonic.fields.size(); ++i) {
    int32_t value = decoded.instruction.operands[entry.operands[i]];
    if (entry.mnemonic.fields[i].kind == FieldKind::kEnumeration) {
      // Text uses names, and names are listed by code.
      const auto code = std::find(entry.codes[i].begin(), entry.codes[i].end(), value);
      check(code != entry.codes[i].end(), "a decoded value without a name");
      value = static_cast<int32_t>(code - entry.codes[i].begin());
    }
    values.push_back(value);
  }
  return syntax_text(entry.mnemonic, entry.pieces, values, place);
}

}  // namespace covenant::acg
