/// Rules that break mnemonics and their fields.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/lang/print.h"
#include "acg/operations/operation.h"
#include "fuzz/breaking.h"
#include "fuzz/random_unit.h"

namespace covenant::runtime::breaking {
namespace {

using acg::Field;
using acg::FieldKind;
using acg::Machine;
using acg::Mnemonic;
using acg::Operation;

struct Place {
  size_t mnemonic = 0;
  size_t field = 0;
};

/// One of the fields for which `is_meant` holds. Precondition: there is one.
Place a_field(const Machine& machine, Draw& draw, const std::function<bool(const Field&)>& is_meant) {
  std::vector<Place> places;
  for (size_t i = 0; i < machine.mnemonics.size(); ++i) {
    for (size_t j = 0; j < machine.mnemonics[i].fields.size(); ++j) {
      if (is_meant(machine.mnemonics[i].fields[j])) places.push_back({i, j});
    }
  }
  return draw.of(places);
}

Field& at(Machine& machine, const Place& place) { return machine.mnemonics[place.mnemonic].fields[place.field]; }

bool is_number(const Field& field) { return field.kind == FieldKind::kInteger; }
bool is_names(const Field& field) { return field.kind == FieldKind::kEnumeration; }
bool carries(const Field& field) { return field.kind != FieldKind::kConstant; }

Mnemonic& doing(Machine& machine, Operation operation) {
  const auto found = std::ranges::find(machine.mnemonics, operation, &Mnemonic::does);
  check(found != machine.mnemonics.end(), "random machines have a word for every operation of the family");
  return *found;
}

Field constant(uint32_t width, uint64_t value) {
  Field field;
  field.kind = FieldKind::kConstant;
  field.name = "BITS";
  field.width = width;
  field.constant = value;
  return field;
}

// ---- Words

/// Every program has those that the units need.
std::string word_missing(Machine machine, Draw& draw) {
  std::vector<Operation> needed;
  for (const RandomUnit* unit : random_units()) needed.insert(needed.end(), unit->needed.begin(), unit->needed.end());
  const Operation gone = draw.of(needed);
  std::erase_if(machine.mnemonics, [&](const Mnemonic& mnemonic) { return mnemonic.does == gone; });
  return acg::print(machine);
}

std::string word_of_two(Machine machine, Draw& draw) {
  Mnemonic twin = draw.of(machine.mnemonics);
  twin.name += "_again";
  machine.mnemonics.push_back(twin);
  return acg::print(machine);
}

std::string word_twice(Machine machine, Draw& draw) {
  const Mnemonic twin = draw.of(machine.mnemonics);
  machine.mnemonics.push_back(twin);
  return acg::print(machine);
}

/// Longer than a word, by a constant or by its encoding.
std::string word_too_long(Machine machine, Draw& draw) {
  Mnemonic& mnemonic =
      machine.mnemonics[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.mnemonics.size()) - 1))];
  if (mnemonic.encoding.empty()) {
    for (uint32_t bits = 0; bits < machine.word_bits; bits += 31) {
      mnemonic.fields.push_back(constant(31, 0));
    }
  } else {
    mnemonic.encoding += '0';
  }
  return acg::print(machine);
}

/// An opcode one above what its bits hold; if there is an encoding, adds an opcode.
std::string opcode_too_large(Machine machine, Draw& draw) {
  const Mnemonic mnemonic = draw.of(machine.mnemonics);
  const std::string name = fmt::format("  mnemonic {}", mnemonic.name);
  std::string text = acg::print(machine);
  const size_t first = text.find("\n" + name) + 1 + name.size();
  return text.replace(first, text.find('{', first) - first,
                      fmt::format("({}) ", mnemonic.encoding.empty() ? uint64_t{1} << machine.opcode_bits : 1));
}

std::string operation_unknown(Machine machine, Draw& draw) {
  const Mnemonic mnemonic = draw.of(machine.mnemonics);
  return with_value(
      acg::print(machine), fmt::format("  mnemonic {}", mnemonic.name), "does",
      draw.of(std::vector<std::string>{fmt::format("{}.divide", name_of(kinds_of(machine).back())),
                                       fmt::format("{}.swap", name_of(acg::edge_unit().kind)), "nothing.add", "add"}));
}

std::string operation_missing(Machine machine, Draw& draw) {
  const Mnemonic mnemonic = draw.of(machine.mnemonics);
  std::string text = acg::print(machine);
  const size_t first = text.find("    does = ", text.find(fmt::format("\n  mnemonic {}", mnemonic.name)));
  return text.erase(first, text.find('\n', first) + 1 - first);
}

// ---- Encodings

/// The same word, its bits written one by one.
void encode(Mnemonic& mnemonic, const Machine& machine) {
  if (!mnemonic.encoding.empty()) return;
  const auto bits = [](uint64_t value, uint32_t width) {
    std::string text;
    for (uint32_t bit = width; bit > 0; --bit) text += (value >> (bit - 1) & 1) != 0 ? '1' : '0';
    return text;
  };
  mnemonic.encoding = bits(mnemonic.opcode, machine.opcode_bits);
  mnemonic.opcode = 0;
  char letter = 'a';
  for (Field& field : mnemonic.fields) {
    if (!carries(field)) {
      mnemonic.encoding += bits(field.constant, field.width);
      continue;
    }
    field.letter = letter++;
    mnemonic.encoding += std::string(field.width, field.letter[0]);
  }
  std::erase_if(mnemonic.fields, [](const Field& field) { return !carries(field); });
  mnemonic.encoding.append(machine.word_bits - mnemonic.encoding.size(), '0');
}

Mnemonic& an_encoded_word(Machine& machine, Draw& draw) {
  Mnemonic& mnemonic = machine.mnemonics[a_field(machine, draw, carries).mnemonic];
  encode(mnemonic, machine);
  return mnemonic;
}

/// In the other form than its twin, where that has an opcode.
std::string encodings_overlap(Machine machine, Draw& draw) {
  Mnemonic twin = draw.of(machine.mnemonics);
  twin.name += "_again";
  encode(twin, machine);
  machine.mnemonics.push_back(twin);
  return acg::print(machine);
}

std::string encoding_length(Machine machine, Draw& draw) {
  Mnemonic& mnemonic = an_encoded_word(machine, draw);
  draw.once_in(2) ? mnemonic.encoding.pop_back() : mnemonic.encoding.push_back('0');
  return acg::print(machine);
}

std::string encoding_character(Machine machine, Draw& draw) {
  an_encoded_word(machine, draw).encoding.back() = draw.of(std::vector<char>{'2', '?', ' ', '-'});
  return acg::print(machine);
}

/// A letter for a bit that no field has.
std::string encoding_letter(Machine machine, Draw& draw) {
  an_encoded_word(machine, draw).encoding.front() = 'Z';
  return acg::print(machine);
}

/// Makes two fields use the same bits.
std::string fields_overlap(Machine machine, Draw& draw) {
  std::vector<size_t> several;
  for (size_t i = 0; i < machine.mnemonics.size(); ++i) {
    if (std::ranges::count_if(machine.mnemonics[i].fields, carries) > 1) several.push_back(i);
  }
  Mnemonic& mnemonic = machine.mnemonics[draw.of(several)];
  encode(mnemonic, machine);
  mnemonic.fields[1].letter = mnemonic.fields[0].letter;
  return acg::print(machine);
}

// ---- Fields

/// Not one of an operand that may be left out.
std::string field_missing(Machine machine, Draw& draw) {
  const Place place =
      a_field(machine, draw, [](const Field& field) { return carries(field) && field.operand != "part"; });
  auto& fields = machine.mnemonics[place.mnemonic].fields;
  fields.erase(fields.begin() + static_cast<int64_t>(place.field));
  return acg::print(machine);
}

std::string field_twice(Machine machine, Draw& draw) {
  const Place place = a_field(machine, draw, carries);
  const Field field = at(machine, place);
  machine.mnemonics[place.mnemonic].fields.push_back(field);
  return acg::print(machine);
}

/// Removes a field's bits; in an encoding, gives it a letter that does not occur.
std::string field_without_bits(Machine machine, Draw& draw) {
  Field& field = at(machine, a_field(machine, draw, carries));
  field.width = 0;
  if (!field.letter.empty()) field.letter = "?";
  return acg::print(machine);
}

std::string field_too_wide(Machine machine, Draw& draw) {
  Field& field = at(machine, a_field(machine, draw, carries));
  field.letter.clear();
  field.width = static_cast<uint32_t>(draw.between(65, 1000));
  return acg::print(machine);
}

/// Numbers only: names could not be told apart.
std::string names_too_many(Machine machine, Draw& draw) {
  Field& field =
      at(machine, a_field(machine, draw, [](const Field& some) { return is_names(some) && some.values.size() > 2; }));
  field.letter.clear();
  field.width = static_cast<uint32_t>(std::bit_width(field.values.size() - 1)) - 1;
  return acg::print(machine);
}

std::string names_none(Machine machine, Draw& draw) {
  at(machine, a_field(machine, draw, is_names)).values.clear();
  return acg::print(machine);
}

std::string name_unknown(Machine machine, Draw& draw) {
  at(machine, a_field(machine, draw, is_names)).values[0] = "NOWHERE";
  return acg::print(machine);
}

std::string name_said_twice(Machine machine, Draw& draw) {
  auto& values =
      at(machine, a_field(machine, draw, [](const Field& some) { return is_names(some) && some.values.size() > 1; }))
          .values;
  values[1] = values[0];
  return acg::print(machine);
}

std::string operand_unknown(Machine machine, Draw& draw) {
  at(machine, a_field(machine, draw, carries)).operand = "nothing";
  return acg::print(machine);
}

std::string sign(Machine machine, Draw& draw) {
  Field& field = at(machine, a_field(machine, draw, is_number));
  field.is_signed = !field.is_signed;
  return acg::print(machine);
}

std::string number_for_names(Machine machine, Draw& draw) {
  Field& field = at(machine, a_field(machine, draw, is_names));
  field.kind = FieldKind::kInteger;
  field.values.clear();
  return acg::print(machine);
}

std::string names_for_number(Machine machine, Draw& draw) {
  Field& field = at(machine, a_field(machine, draw, is_number));
  field.kind = FieldKind::kEnumeration;
  field.is_signed = false;
  field.values = {"ZERO", "ONE"};
  return acg::print(machine);
}

std::string constant_too_large(Machine machine, Draw& draw) {
  Mnemonic& mnemonic =
      machine.mnemonics[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.mnemonics.size()) - 1))];
  mnemonic.fields.push_back(constant(1, 2));
  return acg::print(machine);
}

/// Groups of one word hold no loop.
std::string count_too_narrow(Machine machine, Draw& /*draw*/) {
  for (Field& field : doing(machine, Operation::kGroup).fields) {
    if (field.operand != "count") continue;
    field.letter.clear();
    field.width = 1;
  }
  return acg::print(machine);
}

/// No group can be meant for the nodes of a kind.
std::string engine_unnamed(Machine machine, Draw& draw) {
  const acg::UnitKind unit = draw.of(kinds_of(machine));
  for (Field& field : doing(machine, Operation::kGroup).fields) {
    for (const size_t index : computes_of(machine, unit)) std::erase(field.values, machine.computes[index].name);
  }
  return acg::print(machine);
}

/// No word waits for inputs, or for results.
std::string channel_unnamed(Machine machine, Draw& draw) {
  const Operation operation = draw.once_in(2) ? Operation::kWait : Operation::kPost;
  const std::vector<std::string> roles = roles_of(machine);
  const std::vector<size_t> memories = role_memories(machine, draw.once_in(2) ? roles.front() : roles.back());
  for (Field& field : doing(machine, operation).fields) {
    for (const size_t index : memories) std::erase(field.values, machine.memories[index].name);
  }
  return acg::print(machine);
}

constexpr std::array kWordRules{
    Rule{"word missing", word_missing},
    Rule{"code of two words", word_of_two},
    Rule{"word twice", word_twice},
    Rule{"word too long", word_too_long},
    Rule{"opcode too large", opcode_too_large},
    Rule{"operation unknown", operation_unknown},
    Rule{"operation missing", operation_missing},
    Rule{"encodings overlap", encodings_overlap},
    Rule{"length of an encoding", encoding_length},
    Rule{"character of an encoding", encoding_character},
    Rule{"letter without a field", encoding_letter},
    Rule{"fields overlap", fields_overlap},
    Rule{"field missing", field_missing},
    Rule{"field twice", field_twice},
    Rule{"field without bits", field_without_bits},
    Rule{"field too wide", field_too_wide},
    Rule{"names too many", names_too_many},
    Rule{"names none", names_none},
    Rule{"name unknown", name_unknown},
    Rule{"name said twice", name_said_twice},
    Rule{"operand unknown", operand_unknown},
    Rule{"sign", sign},
    Rule{"number for names", number_for_names},
    Rule{"names for a number", names_for_number},
    Rule{"constant too large", constant_too_large},
    Rule{"count too narrow", count_too_narrow},
    Rule{"engine unnamed", engine_unnamed},
    Rule{"channel unnamed", channel_unnamed},
};

}  // namespace

std::span<const Rule> word_rules() { return kWordRules; }

}  // namespace covenant::runtime::breaking
