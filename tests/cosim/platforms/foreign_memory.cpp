#include "tests/cosim/platforms/foreign_memory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace covenant::platforms {

using sc_core::sc_time;

namespace {

constexpr uint64_t kNanosecond = 1000;  // picoseconds

uint64_t now() { return sc_core::sc_time_stamp().value(); }

}  // namespace

ForeignMemory::ForeignMemory(const sc_core::sc_module_name& name, const Manner& manner, uint64_t bytes,
                             std::vector<Lane> lanes, uint32_t devices)
    : sc_core::sc_module(name),
      in("in"),
      manner_(manner),
      lanes_(std::move(lanes)),
      states_(lanes_.size()),
      devices_(devices),
      bytes_(bytes) {
  in.register_nb_transport_fw(this, &ForeignMemory::nb_transport_fw);
  in.register_b_transport(this, &ForeignMemory::b_transport);
  in.register_transport_dbg(this, &ForeignMemory::transport_dbg);
  in.register_get_direct_mem_ptr(this, &ForeignMemory::get_direct_mem_ptr);
  SC_METHOD(step);
  sensitive << due_;
  dont_initialize();
  if (manner.grants) {
    SC_THREAD(relocate);
  }
}

void ForeignMemory::watch(uint32_t number, const Watch& watch) {
  Device& device = devices_.at(number);
  device.watch = watch;
  device.is_marked = false;
  device.held = nullptr;
  device.seen.clear();
  ++device.watched;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].device == number) states_[lane].log.clear();
  }
}

void ForeignMemory::release(uint32_t device) {
  if (const auto held = std::exchange(devices_.at(device).held, nullptr)) held();
}

Traffic ForeignMemory::traffic(uint32_t device) const {
  Traffic traffic;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].device != device || !lanes_[lane].is_watched) continue;
    std::vector<Burst>& bursts = traffic.emplace_back(states_[lane].log);
    std::ranges::stable_sort(bursts, {}, &Burst::time);  // they are noted as they are requested
  }
  return traffic;
}

tlm::tlm_sync_enum ForeignMemory::nb_transport_fw(int lane, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin(lane, payload, phase, delay);
  if (phase != tlm::END_RESP || state_of(lane).responding != &payload) {
    breach(lane, "a phase that is not due");
    return tlm::TLM_ACCEPTED;
  }
  finish(lane, payload);
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum ForeignMemory::begin(int lane, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  State& state = state_of(lane);
  const uint64_t arrives = now() + delay.value();
  check_request(lane, payload, arrives);
  payload.acquire();
  ++devices_[lane_of(lane).device].owed;
  devices_[lane_of(lane).device].last_seen = now();
  state.requesting = &payload;
  ++state.requests;
  Flight flight = flight_of(lane, payload, arrives);
  note(flight);
  const bool is_held = flight.is_marked && devices_[lane_of(lane).device].watch.holds;
  const uint64_t answered = flight.taken + flight.latency;
  if (!is_held && happens(manner_.completes, flight, 1)) {
    take(flight);
    move_bytes(flight);  // there is no later time for those of a read
    state.requesting = nullptr;
    state.answered = answered;
    delay = sc_time::from_value(answered - now());
    finish(lane, payload);
    return tlm::TLM_COMPLETED;
  }
  if (!is_held && happens(manner_.responds, flight, 2)) {
    take(flight);
    move_bytes(flight);  // there is no later time for those of a read
    state.requesting = nullptr;
    state.responding = &payload;
    state.answered = answered;
    phase = tlm::BEGIN_RESP;
    delay = sc_time::from_value(answered - now());
    return tlm::TLM_UPDATED;
  }
  const bool accepts = happens(manner_.accepts, flight, 3), skips = !is_held && happens(manner_.skips, flight, 4);
  at(flight.taken, [this, flight] {
    take(flight);
    plan_response(flight);
  });
  if (skips) return tlm::TLM_ACCEPTED;
  const uint64_t ends = std::min(flight.taken + drawn(flight.number, 5) % 4 * kNanosecond, answered);
  if (accepts) {
    at(ends, [this, lane, &payload, request = state.requests] {
      if (state_of(lane).requesting != &payload || state_of(lane).requests != request)
        return;  // its response was first
      state_of(lane).requesting = nullptr;
      tlm::tlm_phase end = tlm::END_REQ;
      sc_time none = sc_core::SC_ZERO_TIME;
      in[lane]->nb_transport_bw(payload, end, none);
    });
    return tlm::TLM_ACCEPTED;
  }
  state.requesting = nullptr;
  phase = tlm::END_REQ;
  delay = sc_core::SC_ZERO_TIME;
  if (happens(manner_.ends_later, flight, 6)) delay = sc_time::from_value(ends - now());
  state.ends = now() + delay.value();
  return tlm::TLM_UPDATED;
}

ForeignMemory::Flight ForeignMemory::flight_of(int lane, Payload& payload, uint64_t arrives) {
  const Lane& initiator = lane_of(lane);
  Device& device = devices_[initiator.device];
  const bool writes = payload.is_write();
  const uint64_t address = payload.get_address() - initiator.base;
  const uint32_t occurrence = device.seen[{writes, address}]++;
  const Watch& watch = device.watch;
  Flight flight;
  flight.lane = lane;
  flight.payload = &payload;
  flight.watched = device.watched;
  flight.number = drawn(manner_.seed + watch.run, initiator.device, writes ? 1 : 0, address, occurrence);
  flight.taken = arrives;
  if (manner_.serial > 0) {
    flight.taken = std::max(flight.taken, free_);
    free_ = flight.taken + manner_.serial * kNanosecond;
  }
  const uint64_t low = writes ? manner_.write_low : manner_.read_low;
  const uint64_t high = writes ? manner_.write_high : manner_.read_high;
  flight.latency = (low + drawn(flight.number, 7) % (high - low + 1)) * kNanosecond;
  const std::optional<Mark>& mark = watch.mark;
  flight.is_marked = mark && mark->writes == writes && mark->address == address && mark->occurrence == occurrence;
  if (flight.is_marked) {
    flight.latency += watch.more * kNanosecond;
    flight.error = watch.error;
  }
  return flight;
}

/// One burst in three, of those for which it may.
bool ForeignMemory::happens(bool is_allowed, const Flight& flight, uint64_t purpose) const {
  return is_allowed && drawn(flight.number, purpose, 1) % 3 == 0;
}

/// Writes the burst into the log, without its bytes.
void ForeignMemory::note(Flight& flight) {
  const Lane& lane = lane_of(flight.lane);
  const Payload& payload = *flight.payload;
  Burst burst;
  burst.time = flight.taken;
  burst.writes = payload.is_write();
  burst.address = payload.get_address() - lane.base;
  burst.bytes = payload.get_data_length();
  burst.status = flight.error;
  if (burst.writes && payload.get_byte_enable_ptr() != nullptr) {
    for (size_t byte = 0; byte < payload.get_data_length(); ++byte) {
      burst.enables.push_back(payload.get_byte_enable_ptr()[byte % payload.get_byte_enable_length()]);
    }
  }
  std::vector<Burst>& log = state_of(flight.lane).log;
  flight.entry = log.size();
  log.push_back(std::move(burst));
}

/// The burst counts from now on: bytes of a write are in memory, those of a read unless they come later.
void ForeignMemory::take(const Flight& flight) {
  if (flight.payload->is_write() || !manner_.samples_late) move_bytes(flight);
  if (!flight.is_marked) return;
  // Bursts that are answered at once are taken ahead of their time.
  at(flight.taken, [this, number = lane_of(flight.lane).device, watched = flight.watched] {
    if (watched != devices_[number].watched) return;
    devices_[number].is_marked = true;
    devices_[number].marked.notify(sc_core::SC_ZERO_TIME);
  });
}

Burst* ForeignMemory::logged(const Flight& flight) {
  if (flight.watched != devices_[lane_of(flight.lane).device].watched) return nullptr;
  return &state_of(flight.lane).log[flight.entry];
}

void ForeignMemory::move_bytes(const Flight& flight) {
  Payload& payload = *flight.payload;
  payload.set_dmi_allowed(manner_.grants);
  payload.set_response_status(flight.error);
  unsigned char* const data = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const uint64_t length = payload.get_data_length();
  uint8_t* const there = bytes_.data() + payload.get_address();
  for (uint64_t byte = 0; byte < length && flight.error == tlm::TLM_OK_RESPONSE; ++byte) {
    const bool is_enabled = enables == nullptr || enables[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
    if (payload.is_read()) data[byte] = there[byte];
    if (payload.is_write() && is_enabled) there[byte] = data[byte];
  }
  if (Burst* burst = logged(flight)) burst->data.assign(data, data + length);
}

void ForeignMemory::plan_response(const Flight& flight) {
  const auto answer = [this, flight](uint64_t time) {
    const uint64_t most = time - now();
    const uint64_t ahead = happens(manner_.annotates, flight, 8) ? drawn(flight.number, 9) % (most + 1) : 0;
    at(time - ahead, [this, flight, ahead] { respond(flight, ahead); });
  };
  Device& device = devices_[lane_of(flight.lane).device];
  if (!flight.is_marked || !device.watch.holds) return answer(flight.taken + flight.latency);
  device.held = [flight, answer] { answer(now() + flight.latency); };
}

/// One response at a time of an initiator.
void ForeignMemory::respond(const Flight& flight, uint64_t ahead) {
  State& state = state_of(flight.lane);
  if (state.responding != nullptr) {
    state.waiting.push_back([this, flight] { respond(flight, 0); });
    return;
  }
  if (!flight.payload->is_write() && manner_.samples_late) move_bytes(flight);
  if (state.requesting == flight.payload) state.requesting = nullptr;
  state.responding = flight.payload;
  state.answered = now() + ahead;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_time::from_value(ahead);
  if (in[flight.lane]->nb_transport_bw(*flight.payload, phase, delay) != tlm::TLM_ACCEPTED) {
    finish(flight.lane, *flight.payload);
  }
}

void ForeignMemory::finish(int lane, Payload& payload) {
  State& state = state_of(lane);
  Device& device = devices_[lane_of(lane).device];
  at(std::max(state.answered, now()), [&device] { --device.owed; });
  device.last_seen = now();
  state.responding = nullptr;
  payload.release();
  if (state.waiting.empty()) return;
  at(now(), state.waiting.front());
  state.waiting.erase(state.waiting.begin());
}

void ForeignMemory::check_request(int lane, const Payload& payload, uint64_t arrives) {
  const State& state = state_of(lane);
  if (state.requesting != nullptr) breach(lane, "a request before the last one has ended");
  if (arrives - manner_.bus * kNanosecond < state.ends) breach(lane, "a request before the annotated end of the last");
  if (!payload.has_mm() || payload.get_ref_count() < 1) breach(lane, "a transaction without an owner");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) breach(lane, "a response status that is set");
  if (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0) breach(lane, "no data");
  if (payload.get_streaming_width() < payload.get_data_length()) breach(lane, "a burst that streams");
  if (payload.is_dmi_allowed()) breach(lane, "direct access allowed by the initiator");
}

void ForeignMemory::breach(int lane, const std::string& what) {
  breaches_.push_back(fmt::format("lane {} at {} ps: {}", lane, now(), what));
}

void ForeignMemory::at(uint64_t time, std::function<void()> action) {
  agenda_.emplace(time, std::move(action));
  due_.notify(sc_time::from_value(std::max(agenda_.begin()->first, now()) - now()));
}

void ForeignMemory::step() {
  while (!agenda_.empty() && agenda_.begin()->first <= now()) {
    const std::function<void()> action = std::move(agenda_.begin()->second);
    agenda_.erase(agenda_.begin());
    action();
  }
  if (!agenda_.empty()) due_.notify(sc_time::from_value(agenda_.begin()->first - now()));
}

/// Accesses of hosts: at once.
void ForeignMemory::b_transport(int lane, Payload& payload, sc_time& /*delay*/) {
  transport_dbg(lane, payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned int ForeignMemory::transport_dbg(int /*lane*/, Payload& payload) {
  uint8_t* const there = bytes_.data() + payload.get_address();
  const unsigned int length = payload.get_data_length();
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), there, length);
  if (payload.is_write()) std::memcpy(there, payload.get_data_ptr(), length);
  return length;
}

bool ForeignMemory::get_direct_mem_ptr(int /*lane*/, Payload& /*payload*/, tlm::tlm_dmi& access) {
  if (!manner_.grants) return false;
  access.set_dmi_ptr(bytes_.data());
  access.allow_read_write();
  return true;
}

/// Bytes move to another place, and the former one is spoilt: only who has kept its pointer sees that.
void ForeignMemory::relocate() {
  while (true) {
    wait(sc_time::from_value(manner_.moves * kNanosecond));
    std::vector<uint8_t> there = bytes_;
    for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) {
      in[lane]->invalidate_direct_mem_ptr(0, bytes_.size() - 1);
    }
    bytes_.swap(there);
    std::fill(there.begin(), there.end(), 0xA5);
    former_[moved_++ % former_.size()] = std::move(there);
  }
}

}  // namespace covenant::platforms
