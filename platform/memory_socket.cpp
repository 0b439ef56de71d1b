#include "platform/memory_socket.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acg/base/check.h"

namespace covenant::sc {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

MemorySocket::MemorySocket(const char* name, uint32_t port) : MemorySocket(name, std::vector{port}) {}

MemorySocket::MemorySocket(const char* name, const std::vector<uint32_t>& ports)
    : socket(name), under_way_(ports.size()), later_((std::string(name) + "_later").c_str(), [this] {
        send();
        for (std::deque<Transaction*>& some : under_way_) hand_over(some);
      }) {
  for (const uint32_t port : ports) ports_.emplace_back(port, true);
  socket.register_nb_transport_bw(this, &MemorySocket::nb_transport_bw);
}

MemorySocket::Alarm::Alarm(const sc_core::sc_module_name& name, std::function<void()> act)
    : sc_core::sc_module(name), act_(std::move(act)) {
  SC_METHOD(ring);
  sensitive << event;
  dont_initialize();
}

MemorySocket::Transaction::Transaction(MemorySocket& owner) : owner_(owner) { payload.set_mm(this); }

void MemorySocket::Transaction::free(tlm_generic_payload* released) {
  released->reset();
  owner_.free_.push_back(this);
}

MemorySocket::Transaction& MemorySocket::take(tlm::tlm_command command, uint64_t address, uint64_t bytes,
                                              uint32_t place) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Transaction>(*this));
    free_.push_back(all_.back().get());
  }
  Transaction& taken = *free_.back();
  free_.pop_back();
  taken.data.resize(bytes);
  taken.place = place;
  taken.address = address;
  taken.answered.reset();
  taken.is_forgotten = false;
  tlm_generic_payload& payload = taken.payload;
  payload.acquire();
  payload.set_extension(&ports_[place]);
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(taken.data.data());
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_byte_enable_length(0);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return taken;
}

void MemorySocket::read(uint64_t address, uint64_t bytes, uint32_t place) {
  asking_.push_back(&take(tlm::TLM_READ_COMMAND, address, bytes, place));
  send();
}

void MemorySocket::write(uint64_t address, uint64_t bytes, uint64_t offset, std::span<const uint8_t> data) {
  Transaction& taken = take(tlm::TLM_WRITE_COMMAND, address, bytes, 0);
  std::copy(data.begin(), data.end(), taken.data.begin() + static_cast<int64_t>(offset));
  if (data.size() != bytes) {
    taken.enables.assign(bytes, TLM_BYTE_DISABLED);
    std::fill_n(taken.enables.begin() + static_cast<int64_t>(offset), data.size(), TLM_BYTE_ENABLED);
    enable(taken);
  }
  asking_.push_back(&taken);
  send();
}

void MemorySocket::write(uint64_t address, std::span<const uint8_t> data, std::span<const uint8_t> enables,
                         uint32_t place) {
  Transaction& taken = take(tlm::TLM_WRITE_COMMAND, address, data.size(), place);
  std::copy(data.begin(), data.end(), taken.data.begin());
  if (std::find(enables.begin(), enables.end(), TLM_BYTE_DISABLED) != enables.end()) {
    taken.enables.assign(enables.begin(), enables.end());
    enable(taken);
  }
  asking_.push_back(&taken);
  send();
}

void MemorySocket::enable(Transaction& taken) {
  taken.payload.set_byte_enable_ptr(taken.enables.data());
  taken.payload.set_byte_enable_length(static_cast<unsigned>(taken.enables.size()));
}

/// The next one, once the one before has been accepted.
void MemorySocket::send() {
  while (in_request_ == nullptr && !asking_.empty()) {
    if (accepted_ > sc_core::sc_time_stamp()) return later_.event.notify(accepted_ - sc_core::sc_time_stamp());
    Transaction& next = *asking_.front();
    asking_.pop_front();
    under_way_[next.place].push_back(&next);
    in_request_ = &next;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(next.payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) return;  // END_REQ or BEGIN_RESP comes backwards, or has come
    in_request_ = nullptr;
    const sc_time time = sc_core::sc_time_stamp() + delay;
    if (status == tlm::TLM_UPDATED && phase != tlm::BEGIN_RESP) {
      accepted_ = time;
      continue;
    }
    if (status == tlm::TLM_UPDATED) {
      phase = tlm::END_RESP;
      delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(next.payload, phase, delay);
    }
    answer(next, time);
  }
}

tlm::tlm_sync_enum MemorySocket::nb_transport_bw(tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  if (in_request_ != nullptr && &payload == &in_request_->payload) in_request_ = nullptr;
  if (phase == tlm::BEGIN_RESP) {
    answer(under_way(payload), sc_core::sc_time_stamp() + delay);
    phase = tlm::END_RESP;
    send();
    return tlm::TLM_COMPLETED;
  }
  accepted_ = sc_core::sc_time_stamp() + delay;
  send();
  return tlm::TLM_ACCEPTED;
}

MemorySocket::Transaction& MemorySocket::under_way(const tlm_generic_payload& payload) {
  for (const std::deque<Transaction*>& some : under_way_) {
    for (Transaction* transaction : some) {
      if (&transaction->payload == &payload) return *transaction;
    }
  }
  throw InternalError("a response to a transaction that is not under way");
}

void MemorySocket::forget() {
  for (const std::deque<Transaction*>& some : under_way_) {
    for (Transaction* transaction : some) transaction->is_forgotten = true;
  }
  for (Transaction* transaction : asking_) transaction->payload.release();
  asking_.clear();
}

/// It is handed over, with those behind it that wait for it, unless it waits itself.
void MemorySocket::answer(Transaction& answered, const sc_time& time) {
  answered.answered = time;
  hand_over(under_way_[answered.place]);
}

void MemorySocket::hand_over(std::deque<Transaction*>& some) {
  const sc_time now = sc_core::sc_time_stamp();
  while (!some.empty()) {
    Transaction& done = *some.front();
    const std::optional<sc_time> when = done.answered;
    if (!when) return;
    // The initiator goes on until the error is there.
    if (done.payload.is_response_error() && *when > now) return later_.event.notify(*when - now);
    some.pop_front();
    if (!done.is_forgotten) {
      responded({done.place, done.address, *when, done.data, done.payload.get_response_status()});
    }
    done.payload.release();
  }
}

}  // namespace covenant::sc
