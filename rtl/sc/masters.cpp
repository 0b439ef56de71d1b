#include "rtl/sc/masters.h"

#include <algorithm>
#include <utility>

namespace covenant::sc {

using rtl::AxiResponse;

namespace {

AxiResponse response_of(bool has_failed) { return has_failed ? AxiResponse::kSlaveError : AxiResponse::kOkay; }

}  // namespace

ReadMaster::ReadMaster(rtl::ReadPins& pins, std::vector<PortPath> paths)
    : pins_(pins), paths_(std::move(paths)), answered_(pins.ports.size()) {
  pins_.arready = true;
}

void ReadMaster::reset() {
  answered_ = Answered<Burst>(pins_.ports.size());
  burst_ = nullptr;
  taken_ = 0;
  pins_.rvalid = false;
}

void ReadMaster::answer(uint32_t id, const MemorySocket::Response& response) {
  answered_.put({id,
                 response.time,
                 response.address,
                 {response.data.begin(), response.data.end()},
                 response.status != tlm::TLM_OK_RESPONSE});
}

void ReadMaster::ask() {
  answered_.ask_nothing();
  if (!pins_.arvalid) return;
  answered_.ask(pins_.arid);
  const PortPath& path = paths_[pins_.arid];
  path.socket->read(pins_.araddr, (uint64_t{pins_.arlen} + 1) * pins_.ports[pins_.arid].beat_bytes, path.place);
}

void ReadMaster::offer(const sc_core::sc_time& time) {
  if (burst_ == nullptr) burst_ = answered_.offered(time);  // an offered answer stays until it is taken
  pins_.rvalid = burst_ != nullptr;
  if (!pins_.rvalid) return;
  const uint32_t beat_bytes = pins_.ports[burst_->id].beat_bytes;
  std::copy_n(burst_->data.begin() + static_cast<std::ptrdiff_t>(taken_), beat_bytes,
              pins_.rdata.begin() + static_cast<std::ptrdiff_t>((burst_->address + taken_) % pins_.bus_bytes));
  pins_.rid = burst_->id;
  pins_.rlast = taken_ + beat_bytes == burst_->data.size();
  pins_.rresp = response_of(burst_->has_failed);
}

void ReadMaster::take() {
  if (!pins_.rvalid || !pins_.rready) return;
  taken_ += pins_.ports[burst_->id].beat_bytes;
  if (!pins_.rlast) return;
  answered_.take();
  burst_ = nullptr;
  taken_ = 0;
}

WriteMaster::WriteMaster(rtl::WritePins& pins, std::vector<PortPath> paths)
    : pins_(pins), paths_(std::move(paths)), answered_(pins.ports.size()) {
  pins_.awready = true;
  pins_.wready = true;
}

void WriteMaster::reset() {
  bursts_.clear();
  data_.clear();
  enables_.clear();
  answered_ = Answered<Response>(pins_.ports.size());
  pins_.bvalid = false;
}

void WriteMaster::answer(uint32_t id, const MemorySocket::Response& response) {
  answered_.put({id, response.time, response.status != tlm::TLM_OK_RESPONSE});
}

/// The device gives the beats of a burst after its address, or with it.
void WriteMaster::ask() {
  answered_.ask_nothing();
  if (pins_.awvalid) bursts_.push_back({pins_.awid, pins_.awaddr});
  if (pins_.wvalid) append_beat();
  if (!pins_.wvalid || !pins_.wlast) return;
  const Burst burst = bursts_.front();
  answered_.ask(burst.id);
  const PortPath& path = paths_[burst.id];
  path.socket->write(burst.address, data_, enables_, path.place);
  bursts_.pop_front();
  data_.clear();
  enables_.clear();
}

void WriteMaster::append_beat() {
  const Burst& burst = bursts_.front();
  const auto first = static_cast<uint32_t>((burst.address + data_.size()) % pins_.bus_bytes);
  for (uint32_t byte = first; byte < first + pins_.ports[burst.id].beat_bytes; ++byte) {
    const bool is_written = (pins_.wstrb[byte / 8] >> byte % 8 & 1) != 0;
    data_.push_back(pins_.wdata[byte]);
    enables_.push_back(is_written ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
  }
}

void WriteMaster::offer(const sc_core::sc_time& time) {
  const Response* const response = answered_.offered(time);
  pins_.bvalid = response != nullptr;
  if (!pins_.bvalid) return;
  pins_.bid = response->id;
  pins_.bresp = response_of(response->has_failed);
}

void WriteMaster::take() {
  if (pins_.bvalid && pins_.bready) answered_.take();
}

}  // namespace covenant::sc
