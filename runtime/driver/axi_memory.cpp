#include "runtime/driver/axi_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "acg/base/check.h"

namespace covenant::driver {

using rtl::AxiResponse;

AxiMemory::AxiMemory(uint64_t bytes, std::unique_ptr<offchip::Model> model, offchip::Clock clock)
    : bytes_(static_cast<uint8_t*>(std::calloc(std::max<uint64_t>(bytes, 1), 1))),
      size_(bytes),
      model_(std::move(model)),
      clock_(clock) {
  if (!bytes_) throw std::bad_alloc();
}

void AxiMemory::connect(rtl::ReadPins& pins) {
  check(pins.ports.size() == 1, "a master serves one port");
  pins.arready = true;
  reads_.push_back({&pins, {}});
}

void AxiMemory::connect(rtl::WritePins& pins) {
  check(pins.ports.size() == 1, "a master serves one port");
  pins.awready = pins.wready = true;
  writes_.push_back({&pins, {}, {}});
}

void AxiMemory::begin(uint64_t cycle) {
  for (Reads& reads : reads_) ask(reads, cycle);
  for (Writes& writes : writes_) ask(writes, cycle);
  if (model_->next() <= clock_.time_of(cycle)) advance(cycle);
  for (const Reads& reads : reads_) offer(reads, cycle);
  for (const Writes& writes : writes_) offer(writes, cycle);
}

void AxiMemory::end() {
  for (Reads& reads : reads_) {
    if (!reads.pins->rvalid || !reads.pins->rready) continue;
    Burst& burst = reads.bursts.front();
    if (++burst.moved == burst.beats) reads.bursts.pop_front();
  }
  for (Writes& writes : writes_) {
    if (writes.pins->bvalid && writes.pins->bready) writes.bursts.pop_front();
  }
}

void AxiMemory::ask(Reads& reads, uint64_t cycle) {
  const rtl::ReadPins& pins = *reads.pins;
  if (!pins.arvalid) return;
  reads.bursts.push_back({.address = pins.araddr, .beats = uint64_t{pins.arlen} + 1, .asked = cycle});
  request(reads.bursts.back(), pins.ports.front().port, pins.bus_bytes, false);
}

void AxiMemory::ask(Writes& writes, uint64_t cycle) {
  const rtl::WritePins& pins = *writes.pins;
  if (pins.awvalid) writes.coming.push_back({.address = pins.awaddr, .beats = uint64_t{pins.awlen} + 1});
  if (!pins.wvalid) return;
  check(!writes.coming.empty(), "beats of a write come after its address, or with it");
  Burst& burst = writes.coming.front();
  take_beat(burst, pins);
  if (!pins.wlast) return;
  burst.asked = cycle;
  request(burst, pins.ports.front().port, pins.bus_bytes, true);
  writes.bursts.push_back(burst);
  writes.coming.pop_front();
}

void AxiMemory::request(const Burst& burst, uint32_t port, uint32_t beat_bytes, bool writes) {
  const auto bytes = static_cast<uint32_t>(burst.beats * beat_bytes);
  model_->request({port, clock_.time_of(burst.asked), burst.address, bytes, writes});
}

void AxiMemory::take_beat(Burst& burst, const rtl::WritePins& pins) {
  const uint64_t address = burst.address + burst.moved++ * pins.bus_bytes;
  if (!is_there(address, pins.bus_bytes)) {
    burst.response = AxiResponse::kDecodeError;
    return;
  }
  for (uint32_t byte = 0; byte < pins.bus_bytes; ++byte) {
    if ((pins.wstrb[byte / 8] >> byte % 8 & 1) != 0) bytes_[address + byte] = pins.wdata[byte];
  }
}

void AxiMemory::advance(uint64_t cycle) {
  answers_.clear();
  model_->advance(clock_.time_of(cycle), answers_);
  for (const offchip::Answer& answer : answers_) {
    std::deque<Burst>& bursts = bursts_of(answer.port);
    const auto first = std::find_if(bursts.begin(), bursts.end(), [](const Burst& one) { return !one.is_answered; });
    check(first != bursts.end(), "a memory answers what it was asked for");
    first->is_answered = true;
  }
}

/// The engine of a port reads or writes, never both.
std::deque<AxiMemory::Burst>& AxiMemory::bursts_of(uint32_t port) {
  for (Reads& reads : reads_) {
    if (reads.pins->ports.front().port == port) return reads.bursts;
  }
  for (Writes& writes : writes_) {
    if (writes.pins->ports.front().port == port) return writes.bursts;
  }
  fail("a memory answers a port that there is not");
}

void AxiMemory::offer(const Reads& reads, uint64_t cycle) const {
  rtl::ReadPins& pins = *reads.pins;
  // AXI answers after the cycle of the question, though the memory knows at once.
  pins.rvalid = !reads.bursts.empty() && reads.bursts.front().is_answered && reads.bursts.front().asked < cycle;
  if (!pins.rvalid) return;
  const Burst& burst = reads.bursts.front();
  const uint64_t address = burst.address + burst.moved * pins.bus_bytes;
  pins.rlast = burst.moved + 1 == burst.beats;
  pins.rresp = is_there(address, pins.bus_bytes) ? AxiResponse::kOkay : AxiResponse::kDecodeError;
  if (pins.rresp == AxiResponse::kOkay) std::memcpy(pins.rdata.data(), bytes_.get() + address, pins.bus_bytes);
}

void AxiMemory::offer(const Writes& writes, uint64_t cycle) {
  rtl::WritePins& pins = *writes.pins;
  pins.bvalid = !writes.bursts.empty() && writes.bursts.front().is_answered && writes.bursts.front().asked < cycle;
  if (pins.bvalid) pins.bresp = writes.bursts.front().response;
}

}  // namespace covenant::driver
