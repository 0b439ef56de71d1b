#include "acg/behaviour/declaration_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "acg/base/failure.h"

namespace covenant::acg::behaviour {

using lang::Word;

namespace {

constexpr int64_t kMaxDepth = 1 << 20;  // items in a queue
constexpr int64_t kMaxHeld = 1 << 22;   // numbers in a queue

}  // namespace

/// Attributes in a block, each a constant.
void DeclarationReader::attributes_of(const std::string& subject,
                                      const std::vector<std::pair<std::string, int64_t*>>& known, int64_t low,
                                      int64_t high) {
  std::set<std::string> said;
  block([&] {
    const Word name = word("a name");
    if (!said.insert(name.text).second) throw twice(name.where, name.text);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == name.text; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const auto& one : known) names.push_back(one.first);
      throw unknown(name, subject + " has no such attribute", std::move(names));
    }
    require("=");
    *found->second = constant(name.text, low, high);
    require(";");
  });
}

/// `state NAME : TYPE = VALUE;`, `state NAME : u8[SIZE] off_chip;` or `table NAME : TYPE = [VALUES];`
void DeclarationReader::state_item(bool is_table) {
  const Word name = new_name(behaviour_.states, is_table ? "the name of the table" : "the name of the state");
  require_new(name);
  require(":");
  const std::optional<uint32_t> of_records = is_table ? std::nullopt : record(peek().text);
  if (of_records) return states_of(name, *of_records);
  State made{name.text, type(is_table ? kMaxLocalElements : kMaxStateElements), false, {}, is_table, name.where};
  if (is_table && !at_symbol("=")) throw expected("=", "give its values: `= [1, 2]`");
  made.is_off_chip = !is_table && is_off_chip(made.type);
  if (!made.is_off_chip && accept("=")) {
    made.has_initial = true;
    made.initial = initial(made.type);
  }
  require(";");
  behaviour_.states.push_back(std::move(made));
}

/// Passes over `off_chip`, if it comes. Platforms have bytes, so the elements have to be some.
bool DeclarationReader::is_off_chip(const Type& type) {
  if (!at_word("off_chip")) return false;
  const SourceLocation where = advance().where;
  if (type.bits == 8 && type.shape.size() == 1) return true;
  throw Failure{{"BEH0005",
                 where,
                 "off_chip",
                 "off-chip memory of other than bytes",
                 text_of(type),
                 {"u8[SIZE]", "i8[SIZE]"},
                 "declare its bytes, and let functions make numbers of them"}};
}

/// `state NAME : RECORD[4];`: a state for each member.
void DeclarationReader::states_of(const Word& name, uint32_t index) {
  advance();
  std::vector<int64_t> shape;
  int64_t most = kMaxStateElements;
  for (const Member& member : behaviour_.records[index].members) {
    most = std::min(most, kMaxStateElements / member.type.elements());
  }
  while (accept("[")) {
    shape.push_back(constant("the size of an array", 1, most));
    most /= shape.back();
    require("]");
  }
  require(";");
  for (const Member& member : behaviour_.records[index].members) {
    State made{name.text + "." + member.name, member.type, member.has_initial, member.initial, false, name.where};
    made.type.shape.insert(made.type.shape.begin(), shape.begin(), shape.end());
    if (behaviour_.states.size() >= kMostNames) throw too_many("names of this kind", kMostNames, name);
    behaviour_.states.push_back(std::move(made));
  }
  name_state_record(name, index, std::move(shape));
}

/// `record NAME { MEMBER : TYPE at BIT = VALUE; }`
void DeclarationReader::record_item() {
  Record made;
  const Word name = new_name(behaviour_.records, "the name of the record");
  made.name = name.text;
  made.where = name.where;
  block([&] {
    const Word member = new_name(made.members, "the name of the member");
    require(":");
    Member one{member.text, type(kMaxDataBits), 0, false, {}};
    if (!at_word("at")) throw expected("at", "say where its lowest bit is: `at 7`");
    advance();
    one.at = constant("the lowest bit", 0, kMaxDataBits);
    if (accept("=")) {
      one.has_initial = true;
      one.initial = initial(one.type);
    }
    require(";");
    for (const Member& other : made.members) {
      if (one.at >= other.end() || other.at >= one.end()) continue;
      throw Failure{{"BEH0008",
                     member.where,
                     made.name,
                     "members that share bits",
                     fmt::format("bits {} to {}", one.at, one.end() - 1),
                     {fmt::format("bits other than {} to {}, of {}", other.at, other.end() - 1, other.name)},
                     "let it begin elsewhere"}};
    }
    made.members.push_back(std::move(one));
  });
  if (made.members.empty()) {
    throw Failure{{"BEH0005",
                   name.where,
                   made.name,
                   "a record without members",
                   "{ }",
                   {"one member or more"},
                   "name its bits: `mode : u3 at 8;`"}};
  }
  behaviour_.records.push_back(std::move(made));
}

/// A number of every element, or a list of those of the innermost dimensions.
std::vector<int64_t> DeclarationReader::initial(const Type& type) {
  const Range range = type.range();
  std::vector<int64_t> values;
  const SourceLocation where = peek().where;
  const bool is_list = accept("[");
  do {
    values.push_back(constant("the initial value", range.low, range.high));
  } while (is_list && accept(","));
  if (is_list) require("]");
  int64_t inner = 1;
  bool fits = !is_list || values.size() == 1;
  for (size_t i = type.shape.size(); i-- > 0 && !fits;) {
    inner *= type.shape[i];
    fits = inner == static_cast<int64_t>(values.size());
  }
  if (!fits) {
    throw Failure{{"BEH0004",
                   where,
                   "",
                   "an array or a number of another shape",
                   fmt::format("{} values", values.size()),
                   {text_of(type)},
                   "give a value for each element of its inner dimensions"}};
  }
  const bool is_zero = std::all_of(values.begin(), values.end(), [](int64_t value) { return value == 0; });
  return is_zero ? std::vector<int64_t>{} : values;
}

/// `intrinsic NAME : exact { computes = "TERM"; where = "CONDITIONS"; }`. Compilers read the texts.
void DeclarationReader::intrinsic() {
  Intrinsic made;
  const Word name = new_name(behaviour_.intrinsics, "the name of the intrinsic");
  made.name = name.text;
  made.where = name.where;
  require(":");
  const Word exactness = word("exact or real");
  if (exactness.text != "exact" && exactness.text != "real") {
    throw unknown(exactness, "an intrinsic's values are exact or real", {"exact", "real"});
  }
  made.is_exact = exactness.text == "exact";
  block([&] {
    const Word part = word("computes or where");
    std::string* const into = part.text == "computes" ? &made.computes : &made.where_text;
    if (part.text != "computes" && part.text != "where") {
      throw unknown(part, "an intrinsic has no such part", {"computes", "where"});
    }
    if (!into->empty()) throw twice(part.where, part.text);
    require("=");
    *into = string(part.text == "computes" ? "a term" : "conditions").text;
    require(";");
  });
  if (made.computes.empty()) throw expected("computes", "say what it computes: `computes = \"(dense ?x ?w)\";`");
  behaviour_.intrinsics.push_back(std::move(made));
}

void DeclarationReader::queue_item() {
  const Word name = new_name(behaviour_.queues, "the name of the queue");
  require(":");
  Queue made{name.text, type(kMaxLocalElements), 0, name.where};
  attributes_of(name.text, {{"depth", &made.depth}}, 1, kMaxDepth);
  if (made.depth == 0) throw expected("depth", "say how many it holds: `depth = 4;`");
  if (made.depth * made.type.elements() > kMaxHeld) {
    throw Failure{{"BEH0005",
                   name.where,
                   name.text,
                   "a queue that may hold too many numbers",
                   fmt::format("{} items of {}", made.depth, made.type.elements()),
                   {fmt::format("{} numbers", kMaxHeld)},
                   "give it fewer items, or smaller ones"}};
  }
  behaviour_.queues.push_back(std::move(made));
}

/// `(code : u8, bias : u3)`
std::vector<Variable> DeclarationReader::arguments() {
  std::vector<Variable> result;
  require("(");
  while (!at_symbol(")")) {
    if (!result.empty()) require(",");
    const Word argument = word("an argument");
    require(":");
    const Type of = type(kMaxLocalElements);
    result.push_back(declare(argument, of, of.range()));
  }
  require(")");
  return result;
}

/// `function NAME(ARGUMENT : TYPE) : TYPE { let ...; return VALUE; }`
void DeclarationReader::function() {
  const Word name = new_name(behaviour_.functions, "the name of the function");
  Function made;
  made.name = name.text;
  made.where = name.where;
  made.arguments = arguments();
  require(":");
  made.type = type(kMaxLocalElements);
  require("{");
  while (at_word("let")) {
    for (Code& one : let()) made.lets.push_back(std::move(one));
  }
  if (!at_word("return")) throw expected("return", "end the function with `return VALUE;`");
  advance();
  made.result = value();
  require_fits(made.result, made.type, name.text);
  end_function(std::move(made));
  require(";");
  require("}");
}

void DeclarationReader::end_function(Function made) {
  made.listing = listing();
  made.listing.push_back({"return " + as_text(made.result), false, {}, {}});
  made.slots = slots();
  behaviour_.functions.push_back(std::move(made));
}

/// `format NAME(code : u8, bias : u3) { image = ...; exponent = ...; encode(number : i32) = ... at -14; }`
void DeclarationReader::format() {
  const Word name = new_name(behaviour_.formats, "the name of the format");
  Format made;
  made.name = name.text;
  made.where = name.where;
  made.arguments = arguments();
  const bool has_array = std::any_of(made.arguments.begin(), made.arguments.end(),
                                     [](const Variable& argument) { return argument.type.is_array(); });
  if (made.arguments.empty() || has_array) {
    throw expected("numbers", "the first argument is the code, the others are numbers: `(code : u8, bias : u3)`");
  }
  std::vector<std::string> missing{"image", "exponent", "encode"};
  block([&] {
    const Word part = word("image, exponent or encode");
    const auto found = std::find(missing.begin(), missing.end(), part.text);
    if (found == missing.end()) throw unknown(part, "a format has no such part, or has it already", missing);
    missing.erase(found);
    const uint32_t index = static_cast<uint32_t>(behaviour_.functions.size());
    part_of_format(made, part);
    (part.text == "image" ? made.image : part.text == "exponent" ? made.exponent : made.encode) = index;
    if (part.text == "encode") {
      if (!at_word("at")) throw expected("at", "say in which power of two it counts: `at -14`");
      advance();
      made.unit = constant("the power of two", -62, 62);
    }
    require(";");
  });
  if (!missing.empty()) {
    throw Failure{{"BEH0001",
                   name.where,
                   name.text,
                   "a part of the format is missing",
                   missing.front(),
                   {"image", "exponent", "encode"},
                   "say it: `image = code;`, `exponent = 0;`, `encode(x : i32) = x at 0;`"}};
  }
  behaviour_.formats.push_back(std::move(made));
}

/// A function of the format's arguments; `encode(number : i32)` of a number in place of the code.
void DeclarationReader::part_of_format(const Format& format, const Word& part) {
  Function made;
  made.name = format.name + "." + part.text;
  made.where = part.where;
  begin_frame();
  const bool is_encoder = part.text == "encode";
  if (is_encoder) made.arguments = arguments();
  if (is_encoder && (made.arguments.size() != 1 || made.arguments.front().type.is_array())) {
    throw expected("one number", "name what it encodes: `encode(number : i32)`");
  }
  for (size_t i = is_encoder ? 1 : 0; i < format.arguments.size(); ++i) {
    const Variable& argument = format.arguments[i];
    made.arguments.push_back(declare({argument.name, part.where}, argument.type, argument.range));
  }
  require("=");
  made.result = number();
  if (is_encoder) {
    made.type = format.arguments.front().type;
    require_fits(made.result, made.type, made.name);
  }
  end_function(std::move(made));
}

Failure DeclarationReader::taken(const Word& name) {
  return Failure{{"BEH0013", name.where, "", "the name is taken", name.text, {}, "use another name"}};
}

}  // namespace covenant::acg::behaviour
