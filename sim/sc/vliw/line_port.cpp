#include "sim/sc/vliw/line_port.h"

#include <utility>

namespace covenant::sim::sc {

LinePort::LinePort(const sc_core::sc_module_name& name, uint32_t port)
    : sc_core::sc_module(name), memory("memory", port) {
  memory.responded = [this](const covenant::sc::MemorySocket::Response& response) { take(response); };
  SC_METHOD(send);
  sensitive << wake_;
  dont_initialize();
}

void LinePort::attach(vliw::LineEdge& edge, const CycleTime& time, Bytes bytes) {
  edge_ = &edge;
  time_ = &time;
  bytes_ = std::move(bytes);
  edge.refuse_with([this](uint64_t address) {
    covenant::sc::MemorySocket::Response response;
    response.address = address;
    response.status = refused_.at(address);
    used(response);
  });
}

void LinePort::release() {
  edge_ = nullptr;
  waiting_.clear();
  under_way_.clear();
  refused_.clear();
  memory.forget();
}

void LinePort::ask(const vliw::LineEdge::Request& request) {
  waiting_.push_back(request);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void LinePort::send() {
  while (!waiting_.empty()) {
    const vliw::LineEdge::Request next = waiting_.front();
    const sc_core::sc_time until = time_->until(next.begin);
    if (until != sc_core::SC_ZERO_TIME) return next_trigger(until, wake_);
    waiting_.pop_front();
    under_way_.push_back(next);
    if (next.is_store) {
      memory.write(next.address, next.bytes, 0, bytes_(next.address, next.bytes));
    } else {
      memory.read(next.address, next.bytes);
    }
  }
}

void LinePort::take(const covenant::sc::MemorySocket::Response& response) {
  if (edge_ == nullptr) return;
  const vliw::LineEdge::Request request = under_way_.front();
  under_way_.pop_front();
  const bool is_refused = response.status != tlm::TLM_OK_RESPONSE;
  if (is_refused && edge_->is_wanted()) return refused(response);
  if (is_refused) refused_[request.address] = response.status;
  edge_->answered(time_->cycle_from(response.time), is_refused);
  answered();
}

}  // namespace covenant::sim::sc
