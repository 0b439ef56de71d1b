#include "sim/sc/stream/fetch_module.h"

#include <algorithm>

#include "sim/sc/common/bus_error.h"

namespace covenant::sim::sc {

FetchModule::FetchModule(const sc_core::sc_module_name& name, uint32_t unit, uint32_t port)
    : sc_core::sc_module(name), memory("memory", port), unit_(unit) {
  memory.responded = [this](const covenant::sc::MemorySocket::Response& response) { answered(response); };
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
  process_ = sc_core::sc_get_last_created_process_handle();
  SC_METHOD(reset);
  sensitive << reset_;
  dont_initialize();
}

void FetchModule::detach() {
  stream_.reset();
  memory.forget();
  reset_.notify(sc_core::SC_ZERO_TIME);
}

void FetchModule::attach(uint64_t latency, const CycleTime& time) {
  stream_.emplace(latency);
  planned_.reset();
  has_begun_ = false;
  time_ = &time;
}

void FetchModule::begin(const Simulation::Fetch& fetch) {
  planned_ = fetch;
  has_begun_ = false;
  wake_.notify(time_->until(fetch.cycle));
}

const std::vector<uint64_t>* FetchModule::arrivals() const {
  return has_begun_ && stream_->has_come() ? &stream_->arrivals() : nullptr;
}

void FetchModule::step() {
  if (!stream_) return;
  const uint64_t now = time_->now();
  if (planned_ && planned_->cycle <= now) {
    stream_->begin(planned_->cycle, planned_->beats);
    address_ = planned_->address;
    beat_bytes_ = planned_->beat_bytes;
    planned_.reset();
    has_begun_ = true;
  }
  std::optional<uint64_t> next = stream_->next();
  if (next && *next <= now) {
    const uint64_t address = address_;
    address_ += beat_bytes_;
    stream_->requested();
    memory.read(address, beat_bytes_);
    next = now + 1;
  }
  if (planned_) next = std::min(next.value_or(UINT64_MAX), planned_->cycle);
  if (next) next_trigger(time_->until(*next), wake_);
}

void FetchModule::answered(const covenant::sc::MemorySocket::Response& response) {
  if (!stream_) return;  // the run has failed
  control->guarded(unit_, [&] {
    const bool had_come = stream_->has_come();
    if (response.status != tlm::TLM_OK_RESPONSE && stream_->is_wanted()) raise_bus_error("instruction fetch", response);
    stream_->answered(time_->cycle_from(response.time));
    wake_.notify(sc_core::SC_ZERO_TIME);
    if (!had_come && arrivals() != nullptr) control->progressed();
  });
}

}  // namespace covenant::sim::sc
