#include "acg/lang/resolve_mnemonic.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/graph/limits.h"
#include "acg/lang/attributes.h"
#include "acg/lang/evaluate.h"

namespace covenant::acg::lang {
namespace {

constexpr Limits kAnyNumber{0, kAny32};

/// Operations of the unit that the user named, or all operations if there is no such unit.
std::vector<std::string> allowed_operations(const std::string& said) {
  const std::optional<UnitKind> unit = value_in(kUnitKinds, std::string_view(said).substr(0, said.find('.')));
  std::vector<std::string> of_unit, all;
  for (const OperationInfo& entry : operations()) {
    if (entry.operation == kDescribedWord) continue;
    all.push_back(qualified_name(entry.operation));
    if (entry.unit == unit) of_unit.push_back(all.back());
  }
  return of_unit.empty() ? all : of_unit;
}

/// Operations of earlier versions of this language, and what they are called now.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kRenamed{
    {{"walker.base", "address_generator.base"},
     {"walker.stride", "address_generator.stride"},
     {"walker.trip", "address_generator.trip"}}};

std::string suggest_operation(const std::string& said, const std::vector<std::string>& allowed) {
  const auto renamed = std::ranges::find(kRenamed, said, &std::pair<std::string_view, std::string_view>::first);
  if (renamed != kRenamed.end()) return fmt::format("it is now called {}", renamed->second);
  return suggest(said, allowed);
}

/// Without `does` the word is only described: `validate` refuses it if the machine has a unit that executes words.
Operation operation_of(const MnemonicSpec& said) {
  const std::string subject = "mnemonic " + said.name.text;
  if (!said.does) return kDescribedWord;
  const std::optional<Operation> operation = operation_named(said.does->text);
  if (operation && *operation != kDescribedWord) return *operation;
  std::vector<std::string> allowed = allowed_operations(said.does->text);
  std::string fix = suggest_operation(said.does->text, allowed);
  throw Failure{
      {"ACG0003", said.does->where, subject, "unknown operation", said.does->text, std::move(allowed), std::move(fix)}};
}

/// The context in which the attributes of one mnemonic are read.
struct Reading {
  const std::map<std::string, int64_t>& parameters;
  const PacketRules& rules;
  const std::string& path;

  uint32_t number(const Expression& said, std::string_view what, const Limits& allowed, uint64_t held = kAny32) const {
    return static_cast<uint32_t>(count_of(said, parameters, held, {text_of(allowed)}, path, what));
  }

  uint32_t slots(const std::optional<std::vector<Expression>>& said, std::string_view what) const {
    uint32_t mask = 0;
    if (!said) return mask;
    for (const Expression& slot : *said) {
      mask |= uint32_t{1} << number(slot, what, {0, rules.slots == 0 ? 31U : rules.slots - 1}, 31);
    }
    return mask;
  }

  /// The bits of a list of pipes such as "LD+M0".
  uint32_t pipes(const Word& said) const {
    uint32_t mask = 0;
    std::string_view left = said.text;
    for (;;) {
      const size_t plus = left.find('+');
      const std::string name(left.substr(0, plus));
      const auto found = std::find(rules.pipes.begin(), rules.pipes.end(), name);
      if (found == rules.pipes.end()) {
        throw Failure{{"ACG0003", said.where, path, "unknown pipe", name, rules.pipes, suggest(name, rules.pipes)}};
      }
      mask |= uint32_t{1} << (found - rules.pipes.begin());
      if (plus == std::string_view::npos) return mask;
      left.remove_prefix(plus + 1);
    }
  }
};

/// Checks that fields that follow the opcode have widths.
void check_has_bits(const MnemonicSpec& said, const std::string& path) {
  for (const FieldSpec& field : said.fields) {
    if (field.kind != FieldKind::kFixed) continue;
    throw Failure{{"ACG0060",
                   field.where,
                   path,
                   "a fixed operand of a word stated by its opcode",
                   field.name.text,
                   {},
                   "state the word by an encoding"}};
  }
}

void check_form(const MnemonicSpec& said, const std::string& path) {
  if (!said.opcode && !said.encoding) {
    throw Failure{{"ACG0014",
                   said.name.where,
                   path,
                   "neither opcode nor encoding",
                   said.name.text,
                   {},
                   fmt::format("write `mnemonic {}(OPCODE)`, or give `encoding = \"...\";`", said.name.text)}};
  }
  if (!said.encoding) return check_has_bits(said, path);
  if (said.opcode) {
    throw Failure{{"ACG0060",
                   said.encoding->where,
                   path,
                   "a word is stated by its opcode or by an encoding, not by both",
                   said.encoding->text,
                   {},
                   fmt::format("write `mnemonic {} {{`", said.name.text)}};
  }
  for (const FieldSpec& field : said.fields) {
    if ((field.letter && field.kind != FieldKind::kConstant) || field.kind == FieldKind::kFixed) continue;
    const bool is_constant = field.kind == FieldKind::kConstant;
    throw Failure{{"ACG0060",
                   field.where,
                   path,
                   is_constant ? "constant bits stand in the encoding itself" : "a field of an encoding has a letter",
                   field.name.text,
                   {},
                   is_constant ? "write the bits as 0 and 1 in the encoding"
                               : fmt::format("write the letter of its bits: `ifield(\"{}\", d)`", field.name.text)}};
  }
}

Field field_of(const FieldSpec& said, const MnemonicSpec& mnemonic, const Reading& reading) {
  Field field;
  field.kind = said.kind;
  field.name = said.name.text;
  field.is_signed = said.is_signed;
  field.is_relative = said.is_relative;
  field.is_extendable = said.is_extendable;
  if (said.kind == FieldKind::kFixed) {
    field.constant = reading.number(said.constant.value(), "operand", kFixedNumber);
  } else if (mnemonic.encoding) {
    const std::string& bits = mnemonic.encoding->text;
    field.letter = said.letter.value().text;
    field.width = static_cast<uint32_t>(std::count(bits.begin(), bits.end(), field.letter[0]));
  } else {
    field.width = reading.number(said.width, "width of a field", width_limits(said.kind));
  }
  if (said.scale) field.scale = reading.number(*said.scale, "scale", scale_limits(field.width));
  if (said.reads) field.reads = reading.number(*said.reads, "stage", kAnyNumber);
  if (said.writes) field.writes = reading.number(*said.writes, "stage", kAnyNumber);
  if (said.operand) field.operand = said.operand->text;
  if (said.top) field.top = reading.number(*said.top, "top", kFixedNumber);
  if (said.kind == FieldKind::kConstant) {
    field.constant = reading.number(said.constant.value(), "constant", constant_limits(field.width));
  }
  for (const Word& value : said.values) field.values.push_back(value.text);
  return field;
}

/// For a word that is only described: its fields carry the operands in their order, as far as there are any.
void number_operands(Mnemonic& mnemonic, const MnemonicSpec& said) {
  size_t next = 0;
  for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
    Field& field = mnemonic.fields[i];
    if (field.kind == FieldKind::kConstant) continue;
    if (said.fields[i].operand) {
      throw Failure{{"ACG0014",
                     said.name.where,
                     "mnemonic " + mnemonic.name,
                     "an attribute is missing",
                     "does",
                     {},
                     "say what the word does: `does = unit.operation;`"}};
    }
    const auto operands = info(kDescribedWord).operands;
    if (next < operands.size()) field.operand = operands[next].name;
    ++next;
  }
}

}  // namespace

Mnemonic resolve_mnemonic(const MnemonicSpec& said, const Machine& machine,
                          const std::map<std::string, int64_t>& parameters, Places& places) {
  const std::string path = "mnemonic " + said.name.text;
  const Reading reading{parameters, machine.packet, path};
  check_form(said, path);
  Mnemonic mnemonic;
  mnemonic.name = said.name.text;
  mnemonic.where = said.name.where;
  if (said.opcode) {
    mnemonic.opcode = reading.number(*said.opcode, "opcode", opcode_limits(machine.opcode_bits));
    places[path + " opcode"] = said.opcode->where;
  } else {
    mnemonic.encoding = said.encoding.value().text;
    places[path + " encoding"] = said.encoding.value().where;
  }
  mnemonic.does = operation_of(said);
  if (said.does) places[path + " does"] = said.does->where;
  for (size_t i = 0; i < said.fields.size(); ++i) {
    places[fmt::format("{} field {}", path, i)] = said.fields[i].where;
    mnemonic.fields.push_back(field_of(said.fields[i], said, reading));
  }
  if (mnemonic.does == kDescribedWord) number_operands(mnemonic, said);
  if (said.syntax) {
    mnemonic.syntax = said.syntax->text;
    places[path + " syntax"] = said.syntax->where;
  }
  mnemonic.slots = reading.slots(said.slots, "slot");
  mnemonic.blocks = reading.slots(said.blocks, "slot");
  if (said.pipes) {
    for (const Word& alternative : *said.pipes) mnemonic.pipes.push_back(reading.pipes(alternative));
  }
  if (said.latency) mnemonic.latency = reading.number(*said.latency, "latency", kAnyNumber);
  return mnemonic;
}

PacketRules resolve_packet(const PacketSpec& said, const std::map<std::string, int64_t>& parameters, Places& places) {
  const std::vector<std::string> numbers{"slots", "words", "interval", "more", "last", "loop_end"};
  const AttributeReader reader("packet", said.attributes, numbers, parameters, places);
  places["machine packet"] = said.where;
  for (const std::string& name : numbers) {
    if (reader.find(name) != nullptr) continue;
    throw Failure{{"ACG0014", said.where, "packet", "an attribute is missing", name, numbers,
                   fmt::format("add `{} = ...;`", name)}};
  }
  if (!said.parse) {
    throw Failure{
        {"ACG0014", said.where, "packet", "an attribute is missing", "parse", {}, "name the letter: `parse = P;`"}};
  }
  PacketRules rules;
  rules.slots = reader.number32("slots", 0, {text_of(kPacketSlots)});
  rules.words = reader.number32("words", 0, {text_of(kPacketWords)});
  rules.interval = reader.number32("interval", 1, {text_of(kPacketInterval)});
  rules.more = reader.number32("more", 0, {text_of(kAnyNumber)});
  rules.last = reader.number32("last", 0, {text_of(kAnyNumber)});
  rules.loop_end = reader.number32("loop_end", 0, {text_of(kAnyNumber)});
  rules.parse = said.parse->text;
  if (said.pipes) {
    for (const Word& pipe : *said.pipes) rules.pipes.push_back(pipe.text);
  }
  return rules;
}

}  // namespace covenant::acg::lang
