#include "acg/lang/json_mnemonic.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/limits.h"
#include "acg/graph/words.h"

namespace covenant::acg::lang {
namespace {

Field field_of(const JsonReader& reader) {
  reader.only({"kind", "name", "width", "signed", "operand", "constant", "values", "letter", "scale", "top", "relative",
               "extendable", "reads", "writes"});
  Field field;
  const std::string kind = reader.at("kind").string();
  const std::optional<FieldKind> known = value_in(kFieldKinds, kind);
  if (!known) reader.at("kind").refuse("unknown kind of field", kind, names_in(kFieldKinds), "ACG0003");
  field.kind = *known;
  field.name = reader.at("name").string();
  field.width = reader.at("width").integer<uint32_t>({text_of(width_limits(field.kind))});
  field.is_signed = reader.at("signed").boolean();
  field.operand = reader.at("operand").string();
  const Limits constants = field.kind == FieldKind::kFixed ? kFixedNumber : constant_limits(field.width);
  field.constant = reader.at("constant").integer<uint64_t>({text_of(constants)});
  for (const JsonReader& value : reader.at("values").elements()) field.values.push_back(value.string());
  if (reader.has("letter")) field.letter = reader.at("letter").string();
  if (reader.has("scale")) field.scale = reader.at("scale").integer<uint32_t>({text_of(scale_limits(field.width))});
  if (reader.has("top")) field.top = reader.at("top").integer<uint32_t>({text_of(kFixedNumber)});
  if (reader.has("relative")) field.is_relative = reader.at("relative").boolean();
  if (reader.has("extendable")) field.is_extendable = reader.at("extendable").boolean();
  if (reader.has("reads")) field.reads = reader.at("reads").integer<uint32_t>();
  if (reader.has("writes")) field.writes = reader.at("writes").integer<uint32_t>();
  return field;
}

/// Rarely used properties are written only if they are not the default.
Json field_json(const Field& field) {
  Json json{{"kind", name_in(kFieldKinds, field.kind)},
            {"name", field.name},
            {"width", field.width},
            {"signed", field.is_signed},
            {"operand", field.operand},
            {"constant", field.constant},
            {"values", field.values}};
  if (!field.letter.empty()) json["letter"] = field.letter;
  if (field.scale != 1) json["scale"] = field.scale;
  if (field.top != 0) json["top"] = field.top;
  if (field.is_relative) json["relative"] = true;
  if (field.is_extendable) json["extendable"] = true;
  if (field.reads) json["reads"] = *field.reads;
  if (field.writes) json["writes"] = *field.writes;
  return json;
}

Json pipes_json(uint32_t mask, const PacketRules& rules) {
  Json json = Json::array();
  for (size_t pipe = 0; pipe < rules.pipes.size(); ++pipe) {
    if ((mask >> pipe & 1) != 0) json.push_back(rules.pipes[pipe]);
  }
  return json;
}

uint32_t pipes_of(const JsonReader& reader, const PacketRules& rules) {
  uint32_t mask = 0;
  for (const JsonReader& entry : reader.elements()) {
    const std::string name = entry.string();
    const auto found = std::find(rules.pipes.begin(), rules.pipes.end(), name);
    if (found == rules.pipes.end()) entry.refuse("unknown pipe", name, rules.pipes, "ACG0003");
    mask |= uint32_t{1} << (found - rules.pipes.begin());
  }
  return mask;
}

}  // namespace

Json mnemonic_json(const Mnemonic& mnemonic, const PacketRules& rules) {
  Json json{{"name", mnemonic.name},
            {"opcode", mnemonic.opcode},
            {"does", qualified_name(mnemonic.does)},
            {"fields", Json::array()}};
  for (const Field& field : mnemonic.fields) json["fields"].push_back(field_json(field));
  if (!mnemonic.encoding.empty()) json["encoding"] = mnemonic.encoding;
  if (!mnemonic.syntax.empty()) json["syntax"] = mnemonic.syntax;
  if (mnemonic.slots != 0) json["slots"] = mnemonic.slots;
  if (mnemonic.blocks != 0) json["blocks"] = mnemonic.blocks;
  for (uint32_t alternative : mnemonic.pipes) json["pipes"].push_back(pipes_json(alternative, rules));
  if (mnemonic.latency != 0) json["latency"] = mnemonic.latency;
  return json;
}

Mnemonic mnemonic_of(const JsonReader& reader, const Machine& machine) {
  reader.only({"name", "opcode", "does", "fields", "encoding", "syntax", "slots", "blocks", "pipes", "latency"});
  Mnemonic mnemonic;
  mnemonic.name = reader.at("name").string();
  mnemonic.opcode = reader.at("opcode").integer<uint32_t>({text_of(opcode_limits(machine.opcode_bits))});
  const std::string does = reader.at("does").string();
  const std::optional<Operation> operation = operation_named(does);
  if (!operation) {
    std::vector<std::string> allowed;
    for (const OperationInfo& entry : operations()) allowed.push_back(qualified_name(entry.operation));
    reader.at("does").refuse("unknown operation", does, std::move(allowed), "ACG0003");
  }
  mnemonic.does = *operation;
  for (const JsonReader& field : reader.at("fields").elements()) mnemonic.fields.push_back(field_of(field));
  if (reader.has("encoding")) mnemonic.encoding = reader.at("encoding").string();
  if (reader.has("syntax")) mnemonic.syntax = reader.at("syntax").string();
  if (reader.has("slots")) mnemonic.slots = reader.at("slots").integer<uint32_t>();
  if (reader.has("blocks")) mnemonic.blocks = reader.at("blocks").integer<uint32_t>();
  if (reader.has("pipes")) {
    for (const JsonReader& entry : reader.at("pipes").elements())
      mnemonic.pipes.push_back(pipes_of(entry, machine.packet));
  }
  if (reader.has("latency")) mnemonic.latency = reader.at("latency").integer<uint32_t>();
  mnemonic.where = reader.where();
  return mnemonic;
}

Json packet_json(const PacketRules& rules) {
  return {{"slots", rules.slots}, {"words", rules.words}, {"interval", rules.interval}, {"pipes", rules.pipes},
          {"parse", rules.parse}, {"more", rules.more},   {"last", rules.last},         {"loop_end", rules.loop_end}};
}

PacketRules packet_of(const JsonReader& reader) {
  reader.only({"slots", "words", "interval", "pipes", "parse", "more", "last", "loop_end"});
  PacketRules rules;
  rules.slots = reader.at("slots").integer<uint32_t>({text_of(kPacketSlots)});
  rules.words = reader.at("words").integer<uint32_t>({text_of(kPacketWords)});
  rules.interval = reader.at("interval").integer<uint32_t>({text_of(kPacketInterval)});
  for (const JsonReader& pipe : reader.at("pipes").elements()) rules.pipes.push_back(pipe.string());
  rules.parse = reader.at("parse").string();
  rules.more = reader.at("more").integer<uint32_t>();
  rules.last = reader.at("last").integer<uint32_t>();
  rules.loop_end = reader.at("loop_end").integer<uint32_t>();
  return rules;
}

}  // namespace covenant::acg::lang
