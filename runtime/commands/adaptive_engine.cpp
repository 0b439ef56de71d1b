#include "runtime/commands/adaptive_engine.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/behaviour/native/emit.h"

namespace covenant::runtime {

using acg::behaviour::Behaviour;
using acg::behaviour::Command;
using acg::behaviour::Engine;
using acg::behaviour::Evaluator;

namespace {

/// Cycles after which the work is looked at.
constexpr uint64_t kSlice = 16;
/// Characters of a machine's C++ from which on compiling would take minutes: such a machine is compiled if it is asked
/// for.
constexpr size_t kMostSource = size_t{4} << 20;

size_t source_size(const Behaviour& behaviour) {
  return acg::behaviour::native::emit(behaviour).at(acg::behaviour::native::kSource).size();
}

}  // namespace

AdaptiveEngine::AdaptiveEngine(Behaviour behaviour, NativeOptions options, Bounds bounds)
    : options_(std::move(options)), bounds_(bounds), evaluator_(std::make_unique<Evaluator>(std::move(behaviour))) {
  evaluator_->ask(options_.goes_on);
}

void AdaptiveEngine::ask(std::function<bool()> goes_on) {
  engine().ask(goes_on);
  options_.goes_on = std::move(goes_on);
}

Engine& AdaptiveEngine::engine() const { return native_ ? static_cast<Engine&>(*native_) : *evaluator_; }

void AdaptiveEngine::remember_cycles(uint64_t before) {
  if (!may_compile_ || native_) return;
  (done_.empty() ? first_cycles_ : done_.back().cycles) += cycles() - before;
}

/// Memory that others share is not as before when something is done again: the machine is compiled now, or not at all.
void AdaptiveEngine::use_memory(size_t state, uint8_t* bytes) {
  const bool is_new = may_compile_ && cycles() == 0 && done_.empty();
  if (is_new && !native_) native_ = compiled();
  if (native_) evaluator_.reset();
  may_compile_ = false;
  forget();
  engine().use_memory(state, bytes);
}

Status AdaptiveEngine::begin(std::string_view port, const Command& command) {
  Status begun = engine().begin(port, command);
  if (!begun || !may_compile_ || native_) return begun;
  const std::vector<acg::behaviour::Port>& ports = behaviour().ports;
  const auto on =
      std::find_if(ports.begin(), ports.end(), [&](const auto& one) { return !one.is_stream && one.name == port; });
  done_.push_back({command.address, 0, static_cast<uint32_t>(on - ports.begin()), command.writes});
  data_.insert(data_.end(), command.data.begin(), command.data.end());
  return begun;
}

std::vector<uint8_t> AdaptiveEngine::take_reply() { return engine().take_reply(); }

Result<bool> AdaptiveEngine::tick() {
  const uint64_t before = cycles();
  Result<bool> goes_on = engine().tick();
  remember_cycles(before);
  if (goes_on) compile_if_much();
  return goes_on;
}

Result<bool> AdaptiveEngine::run(uint64_t most_cycles) {
  for (uint64_t left = most_cycles;;) {
    if (native_) return native_->run(left);
    const uint64_t before = cycles();
    Result<bool> asks = evaluator_->run(std::min(left, kSlice));
    remember_cycles(before);
    left -= cycles() - before;
    if (!asks || *asks || left == 0) return asks;
    compile_if_much();
  }
}

Result<bool> AdaptiveEngine::end_command(uint64_t most_cycles) {
  for (uint64_t left = most_cycles;;) {
    if (native_) return native_->end_command(left);
    const uint64_t before = cycles();
    const Result<bool> ended = evaluator_->end_command(std::min(left, kSlice));
    remember_cycles(before);
    left -= cycles() - before;
    if (ended) compile_if_much();
    if (!ended || *ended || left == 0) return ended;
  }
}

/// Compiles the machine, which then does what the evaluator has done.
void AdaptiveEngine::compile_if_much() {
  if (!may_compile_ || native_ || (evaluator_->work() < bounds_.work && recorded() < bounds_.recorded)) return;
  std::unique_ptr<NativeEngine> native = compiled();
  may_compile_ = native != nullptr;
  if (native) {
    repeat(*native);
    // A reply that has been taken is not given again.
    if (!evaluator_->is_busy() && evaluator_->take_reply().empty()) native->take_reply();
    native_ = std::move(native);
    evaluator_.reset();
  }
  forget();
}

void AdaptiveEngine::forget() {
  done_ = {};
  data_ = {};
}

std::unique_ptr<NativeEngine> AdaptiveEngine::compiled() const {
  if (source_size(evaluator_->behaviour()) > kMostSource) return nullptr;
  Result<std::unique_ptr<NativeEngine>> opened = open_native(evaluator_->behaviour(), options_);
  return opened ? *std::move(opened) : nullptr;
}

void AdaptiveEngine::repeat(NativeEngine& native) const {
  const auto pass = [&](uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) check(static_cast<bool>(native.tick()), "a cycle that both pass");
  };
  pass(first_cycles_);
  auto data = data_.begin();
  for (const Done& one : done_) {
    const acg::behaviour::Port& port = native.behaviour().ports[one.port];
    const auto end = data + port.data_bits / 8;
    native.take_reply();
    check(static_cast<bool>(native.begin(port.name, {one.writes, one.address, {data, end}})), "a command both take");
    data = end;
    pass(one.cycles);
  }
  check(native.cycles() == evaluator_->cycles(), "as many cycles");
}

std::unique_ptr<Engine> open_adaptive(Behaviour behaviour, const NativeOptions& options) {
  if (is_built(behaviour, options)) {
    Result<std::unique_ptr<NativeEngine>> native = open_native(behaviour, options);
    if (native) return *std::move(native);
  }
  return std::make_unique<AdaptiveEngine>(std::move(behaviour), options);
}

}  // namespace covenant::runtime
