#include "acg/lang/loop_parser.h"

#include <fmt/format.h>

#include "acg/base/failure.h"
#include "acg/lang/evaluate.h"

namespace covenant::acg::lang {
namespace {

constexpr int kMaxTurns = 10'000;
constexpr int kMaxLevels = 16;

Failure too_large(const SourceLocation& where, std::string shown) {
  return Failure{{"ACG0041",
                  where,
                  "",
                  "the machine is too large",
                  std::move(shown),
                  {fmt::format("up to {} turns", kMaxTurns)},
                  "let loops run over fewer values"}};
}

Failure wrong_count(const SourceLocation& where, size_t values, size_t names) {
  return Failure{{"ACG0045",
                  where,
                  "",
                  "a loop takes one value for each of its variables",
                  fmt::format("{}", values),
                  {fmt::format("{}", names)},
                  names == 1 ? "give one value" : "write the values of a turn as (A, B)"}};
}

}  // namespace

void LoopParser::loop(MachineSpec& spec, const Item& item) {
  const LexedToken start = advance();
  spec.has_loops = true;
  std::vector<Word> names;
  do {
    names.push_back(word("the name of a variable"));
  } while (accept(","));
  if (!at_word("in")) throw expected("in");
  advance();
  const std::vector<std::vector<LoopValue>> turns = values(names.size());
  const size_t body = position();
  if (is_reading() || turns.empty()) return dry(item);
  const std::map<std::string, LoopValue> outer = variables_;
  for (const std::vector<LoopValue>& turn : turns) {
    if (++turns_ > kMaxTurns) throw too_large(start.where, fmt::format("more than {} turns of loops", kMaxTurns));
    rewind(body);
    for (size_t i = 0; i < names.size(); ++i) variables_[names[i].text] = turn[i];
    block([&] { item(spec); });
  }
  variables_ = outer;
}

/// Parses the body of a loop to check its form and discards the result.
void LoopParser::dry(const Item& item) {
  const bool was_dry = is_dry_;
  is_dry_ = true;
  open();
  MachineSpec forgotten;
  block([&] { item(forgotten); });
  close();
  is_dry_ = was_dry;
}

void LoopParser::open() {
  if (++levels_ > kMaxLevels) throw expected("fewer levels", "nest at most 16 levels deep");
}

int64_t LoopParser::bound() {
  const Expression said = expression();
  return is_reading() ? 0 : evaluate(said, parameters_);
}

LoopValue LoopParser::turn_value() {
  if (peek().kind == TokenKind::kString) return string("a value").text;
  return bound();
}

std::vector<std::vector<LoopValue>> LoopParser::range(size_t names) {
  std::vector<std::vector<LoopValue>> turns;
  const SourceLocation where = peek().where;
  const int64_t low = bound();
  require("..");
  const int64_t high = bound();
  if (names > 1) throw wrong_count(where, 1, names);
  if (high >= low && static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= kMaxTurns) {
    throw too_large(where, fmt::format("{}..{}", low, high));
  }
  if (is_reading() || high < low) return turns;
  const int64_t count = high - low + 1;
  for (int64_t i = 0; i < count; ++i) turns.push_back({low + i});
  return turns;
}

std::vector<std::vector<LoopValue>> LoopParser::values(size_t names) {
  if (!accept("[")) return range(names);
  std::vector<std::vector<LoopValue>> turns;
  do {
    const SourceLocation where = peek().where;
    std::vector<LoopValue> turn;
    if (names == 1) {
      turn.push_back(turn_value());
    } else {
      require("(");
      do {
        turn.push_back(turn_value());
      } while (accept(","));
      require(")");
    }
    if (turn.size() != names) throw wrong_count(where, turn.size(), names);
    turns.push_back(std::move(turn));
  } while (accept(","));
  require("]");
  return turns;
}

}  // namespace covenant::acg::lang
