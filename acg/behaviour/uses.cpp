#include "acg/behaviour/uses.h"

#include <algorithm>
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

}  // namespace

bool reads_cycle(const Behaviour& behaviour, const Expression& expression) {
  const auto reads = [&](const Expression& one) { return reads_cycle(behaviour, one); };
  if (expression.op == Op::kCycle) return true;
  if (expression.op == Op::kCall) {
    const Function& function = behaviour.functions[expression.index];
    const auto let_reads = [&](const Code& let) { return reads(let.expressions.front()); };
    if (reads(function.result) || std::any_of(function.lets.begin(), function.lets.end(), let_reads)) return true;
  }
  return std::any_of(expression.children.begin(), expression.children.end(), reads);
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
  for (uint32_t i = 0; i < behaviour.states.size(); ++i) {
    const State& state = behaviour.states[i];
    if (!state.is_table && !uses.written.contains(i))
      throw unused(state.where, state.name, "state that nothing writes", "make it a param");
    if (!uses.read.contains(i)) throw unused(state.where, state.name, "state that nothing reads", "remove it");
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
