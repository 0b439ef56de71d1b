#include "sim/sc/stream/engine_module.h"

#include <algorithm>
#include <utility>

#include "sim/sc/common/bus_error.h"

namespace covenant::sim::sc {

namespace {
constexpr uint64_t kAhead = 1 << 20;  // most cycles in one step: the host may want to stop the machine
}  // namespace

EngineModule::EngineModule(const sc_core::sc_module_name& name, uint32_t index, std::vector<uint32_t> scratchpads,
                           std::optional<uint32_t> port)
    : sc_core::sc_module(name), index_(index), scratchpads_(std::move(scratchpads)) {
  if (port) {
    memory_ = std::make_unique<covenant::sc::MemorySocket>("memory", *port);
    memory_->responded = [this](const covenant::sc::MemorySocket::Response& response) { answered(response); };
  }
  SC_METHOD(step);
  sensitive << start_;
  dont_initialize();
  process_ = sc_core::sc_get_last_created_process_handle();
  if (port) {
    SC_METHOD(attend);
    sensitive << attend_;
    dont_initialize();
  }
  SC_METHOD(reset);
  sensitive << reset_;
  dont_initialize();
}

void EngineModule::attach(Engine& engine, const CycleTime& time) {
  engine_ = &engine;
  time_ = &time;
  refused_.reset();
  engine.connect(*this, bus.size() > 0);
}

void EngineModule::detach() {
  engine_ = nullptr;
  if (memory_) memory_->forget();
  reset_.notify(sc_core::SC_ZERO_TIME);
}

void EngineModule::end_of_elaboration() {
  for (size_t place = 0; place < scratchpads_.size(); ++place) {
    const uint32_t memory = scratchpads_[place];
    if (channels_.size() <= memory) channels_.resize(memory + 1);
    channels_[memory] = tokens[static_cast<int>(place)];
  }
}

void EngineModule::step() {
  if (engine_ == nullptr || !control->guarded(index_, [this] { go_on(); })) return;
  if (engine_->has_master()) attend_.notify(sc_core::SC_ZERO_TIME);
  await();
}

/// Issues what is due to be on the bus, and tells the machine of an error when the master does.
void EngineModule::attend() {
  if (engine_ == nullptr || !engine_->has_master()) return;
  const uint64_t now = time_->now();
  if (engine_->fault().value_or(UINT64_MAX) <= now) {
    control->guarded(index_, [&] { raise_bus_error(engine_->place(), refused_.value()); });
    return;
  }
  if (engine_->next_request().value_or(UINT64_MAX) <= now) ask();
  const uint64_t next = std::min(engine_->next_request().value_or(UINT64_MAX), engine_->fault().value_or(UINT64_MAX));
  if (next < UINT64_MAX) next_trigger(time_->until(next), attend_);
}

/// Resumes after a wait.
void EngineModule::go_on() {
  const uint64_t now = time_->now();
  if (engine_->state() == EngineState::kBus) engine_->granted(now, bus->granted(index_));
  if (engine_->state() == EngineState::kRequesting) ask();
  if (engine_->state() == EngineState::kHeld && now >= engine_->post_visible() &&
      !channel(engine_->blocked_on()).has_room(engine_->blocked_on())) {
    engine_->raise_held();
  }
  engine_->run(now + kAhead);
}

void EngineModule::ask() {
  const OffchipPort::Request request = engine_->request();
  const std::span<const uint8_t> written = engine_->written();
  engine_->requested();
  if (!request.writes) return memory_->read(request.address, request.bytes);
  memory_->write(request.address, request.bytes, request.burst.far - request.address, written);
}

void EngineModule::await() {
  switch (engine_->state()) {
    case EngineState::kWaiting:
      return next_trigger(channel(engine_->blocked_on()).next_token(engine_->blocked_on()));
    case EngineState::kHeld:
      return next_trigger(time_->until(engine_->post_visible()),
                          channel(engine_->blocked_on()).next_room(engine_->blocked_on()));
    case EngineState::kBus:
      return next_trigger(bus->next_grant(index_));
    case EngineState::kRequesting:
      return next_trigger(time_->until(engine_->next_request().value()));
    case EngineState::kAnswer:
      return next_trigger(answered_);
    case EngineState::kReady:
      return next_trigger(time_->until(engine_->arrival()));
    case EngineState::kDone:
      if (engine_->is_finished()) control->progressed();
  }
}

/// A master tells the machine of it later.
void EngineModule::refuse(const covenant::sc::MemorySocket::Response& response) {
  if (!engine_->has_master()) raise_bus_error(engine_->place(), response);
  refused_ = response;
  engine_->refused(time_->cycle_from(response.time));
  attend_.notify(sc_core::SC_ZERO_TIME);
}

void EngineModule::answered(const covenant::sc::MemorySocket::Response& response) {
  if (engine_ == nullptr) return;  // the run has failed
  control->guarded(index_, [&] {
    if (refused_) return;
    if (response.status != tlm::TLM_OK_RESPONSE) return refuse(response);
    const bool waits = engine_->state() == EngineState::kAnswer;
    engine_->answered(time_->cycle_from(response.time), response.data);
    if (waits) answered_.notify(sc_core::SC_ZERO_TIME);
    if (engine_->has_master()) attend_.notify(sc_core::SC_ZERO_TIME);
    if (engine_->is_finished()) control->progressed();
  });
}

}  // namespace covenant::sim::sc
