#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/behaviour/expression_reader.h"
#include "acg/behaviour/print.h"

namespace covenant::acg::behaviour {

using lang::Word;

namespace {

/// The numbers that an element can be: of a table, those that stand there.
Range range_of(const State& state) {
  if (!state.is_table || state.initial.empty()) return state.is_table ? Range{0, 0} : state.type.range();
  const auto [low, high] = std::minmax_element(state.initial.begin(), state.initial.end());
  return {*low, *high};
}

}  // namespace

Failure ExpressionReader::too_many(std::string_view what, size_t most, const Word& name) {
  return Failure{{"BEH0005",
                  name.where,
                  name.text,
                  fmt::format("more {} than there may be", what),
                  fmt::format("{}", most + 1),
                  {fmt::format("{}", most)},
                  "let an array, or fields of one instruction, stand for several"}};
}

Failure ExpressionReader::unknown(const Word& name, std::string_view what, std::vector<std::string> known) const {
  std::string fix = suggest(name.text, known);
  return Failure{{"BEH0001", name.where, "", std::string(what), name.text, std::move(known), std::move(fix)}};
}

std::optional<uint32_t> ExpressionReader::state(const std::string& name) const {
  for (uint32_t i = 0; i < behaviour_.states.size(); ++i) {
    if (behaviour_.states[i].name == name) return i;
  }
  return std::nullopt;
}

Expression ExpressionReader::named() {
  const auto loop_value = variables_.find(peek().text);
  if (loop_value != variables_.end() && std::holds_alternative<int64_t>(loop_value->second)) {
    return constant_of(std::get<int64_t>(loop_value->second), advance().where);
  }
  const Word name = qualified("a name");
  if (at_symbol("(")) return called(name);
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name != name.text) continue;
    Expression result;
    result.op = Op::kLocal;
    result.index = local->slot;
    result.range = local->range;
    result.where = name.where;
    indices(result, local->type);
    return result;
  }
  if (const std::optional<uint32_t> found = state(name.text)) {
    Expression result;
    result.op = Op::kState;
    result.index = *found;
    result.range = range_of(behaviour_.states[*found]);
    result.where = name.where;
    indices(result, behaviour_.states[*found].type);
    return result;
  }
  if (name.text == "cycle") {
    Expression result;
    result.op = Op::kCycle;
    result.range = {0, int64_t{1} << 62};
    result.where = name.where;
    return result;
  }
  if (name.text == "true" || name.text == "false") return constant_of(name.text == "true" ? 1 : 0, name.where);
  const auto parameter = constants_.find(name.text);
  if (parameter != constants_.end()) return constant_of(parameter->second, name.where);
  if (std::optional<Expression> found = local_record(name)) return *std::move(found);
  if (std::optional<Expression> found = record_state(name)) return *std::move(found);
  throw unknown(name, "no number or array has this name", known_names());
}

std::vector<std::string> ExpressionReader::known_names() const {
  std::vector<std::string> known;
  for (const Variable& local : locals_) known.push_back(local.name);
  for (const State& one : behaviour_.states) known.push_back(one.name);
  for (const auto& [parameter, _] : constants_) known.push_back(parameter);
  return known;
}

std::string ExpressionReader::as_text(const Expression& expression) const {
  return behaviour::text_of(behaviour_, frame_, expression);
}

void ExpressionReader::begin_frame() {
  forget_after(0);
  frame_.clear();
  slots_ = 0;
}

void ExpressionReader::require_new(const Word& name) const {
  const auto has_name = [&](const auto& one) { return one.name == name.text; };
  const bool is_local = std::any_of(locals_.begin(), locals_.end(), has_name) ||
                        std::any_of(local_records_.begin(), local_records_.end(), has_name) ||
                        std::any_of(state_records_.begin(), state_records_.end(), has_name);
  if (!is_local && !state(name.text) && !constants_.contains(name.text) && name.text != "cycle") return;
  throw Failure{{"BEH0013", name.where, "", "the name is taken", name.text, {}, "use another name"}};
}

Variable ExpressionReader::declare(const Word& name, const Type& type, const Range& range) {
  require_new(name);
  if (frame_.size() >= kMostNames) throw too_many("names of an update, a process or a function", kMostNames, name);
  Variable made{name.text, type, range, slots_};
  slots_ += static_cast<uint32_t>(type.elements());
  locals_.push_back(made);
  frame_.push_back(made);
  return made;
}

Type ExpressionReader::type(int64_t most_elements) {
  const Word name = word("a type");
  Type result{1, false, {}};
  if (name.text != "bool") {
    result.is_signed = name.text.front() == 'i';
    const std::string digits = name.text.substr(1);
    const bool is_number = !digits.empty() && digits.size() <= 2 && digits.front() != '0' &&
                           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    result.bits = is_number ? std::stoll(digits) : 0;
    const bool is_known = result.is_signed || name.text.front() == 'u';
    if (!is_known || result.bits < 1 || result.bits > (result.is_signed ? 64 : 63)) {
      throw Failure{{"BEH0005",
                     name.where,
                     "",
                     "no such type",
                     name.text,
                     {"u1 to u63", "i1 to i64", "bool"},
                     "name a number of bits"}};
    }
  }
  while (accept("[")) {
    result.shape.push_back(constant("the size of an array", 1, most_elements / result.elements()));
    require("]");
  }
  return result;
}

void ExpressionReader::require_fits(const Expression& value, const Type& type, const std::string& into) const {
  if (value.type.shape != type.shape || value.op == Op::kRecord) {
    const Type& shown = value.type;
    throw Failure{{"BEH0004",
                   value.where,
                   into,
                   "an array or a number of another shape",
                   value.op == Op::kRecord ? "a record"
                   : shown.is_array()      ? behaviour::text_of(shown)
                                           : "a number",
                   {behaviour::text_of(type)},
                   "give as many elements as it has"}};
  }
  const Range range = type.range();
  if (range.holds(value.range)) return;
  throw Failure{{"BEH0002",
                 value.where,
                 into,
                 fmt::format("a value that may not fit {}", behaviour::text_of(type)),
                 fmt::format("{}..{}", value.range.low, value.range.high),
                 {fmt::format("{}..{}", range.low, range.high)},
                 fmt::format("say what becomes of larger numbers: wrap({0}, ...) or saturate({0}, ...)",
                             behaviour::text_of(Type{type.bits, type.is_signed, {}}))}};
}

void ExpressionReader::indices(Expression& result, const Type& type) {
  result.type = type;
  result.whole = type.shape;
  while (result.type.is_array() && at_symbol("[")) {
    advance();
    Expression index = number();
    require("]");
    const int64_t size = result.type.shape.front();
    if (index.range.high < 0 || index.range.low >= size) {
      throw Failure{{"BEH0006",
                     index.where,
                     "",
                     "an index that is always past the array",
                     fmt::format("{}..{}", index.range.low, index.range.high),
                     {fmt::format("0..{}", size - 1)},
                     "count from 0"}};
    }
    result.type.shape.erase(result.type.shape.begin());
    result.children.push_back(std::move(index));
  }
  if (result.type.is_array() && result.type.elements() > kMaxLocalElements) {
    throw Failure{{"BEH0004",
                   result.where,
                   "",
                   "an array that is too large to be used as a value",
                   behaviour::text_of(result.type),
                   {fmt::format("up to {} elements", kMaxLocalElements)},
                   "take a part of it: a[i]"}};
  }
}

}  // namespace covenant::acg::behaviour
