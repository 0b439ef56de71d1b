#include "acg/behaviour/recorder.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/behaviour/engine.h"

namespace covenant::acg::behaviour {

void Spread::add(int64_t value, bool is_remarkable) {
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  ++count;
  remarkable += is_remarkable ? 1 : 0;
}

Recorder::Recorder(const Behaviour& behaviour)
    : behaviour_(behaviour),
      last_(behaviour.processes.size() + 1),
      instructions_(behaviour.instructions.size()),
      states_(behaviour.states.size()),
      functions_(behaviour.functions.size()) {}

void Recorder::executes(const Instruction& instruction) {
  ++instructions_[static_cast<size_t>(&instruction - behaviour_.instructions.data())].first;
}

void Recorder::steps(size_t track, const Instruction* instruction, const Code& end, uint64_t cycle, uint64_t cycles) {
  if (instruction != nullptr) {
    instructions_[static_cast<size_t>(instruction - behaviour_.instructions.data())].second += cycles;
  }
  const void* place = instruction != nullptr ? static_cast<const void*>(instruction) : &end;
  if (goes_on(track, place, cycle, cycles)) return;
  std::string name = instruction != nullptr ? instruction->name : fmt::format("line {}", end.where.line);
  const uint32_t line = instruction != nullptr ? instruction->where.line : end.where.line;
  add({static_cast<uint32_t>(track), cycle, cycles, std::move(name), line, false}, place);
}

void Recorder::waits(size_t track, const Code& at, uint64_t cycle) {
  if (goes_on(track, &at, cycle, 1)) return;
  add({static_cast<uint32_t>(track), cycle, 1, *waited_for(behaviour_, at), at.where.line, true}, &at);
}

bool Recorder::goes_on(size_t track, const void* place, uint64_t cycle, uint64_t cycles) {
  const Last& last = last_[track];
  if (last.place != place) return false;
  Span& before = spans_[last.span];
  if (before.begin + before.cycles != cycle) return false;
  before.cycles += cycles;
  return true;
}

void Recorder::add(Span span, const void* place) {
  if (spans_.size() == kMostSpans) {
    ++left_out_;
    return;
  }
  last_[span.track] = {spans_.size(), place};
  spans_.push_back(std::move(span));
}

void Recorder::writes(uint32_t state, int64_t value) {
  const Range range = behaviour_.states[state].type.range();
  const bool is_end = behaviour_.states[state].type.bits > 1 && (value == range.low || value == range.high);
  states_[state].add(value, is_end && value != 0);
}

void Recorder::calls(uint32_t function, const std::vector<int64_t>& frame, const std::vector<int64_t>& result) {
  const std::vector<Variable>& arguments = behaviour_.functions[function].arguments;
  const bool is_flushed = !arguments.empty() && !arguments.front().type.is_array() && frame.front() != 0;
  for (const int64_t number : result) functions_[function].add(number, is_flushed && number == 0);
}

void Recorder::saturates(const SourceLocation& where, bool has_changed) {
  auto& [count, changed] = saturations_[{where.file, where.line, where.column}];
  ++count;
  changed += has_changed ? 1 : 0;
}

}  // namespace covenant::acg::behaviour
