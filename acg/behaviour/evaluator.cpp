#include "acg/behaviour/evaluator.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/behaviour/arithmetic.h"
#include "acg/behaviour/uses.h"

namespace covenant::acg::behaviour {
namespace {

std::vector<Elements> elements_of(const Behaviour& behaviour) {
  std::vector<Elements> elements;
  elements.reserve(behaviour.states.size());
  for (const State& state : behaviour.states) elements.emplace_back(state);
  return elements;
}

/// Whether a statement may have to wait.
bool may_wait(const Code& code) {
  return code.kind == CodeKind::kPop || code.kind == CodeKind::kPush || code.kind == CodeKind::kWait;
}

std::vector<uint32_t> instructions_of(const Behaviour& behaviour, uint32_t port) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < behaviour.instructions.size(); ++i) {
    if (behaviour.instructions[i].port == port) found.push_back(i);
  }
  return found;
}

}  // namespace

Evaluator::Evaluator(Behaviour behaviour)
    : behaviour_(std::move(behaviour)),
      elements_(elements_of(behaviour_)),
      queues_(behaviour_.queues.size()),
      waiting_(behaviour_.queues.size()),
      values_(behaviour_, elements_, waiting_, cycles_) {
  values_.ask(goes_on());
  activities_.push_back({"the command", {}, {}, 0});
  for (const Process& process : behaviour_.processes) {
    activities_.push_back({process.name, {{&process.code, nullptr, 0, std::vector<int64_t>(process.slots)}}, {}, 0});
  }
}

Status Evaluator::begin(std::string_view name, const Command& command) {
  check(!is_busy(), "a command after the end of the one before");
  for (uint32_t i = 0; i < behaviour_.ports.size(); ++i) {
    const Port& port = behaviour_.ports[i];
    if (port.is_stream || port.name != name) continue;
    return guarded<Done>([&] {
      begin_on(port, instructions_of(behaviour_, i), command);
      return Done{};
    });
  }
  return no_port(behaviour_, name);
}

void Evaluator::begin_on(const Port& port, const std::vector<uint32_t>& among, const Command& command) {
  require_width(behaviour_, port, command);
  const std::vector<uint8_t> bits = bits_of(port, command);
  const std::optional<uint32_t> found = decoded(behaviour_, among, bits);
  if (!found) throw Failure{not_decoded(behaviour_, among, command, bits)};
  reply_.assign(command.writes ? 0 : command.data.size(), 0);
  enter(activities_.front(), behaviour_.instructions[*found], bits);
}

void Evaluator::record(Recorder& recorder) {
  recorder_ = &recorder;
  values_.record(&recorder);
}

void Evaluator::enter(Activity& activity, const Instruction& instruction, const std::vector<uint8_t>& bits) {
  if (recorder_ != nullptr) recorder_->executes(instruction);
  Call call{&instruction.update, &instruction, 0, std::vector<int64_t>(instruction.slots)};
  for (const Field& field : instruction.fields) {
    const Type& type = field.variable.type;
    for (int64_t i = 0; i < type.elements(); ++i) {
      const auto value = static_cast<int64_t>(extracted(bits, field.at + i * type.bits, type.bits));
      call.frame[static_cast<size_t>(field.variable.slot + i)] = wrapped(value, type);
    }
  }
  activity.calls.push_back(std::move(call));
}

Result<bool> Evaluator::run(uint64_t most_cycles) {
  return guarded<bool>([&] {
    const uint64_t begin = cycles_;
    while (!asks()) {
      if (cycles_ - begin >= most_cycles) return false;
      spend(values_.done());
      if (!is_wanted()) throw Failure{unwanted(behaviour_.machine)};
      if (!go_on()) throw Failure{deadlock()};
    }
    return true;
  });
}

Result<bool> Evaluator::end_command(uint64_t most_cycles) {
  for (const uint64_t first = cycles_; is_busy();) {
    if (stopped_) return *stopped_;
    if (cycles_ - first >= most_cycles) return false;
    if (!is_wanted()) return unwanted(behaviour_.machine);
    Result<bool> goes_on = tick();
    if (!goes_on) return goes_on;
    if (!*goes_on && is_busy()) return deadlock();
  }
  return true;
}

Result<bool> Evaluator::is_interrupted() const {
  return guarded<bool>([&] { return asks(); });
}

bool Evaluator::asks() const {
  if (behaviour_.interrupt.empty()) return false;
  values_.begin_cycle();
  std::vector<int64_t> frame(behaviour_.interrupt_slots);
  return values_.number(behaviour_.interrupt.front(), frame.data()) != 0;
}

Result<bool> Evaluator::tick() {
  return guarded<bool>([&] { return go_on(); });
}

bool Evaluator::go_on() {
  if (stopped_) throw Failure{*stopped_};
  try {
    return cycle();
  } catch (const Failure& failure) {
    stopped_ = failure.diagnostic;  // what it was doing is half done
    throw;
  }
}

bool Evaluator::cycle() {
  values_.begin_cycle();
  for (size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].taken = queues_[i].items.size();
    waiting_[i] = static_cast<int64_t>(queues_[i].taken);
  }
  bool goes_on = false;
  for (Activity& activity : activities_) {
    if (activity.remaining == 0) goes_on |= advance(activity);
    goes_on |= activity.remaining > 0;
  }
  for (Activity& activity : activities_) {
    if (activity.remaining == 0) continue;
    --activity.remaining;
    if (activity.remaining > 0) continue;
    for (const Write& write : activity.writes) {
      elements_[write.state].set(write.at, write.value);
      if (recorder_ != nullptr) recorder_->writes(write.state, write.value);
    }
    activity.writes.clear();
    // The last step of a command ends it.
    while (activity.calls.size() > (&activity == &activities_.front() ? 0 : 1) &&
           activity.calls.back().at == activity.calls.back().code->size()) {
      activity.calls.pop_back();
    }
  }
  for (Fifo& queue : queues_) {
    for (std::vector<int64_t>& item : queue.pushed) queue.items.push_back(std::move(item));
    queue.pushed.clear();
  }
  ++cycles_;
  const uint64_t work = values_.done() + activities_.size();
  work_ += work;
  spend(work);
  return goes_on || waits_for_time();
}

/// Runs an activity to the end of a step or to where it waits. Returns whether it has done anything.
bool Evaluator::advance(Activity& activity) {
  const bool is_host = &activity == &activities_.front();
  bool has_done = false;
  bool has_turned = false;
  while (!activity.calls.empty()) {
    Call& call = activity.calls.back();
    if (call.at == call.code->size()) {
      if (activity.calls.size() > 1 || is_host) {
        activity.calls.pop_back();
        continue;
      }
      if (has_turned) return has_done;  // a turn takes at least a cycle
      has_turned = true;
      call.at = 0;
      std::fill(call.frame.begin(), call.frame.end(), 0);
      if (call.code->empty()) return has_done;
    }
    const Code& next = (*call.code)[call.at];
    values_.spend(next.where);
    if (may_wait(next)) {
      if (!goes(next, call.frame.data())) {
        const bool is_idle = call.instruction == nullptr && call.at == 0;
        if (recorder_ != nullptr && !is_idle) recorder_->waits(track_of(activity), next, cycles_);
        return has_done;
      }
      ++call.at;
      has_done = true;
    } else if (!one(activity, next)) {
      return true;
    }
  }
  return has_done;
}

/// Does a statement that may wait; false if it does.
bool Evaluator::goes(const Code& code, int64_t* frame) {
  if (code.kind == CodeKind::kPop) return pop(code, frame);
  if (code.kind == CodeKind::kPush) return push(code, frame);
  return values_.number(code.expressions.front(), frame) != 0;
}

bool Evaluator::one(Activity& activity, const Code& code) {
  Call& call = activity.calls.back();
  int64_t* frame = call.frame.data();
  ++call.at;
  switch (code.kind) {
    case CodeKind::kLet: {
      const std::vector<int64_t> values = values_.all(code.expressions.front(), frame);
      std::copy(values.begin(), values.end(), frame + code.index);
      return true;
    }
    case CodeKind::kAssign:
      assign(activity, code, frame);
      return true;
    case CodeKind::kJump:
      call.at = code.target;
      return true;
    case CodeKind::kJumpUnless:
      if (values_.number(code.expressions.front(), frame) == 0) call.at = code.target;
      return true;
    case CodeKind::kEndStep:
      activity.remaining = std::max<int64_t>(values_.number(code.expressions.front(), frame), 1);
      if (recorder_ != nullptr) {
        recorder_->steps(track_of(activity), call.instruction, code, cycles_,
                         static_cast<uint64_t>(activity.remaining));
      }
      return false;
    case CodeKind::kExecute:
      execute(activity, code);
      return true;
    case CodeKind::kReply:
      reply(code, frame);
      return true;
    default:
      throw Failure{faulted(code, activity.name)};
  }
}

void Evaluator::assign(Activity& activity, const Code& code, int64_t* frame) {
  int64_t at = values_.place(code.expressions, 1, behaviour_.states[code.index].type, frame);
  for (const int64_t value : values_.all(code.expressions.front(), frame)) {
    activity.writes.push_back({code.index, at++, value});
  }
}

bool Evaluator::pop(const Code& code, int64_t* frame) {
  Fifo& queue = queues_[code.queue];
  if (queue.items.empty()) return false;
  std::copy(queue.items.front().begin(), queue.items.front().end(), frame + code.index);
  queue.items.pop_front();
  return true;
}

bool Evaluator::push(const Code& code, int64_t* frame) {
  Fifo& queue = queues_[code.queue];
  if (queue.taken >= static_cast<size_t>(behaviour_.queues[code.queue].depth)) return false;
  queue.pushed.push_back(values_.all(code.expressions.front(), frame));
  ++queue.taken;
  return true;
}

void Evaluator::execute(Activity& activity, const Code& code) {
  Command command;
  for (const int64_t byte : values_.all(code.expressions.front(), activity.calls.back().frame.data())) {
    command.data.push_back(static_cast<uint8_t>(byte));
  }
  const Port& port = behaviour_.ports[behaviour_.instructions[code.instructions.front()].port];
  const std::vector<uint8_t> bits = bits_of(port, command);
  const std::optional<uint32_t> found = decoded(behaviour_, code.instructions, bits);
  if (!found) throw Failure{not_decoded(behaviour_, code.instructions, command, bits)};
  values_.spend(code.where, behaviour_.instructions[*found].slots);
  enter(activity, behaviour_.instructions[*found], bits);
}

void Evaluator::reply(const Code& code, int64_t* frame) {
  const Expression& said = code.expressions.front();
  const std::vector<int64_t> values = values_.all(said, frame);
  // Elements of bytes lie one after another; a number has its lowest byte first.
  const size_t width = reply_.size() / values.size();
  for (size_t i = 0; i < width * values.size(); ++i) {
    const auto value = static_cast<uint64_t>(values[i / width]);
    const size_t byte = i % width;
    reply_[i] = byte > 7 ? 0 : static_cast<uint8_t>(value >> (8 * byte));
  }
}

/// Whether time alone may let an activity go on.
bool Evaluator::waits_for_time() const {
  return std::any_of(activities_.begin(), activities_.end(), [&](const Activity& activity) {
    if (activity.calls.empty()) return false;
    const Call& call = activity.calls.back();
    if (call.at == call.code->size()) return false;
    const Code& code = (*call.code)[call.at];
    return code.kind == CodeKind::kWait && reads_cycle(behaviour_, code.expressions.front());
  });
}

Diagnostic Evaluator::deadlock() const {
  std::vector<Standing> all;
  for (const Activity& activity : activities_) {
    if (activity.calls.empty()) continue;
    const Call& call = activity.calls.back();
    if (call.at < call.code->size()) all.push_back({activity.name, &(*call.code)[call.at]});
  }
  return waits_for_ever(behaviour_, all);
}

}  // namespace covenant::acg::behaviour
