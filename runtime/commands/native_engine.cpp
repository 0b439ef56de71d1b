#include "runtime/commands/native_engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/behaviour/native/slots.h"

namespace covenant::runtime {

using acg::behaviour::Behaviour;
using acg::behaviour::Code;
using acg::behaviour::CodeKind;
using acg::behaviour::Command;
using acg::behaviour::Elements;
using acg::behaviour::Port;
using acg::behaviour::State;
namespace native = acg::behaviour::native;

namespace {

std::string name_of(const Behaviour& behaviour, size_t activity) {
  return activity == 0 ? "the command" : behaviour.processes[activity - 1].name;
}

/// Words of a command's bits, of which the first are its data.
std::array<uint64_t, native::kCommandWords + 1> words_of(const Port& port, const Command& command) {
  std::array<uint64_t, native::kCommandWords + 1> words{};
  std::memcpy(words.data(), command.data.data(), command.data.size());
  const auto set = [&](int64_t at, uint64_t value) {
    words[static_cast<size_t>(at / 64)] |= value << (at % 64);
    if (at % 64 != 0) words[static_cast<size_t>(at / 64) + 1] |= value >> (64 - at % 64);
  };
  set(port.data_bits, command.address);
  set(port.data_bits + port.address_bits, command.writes ? 1 : 0);
  return words;
}

std::vector<uint32_t> instructions_on(const Behaviour& behaviour, size_t port) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < behaviour.instructions.size(); ++i) {
    if (behaviour.instructions[i].port == port) found.push_back(i);
  }
  return found;
}

}  // namespace

NativeEngine::NativeEngine(Behaviour behaviour, NativeLibrary library)
    : behaviour_(std::move(behaviour)),
      library_(std::move(library)),
      lists_(native::lists_of(behaviour_)),
      waiting_(behaviour_.queues.size()),
      frame_(library_.library->frame_numbers),
      values_(behaviour_, elements_, waiting_, machine_.cycles) {
  values_.ask(goes_on());
  check(library_.library->list_count == lists_.size(), "a library of this behaviour");
  elements_.reserve(behaviour_.states.size());
  for (const State& state : behaviour_.states) elements_.emplace_back(state);
  for (Elements& elements : elements_) states_.push_back({elements.data(), elements.written()});
  add_queues();
  add_activities();
  machine_.host = this;
  machine_.evaluate = &NativeEngine::evaluate;
  machine_.goes_on = &NativeEngine::is_wanted_of;
  machine_.most_unasked = acg::behaviour::kMostUnasked;
  machine_.states = states_.data();
  machine_.queues = queues_.data();
  machine_.changed = changed_.data();
  machine_.activities = activities_.data();
  machine_.frame = frame_.data();
  machine_.queue_count = static_cast<uint32_t>(queues_.size());
  machine_.activity_count = static_cast<uint32_t>(activities_.size());
}

NativeEngine::~NativeEngine() {
  for (const native::Activity& activity : activities_) std::free(activity.writes.bytes);
}

NativeEngine::Memory NativeEngine::zeros(uint64_t bytes) const {
  Memory memory(std::calloc(std::max<uint64_t>(bytes, 8), 1));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void NativeEngine::add_queues() {
  for (const acg::behaviour::Queue& queue : behaviour_.queues) {
    const int64_t bytes = native::memory_bytes(queue.type) * queue.type.elements();
    memories_.push_back(zeros(static_cast<uint64_t>(bytes * queue.depth)));
    native::Queue made{};
    made.items = static_cast<uint8_t*>(memories_.back().get());
    made.item_bytes = bytes;
    made.depth = queue.depth;
    queues_.push_back(made);
  }
  changed_.resize(queues_.size());
}

void NativeEngine::add_activities() {
  const size_t instructions = behaviour_.instructions.size();
  const uint64_t* const sizes = library_.library->frame_bytes;
  uint64_t most = 0;
  for (size_t i = 0; i < instructions; ++i) most = std::max(most, sizes[i]);
  for (size_t i = 0; i <= behaviour_.processes.size(); ++i) {
    native::Activity made{};
    for (size_t level = 0; level < 2; ++level) {
      const bool is_process = i > 0 && level == 0;
      memories_.push_back(zeros(is_process ? sizes[instructions + i - 1] : most));
      made.frame[level] = memories_.back().get();
    }
    if (i > 0) {
      made.depth = 1;
      made.list[0] = static_cast<uint32_t>(instructions + i - 1);
    }
    activities_.push_back(made);
  }
}

void NativeEngine::use_memory(size_t state, uint8_t* bytes) {
  elements_[state].use(bytes);
  states_[state].data = bytes;
}

Status NativeEngine::begin(std::string_view name, const Command& command) {
  check(!is_busy(), "a command after the end of the one before");
  for (size_t i = 0; i < behaviour_.ports.size(); ++i) {
    const Port& port = behaviour_.ports[i];
    if (port.is_stream || port.name != name) continue;
    return guarded<Done>([&] {
      begin_on(i, command);
      return Done{};
    });
  }
  return acg::behaviour::no_port(behaviour_, name);
}

void NativeEngine::begin_on(size_t index, const Command& command) {
  const Port& port = behaviour_.ports[index];
  acg::behaviour::require_width(behaviour_, port, command);
  const auto words = words_of(port, command);
  const int64_t list = library_.library->decode(&machine_, index, words.data());
  if (list < 0) {
    throw Failure{not_decoded(behaviour_, instructions_on(behaviour_, index), command, bits_of(port, command))};
  }
  reply_.assign(command.writes ? 0 : command.data.size(), 0);
  machine_.reply = reply_.data();
  machine_.reply_bytes = reply_.size();
  native::Activity& host = activities_.front();
  host.depth = 1;
  host.list[0] = static_cast<uint32_t>(list);
  host.at[0] = 0;
}

std::vector<uint8_t> NativeEngine::take_reply() {
  machine_.reply_bytes = 0;
  return std::exchange(reply_, {});
}

Diagnostic NativeEngine::stopped() const {
  check(stopped_.has_value(), "a machine that has stopped says why");
  return stopped_.value_or(Diagnostic{});
}

Result<bool> NativeEngine::tick() {
  if (stopped_) return *stopped_;
  const int goes_on = library_.library->tick(&machine_);
  return goes_on < 0 ? Result<bool>(stopped()) : Result<bool>(goes_on > 0);
}

Diagnostic NativeEngine::failed(int outcome) const {
  if (outcome == -1) return stopped();
  return outcome == -2 ? deadlock() : acg::behaviour::unwanted(behaviour_.machine);
}

Result<bool> NativeEngine::end_command(uint64_t most_cycles) {
  if (!is_busy()) return true;
  if (stopped_) return *stopped_;
  const int outcome = library_.library->command(&machine_, most_cycles);
  return outcome < 0 ? Result<bool>(failed(outcome)) : Result<bool>(outcome > 0);
}

Result<bool> NativeEngine::run(uint64_t most_cycles) {
  const uint64_t begin = cycles();
  while (true) {
    Result<bool> asks = is_interrupted();
    if (!asks || *asks) return asks;
    const uint64_t done = cycles() - begin;
    if (done >= most_cycles) return false;
    if (stopped_) return *stopped_;
    const int outcome = library_.library->run(&machine_, most_cycles - done);
    if (outcome >= 0) return outcome > 0;
    if (outcome != -3) return failed(outcome);
    Result<bool> asked = is_interrupted();  // what is unusual is evaluated as the definition says
    if (!asked || *asked) return asked;
    if (cycles() - begin >= most_cycles) return false;
    spend(values_.done());
    if (!is_wanted()) return acg::behaviour::unwanted(behaviour_.machine);
    Result<bool> goes_on = tick();
    if (!goes_on) return goes_on;
    if (!*goes_on) return deadlock();
  }
}

Result<bool> NativeEngine::is_interrupted() const {
  const int asks = library_.library->asks(&machine_);
  if (asks >= 0) return asks > 0;
  return guarded<bool>([&] {
    update_waiting();
    values_.begin_cycle();
    std::vector<int64_t> frame(behaviour_.interrupt_slots);
    return values_.number(behaviour_.interrupt.front(), frame.data()) != 0;
  });
}

Diagnostic NativeEngine::deadlock() const {
  std::vector<acg::behaviour::Standing> all;
  for (size_t i = 0; i < activities_.size(); ++i) {
    const native::Activity& activity = activities_[i];
    if (activity.depth == 0) continue;
    const std::vector<Code>& code = *lists_[activity.list[activity.depth - 1]].code;
    const uint32_t at = activity.at[activity.depth - 1];
    if (at < code.size()) all.push_back({name_of(behaviour_, i), &code[at]});
  }
  return waits_for_ever(behaviour_, all);
}

void NativeEngine::update_waiting() const {
  for (size_t i = 0; i < queues_.size(); ++i) waiting_[i] = queues_[i].before;
}

bool NativeEngine::is_wanted_of(void* host) {
  const auto& asked = static_cast<NativeEngine*>(host)->goes_on();
  return !asked || asked();
}

bool NativeEngine::evaluate(void* host, uint32_t activity, uint32_t list, uint32_t at) {
  auto& engine = *static_cast<NativeEngine*>(host);
  try {
    engine.evaluate((*engine.lists_[list].code)[at], activity);
    return true;
  } catch (const Failure& failure) {
    engine.stopped_ = failure.diagnostic;
    return false;
  }
}

void NativeEngine::evaluate(const Code& code, uint32_t activity) {
  update_waiting();
  values_.go_on_after(machine_.work);
  values_.spend(code.where);
  spend(1);
  if (!is_wanted()) throw Failure{acg::behaviour::unwanted(behaviour_.machine, code.where)};
  if (code.kind == CodeKind::kFault) throw Failure{faulted(code, name_of(behaviour_, activity))};
  int64_t* const frame = frame_.data();
  if (code.kind == CodeKind::kAssign) {
    machine_.place = values_.place(code.expressions, 1, behaviour_.states[code.index].type, frame);
  }
  values_of_statement_ = values_.all(code.expressions.front(), frame);
  if (code.kind == CodeKind::kExecute) {
    Command command;
    for (const int64_t byte : values_of_statement_) command.data.push_back(static_cast<uint8_t>(byte));
    const Port& port = behaviour_.ports[behaviour_.instructions[code.instructions.front()].port];
    const std::vector<uint8_t> bits = bits_of(port, command);
    const std::optional<uint32_t> found = decoded(behaviour_, code.instructions, bits);
    if (!found) throw Failure{not_decoded(behaviour_, code.instructions, command, bits)};
    values_.spend(code.where, behaviour_.instructions[*found].slots);
  }
  machine_.values = values_of_statement_.data();
  machine_.work = values_.done();
}

Result<std::unique_ptr<NativeEngine>> open_native(Behaviour behaviour, const NativeOptions& options) {
  Result<NativeLibrary> library = build_native(behaviour, options);
  if (!library) return library.error();
  Diagnostic no_memory = acg::behaviour::no_memory_for(behaviour);
  try {
    auto native = std::make_unique<NativeEngine>(std::move(behaviour), *std::move(library));
    native->ask(options.goes_on);
    return native;
  } catch (const std::bad_alloc&) {
    return no_memory;
  }
}

}  // namespace covenant::runtime
