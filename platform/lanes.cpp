#include "platform/lanes.h"

#include <utility>

namespace covenant::sc {

Lanes::Lanes(const sc_core::sc_module_name& name, Begin begin) : sc_module(name), begin_(std::move(begin)) {
  SC_METHOD(step);
  sensitive << agenda_.event();
  dont_initialize();
}

void Lanes::put(uint32_t lane, uint32_t rank, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& when) {
  ++lanes_.at(lane).coming;
  agenda_.put(when, rank, {lane, &transaction});
}

void Lanes::put_ahead(uint32_t number, uint32_t rank, tlm::tlm_generic_payload& transaction,
                      const sc_core::sc_time& when) {
  Lane& lane = lanes_.at(number);
  const bool is_busy = lane.under_way != nullptr || lane.coming > 0 || !lane.waiting.empty();
  if (is_busy || when < sc_core::sc_time_stamp()) return put(number, rank, transaction, when);
  const sc_core::sc_time ahead = when - sc_core::sc_time_stamp();
  lane.under_way = &transaction;
  const std::optional<sc_core::sc_time> delay = begin_(number, transaction, ahead);
  if (!delay) return;
  if (*delay > ahead) return free(number, sc_core::sc_time_stamp() + *delay);
  lane.under_way = nullptr;
}

void Lanes::free(uint32_t lane, const sc_core::sc_time& when) {
  lanes_.at(lane).is_ending = true;
  agenda_.put(when, 0, {lane, nullptr});
}

bool Lanes::carries(uint32_t lane, const tlm::tlm_generic_payload& transaction) const {
  return lanes_.at(lane).under_way == &transaction && !lanes_.at(lane).is_ending;
}

void Lanes::step() {
  if (!agenda_.has_settled()) return;
  const std::vector<Change> changes = agenda_.take();
  for (const Change& change : changes) {
    Lane& lane = lanes_.at(change.lane);
    if (change.comes != nullptr) {
      --lane.coming;
      lane.waiting.push_back(change.comes);
    } else {
      lane.under_way = nullptr;
      lane.is_ending = false;
    }
  }
  for (const Change& change : changes) begin_next(change.lane);
}

void Lanes::begin_next(uint32_t number) {
  Lane& lane = lanes_.at(number);
  if (lane.under_way != nullptr || lane.waiting.empty()) return;
  lane.under_way = lane.waiting.front();
  lane.waiting.pop_front();
  const std::optional<sc_core::sc_time> delay = begin_(number, *lane.under_way, sc_core::SC_ZERO_TIME);
  if (delay) free(number, sc_core::sc_time_stamp() + *delay);
}

}  // namespace covenant::sc
