#include "acg/behaviour/uses.h"

#include <algorithm>
#include <map>
#include <set>

#include "acg/base/failure.h"

namespace covenant::acg::behaviour {
namespace {

struct Uses {
  std::set<uint32_t> read, written, pushed, popped, executed;

  void add(const Expression& expression) {
    if (expression.op == Op::kState) read.insert(expression.index);
    for (const Expression& child : expression.children) add(child);
  }

  void add(const std::vector<Code>& code) {
    for (const Code& one : code) {
      for (const Expression& expression : one.expressions) add(expression);
      if (one.kind == CodeKind::kAssign) written.insert(one.index);
      if (one.kind == CodeKind::kPush) pushed.insert(one.queue);
      if (one.kind == CodeKind::kPop) popped.insert(one.queue);
      executed.insert(one.instructions.begin(), one.instructions.end());
    }
  }
};

Failure unused(const SourceLocation& where, const std::string& name, std::string message, std::string fix) {
  return Failure{{"BEH0011", where, name, std::move(message), name, {}, std::move(fix)}};
}

/// Whether values depend, by themselves, on an expression of a kind. Looks at each function once, however often it is
/// called: few functions that call each other can ask for more calls than anyone waits for.
class Dependence {
 public:
  using Kind = bool (*)(const Behaviour&, const Expression&);
  Dependence(const Behaviour& behaviour, Kind is_it) : behaviour_(behaviour), is_it_(is_it) {}

  bool of(const Expression& expression) {
    if (is_it_(behaviour_, expression)) return true;
    if (expression.op == Op::kCall && of_function(expression.index)) return true;
    return std::any_of(expression.children.begin(), expression.children.end(),
                       [&](const Expression& child) { return of(child); });
  }

 private:
  bool of_function(uint32_t index) {
    if (const auto known = functions_.find(index); known != functions_.end()) return known->second;
    const Function& function = behaviour_.functions[index];
    const auto let_depends = [&](const Code& let) { return of(let.expressions.front()); };
    const bool depends = of(function.result) || std::any_of(function.lets.begin(), function.lets.end(), let_depends);
    return functions_[index] = depends;
  }

  const Behaviour& behaviour_;
  Kind is_it_;
  std::map<uint32_t, bool> functions_;
};

bool reads_off_chip(const Behaviour& behaviour, const Expression& expression) {
  const auto is_off_chip = [](const Behaviour& of, const Expression& one) {
    return one.op == Op::kState && of.states[one.index].is_off_chip;
  };
  return Dependence(behaviour, is_off_chip).of(expression);
}

/// Nothing tells a machine that others have changed memory outside of it: it has to look, in a step.
void require_on_chip(const Behaviour& behaviour, const Expression& waited_for) {
  if (!reads_off_chip(behaviour, waited_for)) return;
  throw Failure{{"BEH0009",
                 waited_for.where,
                 behaviour.machine,
                 "off-chip memory in what a machine waits for",
                 "wait, interrupt",
                 {"state on the chip, items, room, cycle"},
                 "read it in a step, again and again, into state that is waited for"}};
}

void check_waits(const Behaviour& behaviour, const std::vector<Code>& code) {
  for (const Code& one : code) {
    if (one.kind == CodeKind::kWait) require_on_chip(behaviour, one.expressions.front());
  }
}

}  // namespace

bool reads_cycle(const Behaviour& behaviour, const Expression& expression) {
  const auto is_cycle = [](const Behaviour& /*of*/, const Expression& one) { return one.op == Op::kCycle; };
  return Dependence(behaviour, is_cycle).of(expression);
}

bool changes_by_itself(const Behaviour& behaviour, const Expression& expression) {
  return reads_cycle(behaviour, expression) || reads_off_chip(behaviour, expression);
}

void check_uses(const Behaviour& behaviour) {
  Uses uses;
  for (const Function& function : behaviour.functions) {
    uses.add(function.lets);
    uses.add(function.result);
  }
  for (const Instruction& instruction : behaviour.instructions) uses.add(instruction.update);
  for (const Process& process : behaviour.processes) uses.add(process.code);
  for (const Expression& interrupt : behaviour.interrupt) uses.add(interrupt);
  for (const Instruction& instruction : behaviour.instructions) check_waits(behaviour, instruction.update);
  for (const Process& process : behaviour.processes) check_waits(behaviour, process.code);
  for (const Expression& interrupt : behaviour.interrupt) require_on_chip(behaviour, interrupt);
  for (uint32_t i = 0; i < behaviour.states.size(); ++i) {
    const State& state = behaviour.states[i];
    const bool is_read = uses.read.contains(i), is_written = uses.written.contains(i);
    if (state.is_off_chip && (is_read || is_written)) continue;  // the rest do others
    if (!state.is_table && !is_written)
      throw unused(state.where, state.name, "state that nothing writes", "make it a param");
    const char* unread = state.is_table ? "a table that nothing reads" : "state that nothing reads";
    if (!is_read) throw unused(state.where, state.name, unread, "remove it");
  }
  for (uint32_t i = 0; i < behaviour.queues.size(); ++i) {
    const Queue& queue = behaviour.queues[i];
    if (!uses.pushed.contains(i)) throw unused(queue.where, queue.name, "a queue that nothing fills", "push into it");
    if (!uses.popped.contains(i)) throw unused(queue.where, queue.name, "a queue that nothing empties", "pop from it");
  }
  for (uint32_t i = 0; i < behaviour.instructions.size(); ++i) {
    const Instruction& instruction = behaviour.instructions[i];
    if (!behaviour.ports[instruction.port].is_stream || uses.executed.contains(i)) continue;
    throw unused(instruction.where, instruction.name, "an instruction that no process executes", "execute it");
  }
}

}  // namespace covenant::acg::behaviour
