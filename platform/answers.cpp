#include "platform/answers.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"
#include "platform/payload.h"
#include "platform/report.h"

namespace covenant::sc {

namespace {

constexpr uint64_t kLongestBurst = 4096;

template <typename T>
T& grown(std::vector<T>& all, size_t index) {
  if (all.size() <= index) all.resize(index + 1);
  return all[index];
}

}  // namespace

Answers::Answers(const sc_core::sc_module_name& name, std::span<uint8_t> bytes, std::unique_ptr<offchip::Model> model,
                 const sc_core::sc_time& latency, Answered answered)
    : sc_module(name), bytes_(bytes), model_(std::move(model)), latency_(latency), answered_(std::move(answered)) {
  SC_METHOD(step);
  sensitive << agenda_.event();
  dont_initialize();
}

bool Answers::take(const Request& request, const sc_core::sc_time& when) {
  tlm::tlm_generic_payload& transaction = *request.transaction;
  const tlm::tlm_response_status status = status_of(transaction, bytes_.size());
  transaction.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) return false;
  move_data(transaction, bytes_);
  if (!model_) count(request, when);
  return true;
}

void Answers::step() {
  if (!agenda_.has_settled()) return;
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  for (const Request& request : agenda_.take()) {
    const bool waits = take(request, now);
    if (waits && model_) {
      request_bursts(request);
    } else {
      answered_(request, waits ? now + latency_ : now);
    }
  }
  if (model_) advance();
}

void Answers::request_bursts(const Request& request) {
  const uint64_t end = request.transaction->get_address() + request.transaction->get_data_length();
  for (uint64_t at = request.transaction->get_address(); at < end;) {
    const uint64_t next = std::min(end, (at / kLongestBurst + 1) * kLongestBurst);
    model_->request({.port = request.port,
                     .time = picoseconds(sc_core::sc_time_stamp()),
                     .address = at,
                     .bytes = static_cast<uint32_t>(next - at),
                     .writes = request.transaction->is_write()});
    grown(under_way_, request.port).push_back({request, next == end});
    at = next;
  }
}

void Answers::advance() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  std::vector<offchip::Answer> answers;
  model_->advance(picoseconds(now), answers);
  for (const offchip::Answer& answer : answers) {
    std::deque<Burst>& bursts = under_way_.at(answer.port);
    check(!bursts.empty(), "a memory answers a burst that was not asked for");
    const Burst burst = bursts.front();
    bursts.pop_front();
    if (burst.is_last) answered_(burst.request, now);
  }
  const uint64_t next = model_->next();
  if (next != UINT64_MAX) agenda_.wake_at(time_of_picoseconds(next));
}

void Answers::count(const Request& request, const sc_core::sc_time& when) {
  const uint64_t bytes = request.transaction->get_data_length();
  const uint64_t time = picoseconds(when);
  const bool is_first = counted_.reads + counted_.writes == 0;
  (request.transaction->is_write() ? counted_.writes : counted_.reads) += 1;
  (request.transaction->is_write() ? counted_.bytes_written : counted_.bytes_read) += bytes;
  counted_.first = is_first ? time : std::min(counted_.first, time);
  counted_.last = std::max(counted_.last, time + picoseconds(latency_));
  offchip::PortStatistics& port = grown(counted_.ports, request.port);
  port.bursts += 1;
  port.bytes += bytes;
}

}  // namespace covenant::sc
