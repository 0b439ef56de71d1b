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

void FetchModule::attach(Simulation& simulation, const CycleTime& time) {
  simulation_ = &simulation;
  stream_.emplace(simulation.make_fetch_stream());
  planned_.reset();
  addresses_.clear();
  has_begun_ = false;
  refused_.reset();
  fault_ = UINT64_MAX;
  time_ = &time;
}

void FetchModule::begin(const Simulation::Fetch& fetch) {
  planned_ = fetch;
  has_begun_ = false;
  wake_.notify(time_->until(fetch.cycle));
}

const std::vector<uint64_t>* FetchModule::arrivals() const {
  return has_begun_ && stream_.value().has_come() ? &stream_.value().arrivals() : nullptr;
}

void FetchModule::step() {
  if (!stream_) return;
  FetchStream& stream = *stream_;
  const uint64_t now = time_->now();
  if (fault_ <= now) {
    control->guarded(unit_, [&] { raise_bus_error("instruction fetch", refused_.value()); });
    return;
  }
  if (planned_ && planned_->cycle <= now) {
    stream.begin(planned_->cycle);
    address_ = planned_->address;
    beat_bytes_ = planned_->beat_bytes;
    planned_.reset();
    has_begun_ = true;
  }
  if (stream.next().value_or(UINT64_MAX) <= now) request();
  if (stream.next_issue().value_or(UINT64_MAX) <= now) issue();
  uint64_t next = std::min(stream.next().value_or(UINT64_MAX), stream.next_issue().value_or(UINT64_MAX));
  if (planned_) next = std::min(next, planned_->cycle);
  next = std::min(next, fault_);
  if (next < UINT64_MAX) next_trigger(time_->until(std::max(next, now + 1)), wake_);
}

void FetchModule::request() {
  addresses_.push_back(address_);
  address_ += beat_bytes_;
  stream_.value().requested();
}

void FetchModule::issue() {
  const uint64_t address = addresses_.front();
  addresses_.pop_front();
  stream_.value().issued();
  memory.read(address, beat_bytes_);
}

void FetchModule::answered(const covenant::sc::MemorySocket::Response& response) {
  if (!stream_) return;  // the run has failed
  control->guarded(unit_, [&, &stream = *stream_] {
    if (refused_) return;
    const bool is_wanted = stream.is_wanted();
    const bool is_refused = is_wanted && response.status != tlm::TLM_OK_RESPONSE;
    if (is_refused && !stream.has_master()) raise_bus_error("instruction fetch", response);
    const bool has_come = is_wanted && !is_refused && simulation_->beat_arrived(response.address, response.data);
    const uint64_t taken = stream.answered(time_->cycle_from(response.time), has_come);
    wake_.notify(sc_core::SC_ZERO_TIME);
    if (is_refused) {
      refused_ = response;
      fault_ = taken;
      return;
    }
    if (has_come) control->progressed();
  });
}

}  // namespace covenant::sim::sc
