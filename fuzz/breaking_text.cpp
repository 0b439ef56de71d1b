/// Rules that break the written forms: `.acg` text and JSON.
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "acg/graph/queries.h"
#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "fuzz/breaking.h"

namespace covenant::runtime::breaking {
namespace {

using acg::Machine;
using acg::MemoryKind;
using nlohmann::json;

/// One of all places of `mark` in `text`, drawn at random.
size_t a_place(const std::string& text, Draw& draw, std::string_view mark) {
  std::vector<size_t> places;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) places.push_back(at);
  return draw.of(places);
}

std::string without(Machine& machine, Draw& draw, std::string_view mark) {
  std::string text = acg::print(machine);
  return text.erase(a_place(text, draw, mark), mark.size());
}

// ---- Form. The text ends with the brace that closes the machine, and has no comments.

std::string cut_short(Machine machine, Draw& draw) {
  const std::string text = acg::print(machine);
  return text.substr(0, static_cast<size_t>(draw.between(0, static_cast<int64_t>(text.rfind('}')))));
}

std::string brace_missing(Machine machine, Draw& draw) { return without(machine, draw, draw.once_in(2) ? "{" : "}"); }

std::string brace_too_many(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  return text.insert(a_place(text, draw, "\n"), draw.once_in(2) ? "{" : "}");
}

/// Not the last one of a block, which a word need not have.
std::string semicolon_missing(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  size_t at = a_place(text, draw, ";");
  while (text[text.find_first_not_of(" \n", at + 1)] == '}') at = a_place(text, draw, ";");
  return text.erase(at, 1);
}
std::string quote_missing(Machine machine, Draw& draw) { return without(machine, draw, "\""); }
std::string equals_missing(Machine machine, Draw& draw) { return without(machine, draw, " ="); }
std::string arrow_missing(Machine machine, Draw& draw) { return without(machine, draw, "->"); }

std::string stray_character(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  const std::string stray = draw.of(std::vector<std::string>{"@", "\x01", "\xff", "?", "'", "`", std::string(1, '\0')});
  return text.insert(a_place(text, draw, "\n"), stray);
}

std::string statement_unknown(Machine machine, Draw& draw) {
  return with_statement(acg::print(machine), draw.of(std::vector<std::string>{"register A {}", "edges A -> B;", "7;"}));
}

// ---- Names and values

/// Changes the value of `name` in one of the memories.
std::string memory_says(Machine& machine, Draw& draw, std::string_view name, std::string_view value) {
  const std::string start = start_of(draw.of(machine.memories));
  return with_value(acg::print(machine), start, name, value);
}

std::string attribute_unknown(Machine machine, Draw& draw) {
  const std::string start = start_of(draw.of(machine.memories));
  return with_value(acg::print(machine), start, "kind", "scratchpad; colour = 3");
}
std::string attribute_twice(Machine machine, Draw& draw) {
  return memory_says(machine, draw, "depth", "64; depth = 64");
}
std::string kind_unknown(Machine machine, Draw& draw) { return memory_says(machine, draw, "kind", "magnetic"); }
std::string number_for_word(Machine machine, Draw& draw) { return memory_says(machine, draw, "kind", "3"); }
std::string word_for_number(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "deep"); }
std::string text_for_number(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "\"64\""); }
std::string zero_divided(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "64 / (3 - 3)"); }
std::string overflow(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "4G * 4G * 4G"); }
std::string logarithm(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "clog2(0)"); }
std::string values_missing(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", "clog2()"); }
std::string nested(Machine machine, Draw& draw) {
  return memory_says(machine, draw, "depth", std::string(5000, '(') + "1" + std::string(5000, ')'));
}
std::string digits(Machine machine, Draw& draw) { return memory_says(machine, draw, "depth", std::string(40, '9')); }

std::string unit_unknown(Machine machine, Draw& draw) {
  const std::string start = start_of(draw.of(machine.computes));
  return with_value(acg::print(machine), start, "unit", draw.once_in(2) ? "quantum_array" : "4");
}

std::string unit_missing(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  const size_t first = a_place(text, draw, "    unit = ");
  return text.erase(first, text.find('\n', first) + 1 - first);
}

std::string node_unknown(Machine machine, Draw& draw) {
  const std::string line = draw.once_in(2) ? "edge {} -> NOWHERE;" : "edge NOWHERE -> {};";
  const std::string name = a_memory(machine, draw, MemoryKind::kScratchpad).name;
  return with_statement(acg::print(machine), fmt::format(fmt::runtime(line), name));
}

std::string type_unknown(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  return text.replace(a_place(text, draw, "(i32,"), 5, "(i31,");
}

std::string clock_unit(Machine machine, Draw& draw) {
  return with_value(acg::print(machine), "  clock", "clock", draw.once_in(2) ? "1 parsec" : "fast");
}

std::string bandwidth_missing(Machine machine, Draw& draw) {
  std::string text = acg::print(machine);
  const size_t first = a_place(text, draw, " { bandwidth = ");
  return text.replace(first, text.find('}', first) + 1 - first, ";");
}

/// A statement that no machine may have.
std::string statement(Machine& machine, std::string_view line) { return with_statement(acg::print(machine), line); }

std::string preset(Machine machine, Draw& draw) {
  return statement(machine, draw.once_in(2) ? "preset \"small\" { SIZE = 3; }" : "preset = \"absent\";");
}
std::string include(Machine machine, Draw& /*draw*/) { return statement(machine, "include \"not/there.acg\";"); }
std::string loop_too_long(Machine machine, Draw& /*draw*/) {
  return statement(machine, "for i in 0..1000000000 { memory A$i { depth = 1; } }");
}
std::string loop_variable(Machine machine, Draw& /*draw*/) {
  return statement(machine, "for i in 0..1 { memory A$j { depth = 1; } }");
}
std::string loop_values(Machine machine, Draw& /*draw*/) {
  return statement(machine, "for i, j in [(1, 2), (3)] { memory A$i { depth = j; } }");
}
std::string parameter(Machine machine, Draw& draw) {
  return statement(machine, draw.of(std::vector<std::string>{"param A in 1..4 = 5;", "param A in [1, 2] = 3;",
                                                             "param A: bool = 7;", "param A: word = 1;"}));
}
std::string element_type(Machine machine, Draw& draw) {
  return statement(machine, draw.of(std::vector<std::string>{"dtype i8 { bits = 8; }", "dtype f9 { bits = 0; }",
                                                             "dtype fixed { bits = 8; }", "dtype f9 {}"}));
}
std::string inner_node(Machine machine, Draw& /*draw*/) {
  return statement(machine, "memory OUTSIDE.INNER { depth = 4; }");
}
std::string bad_name(Machine machine, Draw& /*draw*/) { return statement(machine, "memory 3D { depth = 4; }"); }

// ---- JSON

json as_json(const Machine& machine) { return json::parse(acg::to_json(machine)); }

/// One of the memories, as JSON.
json& a_memory_of(json& document, Draw& draw) {
  json& memories = document["memories"];
  return memories[static_cast<size_t>(draw.between(0, static_cast<int64_t>(memories.size()) - 1))];
}

std::string json_cut(Machine machine, Draw& draw) {
  const std::string text = acg::to_json(machine);
  return text.substr(0, static_cast<size_t>(draw.between(1, static_cast<int64_t>(text.rfind('}')))));
}

std::string json_key(Machine machine, Draw& draw) {
  json document = as_json(machine);
  a_memory_of(document, draw).erase(draw.of(std::vector<std::string>{"name", "kind", "depth", "banks"}));
  return document.dump();
}

std::string json_stranger(Machine machine, Draw& draw) {
  json document = as_json(machine);
  (draw.once_in(2) ? document : a_memory_of(document, draw))["colour"] = 3;
  return document.dump();
}

std::string json_type(Machine machine, Draw& draw) {
  json document = as_json(machine);
  a_memory_of(document, draw)[draw.once_in(2) ? "depth" : "name"] =
      draw.of(std::vector<json>{json::array(), json::object(), nullptr, true, -1, 0.5});
  return document.dump();
}

std::string json_list(Machine machine, Draw& draw) {
  json document = as_json(machine);
  document[draw.of(std::vector<std::string>{"memories", "computes", "edges", "mnemonics"})] = draw.of(
      std::vector<json>{json::object({{"a", 1}}), 3, "all", json::array({json::array()}), json::array({nullptr})});
  return document.dump();
}

std::string json_node(Machine machine, Draw& draw) {
  json document = as_json(machine);
  json& edges = document["edges"];
  edges[static_cast<size_t>(draw.between(0, static_cast<int64_t>(edges.size()) - 1))][draw.once_in(2) ? "from" : "to"] =
      "NOWHERE";
  return document.dump();
}

constexpr std::array kTextRules{
    Rule{"cut short", cut_short},
    Rule{"brace missing", brace_missing},
    Rule{"brace too many", brace_too_many},
    Rule{"semicolon missing", semicolon_missing},
    Rule{"quote missing", quote_missing},
    Rule{"equals missing", equals_missing},
    Rule{"arrow missing", arrow_missing},
    Rule{"stray character", stray_character},
    Rule{"statement unknown", statement_unknown},
    Rule{"attribute unknown", attribute_unknown},
    Rule{"attribute twice", attribute_twice},
    Rule{"kind unknown", kind_unknown},
    Rule{"number for a word", number_for_word},
    Rule{"word for a number", word_for_number},
    Rule{"text for a number", text_for_number},
    Rule{"division by zero", zero_divided},
    Rule{"value too large", overflow},
    Rule{"logarithm of zero", logarithm},
    Rule{"function without values", values_missing},
    Rule{"nested too deeply", nested},
    Rule{"too many digits", digits},
    Rule{"unit unknown", unit_unknown},
    Rule{"unit missing", unit_missing},
    Rule{"node unknown", node_unknown},
    Rule{"element type unknown", type_unknown},
    Rule{"clock unit", clock_unit},
    Rule{"bandwidth missing", bandwidth_missing},
    Rule{"preset", preset},
    Rule{"include", include},
    Rule{"loop too long", loop_too_long},
    Rule{"loop variable", loop_variable},
    Rule{"loop values", loop_values},
    Rule{"parameter out of range", parameter},
    Rule{"element type", element_type},
    Rule{"inner node alone", inner_node},
    Rule{"name that is none", bad_name},
    Rule{"JSON cut short", json_cut},
    Rule{"JSON without a key", json_key},
    Rule{"JSON with a key too many", json_stranger},
    Rule{"JSON value of another type", json_type},
    Rule{"JSON list of something else", json_list},
    Rule{"JSON node unknown", json_node},
};

}  // namespace

std::span<const Rule> text_rules() { return kTextRules; }

}  // namespace covenant::runtime::breaking
