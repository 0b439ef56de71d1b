#include "acg/lang/print_mnemonic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace covenant::acg::lang {
namespace {

std::string quoted_list(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back('"' + value + '"');
  return fmt::format("[{}]", fmt::join(quoted, ","));
}

std::string marks_text(const Field& field) {
  std::string text;
  if (field.is_signed) text += " signed";
  if (field.scale != 1) text += fmt::format(" scale {}", field.scale);
  if (field.top != 0) text += fmt::format(" top {}", field.top);
  if (field.is_relative) text += " relative";
  if (field.is_extendable) text += " extendable";
  const auto stage = [&](std::string_view mark, const std::optional<uint32_t>& at) {
    if (at) text += *at == 0 ? fmt::format(" {}", mark) : fmt::format(" {}({})", mark, *at);
  };
  stage("reads", field.reads);
  stage("writes", field.writes);
  return text;
}

/// The text of a field. In a word that is only described, fields carry the operands in their order.
std::string field_text(const Field& field, bool is_described) {
  const std::string bits = field.letter.empty() ? fmt::format("{}", field.width) : field.letter;
  if (field.kind == FieldKind::kConstant) {
    return fmt::format("    constant(\"{}\", {}, {});\n", field.name, bits, field.constant);
  }
  if (field.kind == FieldKind::kFixed) {
    return fmt::format("    fixed(\"{}\", {}){} = {};\n", field.name, field.constant, marks_text(field), field.operand);
  }
  const std::string operand = is_described ? "" : " = " + field.operand;
  if (field.kind == FieldKind::kInteger) {
    return fmt::format("    ifield(\"{}\", {}){}{};\n", field.name, bits, marks_text(field), operand);
  }
  return fmt::format("    efield(\"{}\", {}, {}){}{};\n", field.name, bits, quoted_list(field.values),
                     marks_text(field), operand);
}

std::string slots_text(std::string_view name, uint32_t mask) {
  if (mask == 0) return {};
  std::vector<uint32_t> slots;
  for (uint32_t slot = 0; slot < 32; ++slot) {
    if ((mask >> slot & 1) != 0) slots.push_back(slot);
  }
  return fmt::format("    {} = [{}];\n", name, fmt::join(slots, ","));
}

}  // namespace

std::string pipes_text(uint32_t mask, const PacketRules& rules) {
  std::vector<std::string> names;
  for (size_t pipe = 0; pipe < rules.pipes.size(); ++pipe) {
    if ((mask >> pipe & 1) != 0) names.push_back(rules.pipes[pipe]);
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

std::string mnemonic_text(const Mnemonic& mnemonic, const PacketRules& rules) {
  std::string text = mnemonic.encoding.empty() ? fmt::format("  mnemonic {}({}) {{\n", mnemonic.name, mnemonic.opcode)
                                               : fmt::format("  mnemonic {} {{\n", mnemonic.name);
  if (!mnemonic.encoding.empty()) text += fmt::format("    encoding = \"{}\";\n", mnemonic.encoding);
  if (!mnemonic.syntax.empty()) text += fmt::format("    syntax = \"{}\";\n", mnemonic.syntax);
  const bool is_described = mnemonic.does == kDescribedWord;
  for (const Field& field : mnemonic.fields) text += field_text(field, is_described);
  text += slots_text("slots", mnemonic.slots) + slots_text("blocks", mnemonic.blocks);
  std::vector<std::string> pipes;
  for (uint32_t alternative : mnemonic.pipes) pipes.push_back(pipes_text(alternative, rules));
  if (!pipes.empty()) text += fmt::format("    pipes = {};\n", quoted_list(pipes));
  if (mnemonic.latency != 0) text += fmt::format("    latency = {};\n", mnemonic.latency);
  if (is_described) return text + "  }\n";
  return text + fmt::format("    does = {};\n  }}\n", qualified_name(mnemonic.does));
}

std::string packet_text(const PacketRules& rules) {
  if (rules.slots == 0) return {};
  std::string text =
      fmt::format("  packet {{ slots = {}; words = {}; interval = {};", rules.slots, rules.words, rules.interval);
  if (!rules.pipes.empty()) text += fmt::format(" pipes = {};", quoted_list(rules.pipes));
  return text + fmt::format(" parse = {}; more = {}; last = {}; loop_end = {}; }}\n", rules.parse, rules.more,
                            rules.last, rules.loop_end);
}

}  // namespace covenant::acg::lang
