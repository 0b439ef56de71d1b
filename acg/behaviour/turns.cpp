#include "acg/behaviour/turns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "acg/base/failure.h"
#include "acg/behaviour/uses.h"

namespace covenant::acg::behaviour {
namespace {

/// How statements may come from their begin to their end without anything that takes a cycle or waits.
struct Passage {
  bool is_there = false;
  std::optional<SourceLocation> timed;  ///< where such a way reads what changes by itself
};

/// Whether a loop whose counter begins at statement `at` has a turn: its end is the statement before.
bool has_turn(const std::vector<Code>& code, size_t at) {
  if (at == 0 || at + 1 >= code.size() || code[at + 1].kind != CodeKind::kJumpUnless) return false;
  const Code &end = code[at - 1], &begin = code[at];
  const Expression& condition = code[at + 1].expressions.front();
  if (end.kind != CodeKind::kLet || begin.kind != CodeKind::kLet || condition.op != Op::kLessEqual) return false;
  const Expression &left = condition.children[0], &right = condition.children[1];
  const bool is_of_both =
      left.op == Op::kLocal && right.op == Op::kLocal && left.index == begin.index && right.index == end.index;
  return is_of_both && begin.expressions.front().range.high <= end.expressions.front().range.low;
}

class Turns {
 public:
  explicit Turns(const Behaviour& behaviour) : behaviour_(behaviour) {
    for (const Instruction& instruction : behaviour.instructions) {
      // An update executes no words.
      instructions_.push_back(passage(instruction.update));
    }
  }

  Passage passage(const std::vector<Code>& code) const {
    std::vector<std::vector<size_t>> next(code.size() + 1), previous(code.size() + 1);
    for (size_t at = 0; at < code.size(); ++at) {
      next[at] = after(code, at);
      for (const size_t to : next[at]) previous[to].push_back(at);
    }
    const std::vector<bool> from_begin = reached(next, 0), to_end = reached(previous, code.size());
    Passage found{from_begin.back(), {}};
    for (size_t at = 0; at < code.size() && !found.timed; ++at) {
      if (from_begin[at] && to_end[at]) found.timed = timed(code[at]);
    }
    return found;
  }

 private:
  /// Statements that may follow in the same cycle.
  std::vector<size_t> after(const std::vector<Code>& code, size_t at) const {
    switch (code[at].kind) {
      case CodeKind::kEndStep:
      case CodeKind::kPop:
      case CodeKind::kPush:
      case CodeKind::kWait:
      case CodeKind::kFault:
        return {};
      case CodeKind::kJump:
        return {code[at].target};
      case CodeKind::kJumpUnless:
        return {at + 1, code[at].target};
      case CodeKind::kExecute: {
        const std::vector<uint32_t>& all = code[at].instructions;
        const bool may_pass = std::ranges::any_of(all, [&](uint32_t one) { return instructions_[one].is_there; });
        return may_pass ? std::vector<size_t>{at + 1} : std::vector<size_t>{};
      }
      default:
        return {has_turn(code, at) ? at + 2 : at + 1};
    }
  }

  static std::vector<bool> reached(const std::vector<std::vector<size_t>>& next, size_t from) {
    std::vector<bool> is_reached(next.size());
    std::vector<size_t> left{from};
    is_reached[from] = true;
    while (!left.empty()) {
      const size_t at = left.back();
      left.pop_back();
      for (const size_t to : next[at]) {
        if (!is_reached[to]) left.push_back(to);
        is_reached[to] = true;
      }
    }
    return is_reached;
  }

  std::optional<SourceLocation> timed(const Code& code) const {
    for (const Expression& expression : code.expressions) {
      if (changes_by_itself(behaviour_, expression)) return expression.where;
    }
    for (const uint32_t one : code.instructions) {
      if (instructions_[one].timed) return instructions_[one].timed;
    }
    return std::nullopt;
  }

  const Behaviour& behaviour_;
  std::vector<Passage> instructions_;
};

}  // namespace

void check_turns(const Behaviour& behaviour) {
  const Turns turns(behaviour);
  for (const Process& process : behaviour.processes) {
    const std::optional<SourceLocation> timed = turns.passage(process.code).timed;
    if (!timed) continue;
    throw Failure{{"BEH0016",
                   *timed,
                   process.name,
                   "a turn that may end without a step or a wait",
                   "reads cycle or off-chip memory",
                   {},
                   "wait for it (`wait cycle >= 10;`), or end each turn with a step (`step { }`)"}};
  }
}

}  // namespace covenant::acg::behaviour
