#include "rtl/sc/masters.h"

#include <algorithm>

namespace covenant::sc {

using rtl::AxiResponse;

ReadMaster::ReadMaster(const std::string& name, uint32_t first_port, rtl::ReadPins& pins)
    : socket_(name.c_str(), first_port + pins.port), pins_(pins) {
  pins_.arready = true;
  socket_.responded = [this](const MemorySocket::Response& response) {
    answered_.push_back(
        {response.time, {response.data.begin(), response.data.end()}, response.status != tlm::TLM_OK_RESPONSE});
  };
}

void ReadMaster::ask() {
  asks_ = pins_.arvalid;
  if (!asks_) return;
  ++owed_;
  socket_.read(pins_.araddr, (uint64_t{pins_.arlen} + 1) * pins_.beat_bytes);
}

void ReadMaster::offer(const sc_core::sc_time& time) {
  const bool is_too_soon = asks_ && owed_ == 1;  // for AXI, though the memory has answered at once
  pins_.rvalid = !answered_.empty() && answered_.front().time <= time && !is_too_soon;
  if (!pins_.rvalid) return;
  const Burst& burst = answered_.front();
  std::copy_n(burst.data.begin() + static_cast<int64_t>(taken_), pins_.beat_bytes, pins_.rdata.begin());
  pins_.rlast = taken_ + pins_.beat_bytes == burst.data.size();
  pins_.rresp = burst.has_failed ? AxiResponse::kSlaveError : AxiResponse::kOkay;
}

void ReadMaster::take() {
  if (!pins_.rvalid || !pins_.rready) return;
  taken_ += pins_.beat_bytes;
  if (!pins_.rlast) return;
  answered_.pop_front();
  taken_ = 0;
  --owed_;
}

WriteMaster::WriteMaster(const std::string& name, uint32_t first_port, rtl::WritePins& pins)
    : socket_(name.c_str(), first_port + pins.port), pins_(pins) {
  pins_.awready = true;
  pins_.wready = true;
  socket_.responded = [this](const MemorySocket::Response& response) {
    answered_.push_back({response.time, response.status != tlm::TLM_OK_RESPONSE});
  };
}

/// The device gives the beats of a burst after its address, or with it.
void WriteMaster::ask() {
  if (pins_.awvalid) {
    ++owed_;
    addresses_.push_back(pins_.awaddr);
  }
  ends_ = pins_.wvalid && pins_.wlast;
  if (pins_.wvalid) append_beat();
  if (!ends_) return;
  ++sent_;
  socket_.write(addresses_.front(), data_, enables_);
  addresses_.pop_front();
  data_.clear();
  enables_.clear();
}

void WriteMaster::append_beat() {
  data_.insert(data_.end(), pins_.wdata.begin(), pins_.wdata.end());
  for (uint32_t byte = 0; byte < pins_.beat_bytes; ++byte) {
    const bool is_written = (pins_.wstrb[byte / 8] >> byte % 8 & 1) != 0;
    enables_.push_back(is_written ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
  }
}

void WriteMaster::offer(const sc_core::sc_time& time) {
  const bool is_too_soon = ends_ && sent_ == 1;
  pins_.bvalid = !answered_.empty() && answered_.front().time <= time && !is_too_soon;
  if (!pins_.bvalid) return;
  pins_.bresp = answered_.front().has_failed ? AxiResponse::kSlaveError : AxiResponse::kOkay;
}

void WriteMaster::take() {
  if (!pins_.bvalid || !pins_.bready) return;
  answered_.pop_front();
  --sent_;
  --owed_;
}

}  // namespace covenant::sc
