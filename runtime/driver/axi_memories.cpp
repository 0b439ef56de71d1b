#include "runtime/driver/axi_memories.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "acg/base/check.h"

namespace covenant::driver {

using rtl::AxiResponse;

namespace {

bool is_there(uint64_t size, uint64_t address, uint64_t bytes) { return address <= size && bytes <= size - address; }

/// Moves the oldest burst of `port` to those that are answered; false if the master has none.
template <typename Master>
bool move_answered(Master& master, uint32_t port) {
  const auto is_of_port = [&](const auto& burst) { return master.pins->ports[burst.id].port == port; };
  const auto first = std::find_if(master.asked.begin(), master.asked.end(), is_of_port);
  if (first == master.asked.end()) return false;
  master.answered.push_back(*first);
  master.asked.erase(first);
  return true;
}

}  // namespace

AxiMemories::AxiMemories(rtl::DevicePins& pins, offchip::Clock clock) : clock_(clock) {
  for (rtl::ReadPins& read : pins.reads) {
    read.arready = true;
    reads_.push_back({&read});
  }
  for (rtl::WritePins& write : pins.writes) {
    write.awready = write.wready = true;
    writes_.push_back({&write});
  }
}

void AxiMemories::add(uint32_t memory, uint64_t bytes, std::unique_ptr<offchip::Model> model) {
  if (memories_.size() <= memory) memories_.resize(memory + 1);
  Memory& made = memories_[memory];
  made.bytes.reset(static_cast<uint8_t*>(std::calloc(std::max<uint64_t>(bytes, 1), 1)));
  if (!made.bytes) throw std::bad_alloc();
  made.size = bytes;
  made.model = std::move(model);
}

std::span<uint8_t> AxiMemories::bytes_of(uint32_t memory) {
  return memory < memories_.size() ? std::span(memories_[memory].bytes.get(), memories_[memory].size)
                                   : std::span<uint8_t>{};
}

void AxiMemories::begin(uint64_t cycle) {
  for (Reads& reads : reads_) ask(reads, cycle);
  for (Writes& writes : writes_) ask(writes, cycle);
  for (Memory& memory : memories_) {
    if (memory.model && memory.model->next() <= clock_.time_of(cycle)) advance(memory, cycle);
  }
  for (const Reads& reads : reads_) offer(reads, cycle);
  for (const Writes& writes : writes_) offer(writes, cycle);
}

void AxiMemories::end() {
  for (Reads& reads : reads_) {
    if (!reads.pins->rvalid || !reads.pins->rready) continue;
    Burst& burst = reads.answered.front();
    if (++burst.moved == burst.beats) reads.answered.pop_front();
  }
  for (Writes& writes : writes_) {
    if (writes.pins->bvalid && writes.pins->bready) writes.answered.pop_front();
  }
}

void AxiMemories::ask(Reads& reads, uint64_t cycle) {
  const rtl::ReadPins& pins = *reads.pins;
  if (!pins.arvalid) return;
  reads.asked.push_back({.id = pins.arid, .address = pins.araddr, .beats = uint64_t{pins.arlen} + 1, .asked = cycle});
  request(reads.asked.back(), pins.ports[pins.arid], false);
}

void AxiMemories::ask(Writes& writes, uint64_t cycle) {
  const rtl::WritePins& pins = *writes.pins;
  if (pins.awvalid) {
    writes.coming.push_back({.id = pins.awid, .address = pins.awaddr, .beats = uint64_t{pins.awlen} + 1});
  }
  if (!pins.wvalid) return;
  check(!writes.coming.empty(), "beats of a write come after its address, or with it");
  Burst& burst = writes.coming.front();
  take_beat(burst, pins);
  if (!pins.wlast) return;
  burst.asked = cycle;
  request(burst, pins.ports[burst.id], true);
  writes.asked.push_back(burst);
  writes.coming.pop_front();
}

void AxiMemories::take_beat(Burst& burst, const rtl::WritePins& pins) {
  const rtl::DevicePort& port = pins.ports[burst.id];
  Memory& memory = memories_[port.memory];
  const uint64_t address = burst.address + burst.moved++ * port.beat_bytes;
  if (!is_there(memory.size, address, port.beat_bytes)) {
    burst.response = AxiResponse::kDecodeError;
    return;
  }
  const uint64_t lane = address % pins.bus_bytes;  // byte position on the bus at which the beat's bytes begin
  for (uint64_t byte = lane; byte < lane + port.beat_bytes; ++byte) {
    if ((pins.wstrb[byte / 8] >> byte % 8 & 1) != 0) memory.bytes[address + byte - lane] = pins.wdata[byte];
  }
}

void AxiMemories::request(const Burst& burst, const rtl::DevicePort& port, bool writes) {
  const auto bytes = static_cast<uint32_t>(burst.beats * port.beat_bytes);
  memories_[port.memory].model->request({port.port, clock_.time_of(burst.asked), burst.address, bytes, writes});
}

void AxiMemories::advance(Memory& memory, uint64_t cycle) {
  answers_.clear();
  memory.model->advance(clock_.time_of(cycle), answers_);
  for (const offchip::Answer& one : answers_) answer(one.port);
}

void AxiMemories::answer(uint32_t port) {
  for (Reads& reads : reads_) {
    if (move_answered(reads, port)) return;
  }
  for (Writes& writes : writes_) {
    if (move_answered(writes, port)) return;
  }
  fail("a memory answers what it was asked for");
}

void AxiMemories::offer(const Reads& reads, uint64_t cycle) {
  rtl::ReadPins& pins = *reads.pins;
  // AXI answers after the cycle of the question, though a memory may know at once.
  pins.rvalid = !reads.answered.empty() && reads.answered.front().asked < cycle;
  if (!pins.rvalid) return;
  const Burst& burst = reads.answered.front();
  const rtl::DevicePort& port = pins.ports[burst.id];
  const Memory& memory = memories_[port.memory];
  const uint64_t address = burst.address + burst.moved * port.beat_bytes;
  pins.rid = burst.id;
  pins.rlast = burst.moved + 1 == burst.beats;
  pins.rresp = is_there(memory.size, address, port.beat_bytes) ? AxiResponse::kOkay : AxiResponse::kDecodeError;
  if (pins.rresp != AxiResponse::kOkay) return;
  std::memcpy(pins.rdata.data() + address % pins.bus_bytes, memory.bytes.get() + address, port.beat_bytes);
}

void AxiMemories::offer(const Writes& writes, uint64_t cycle) {
  rtl::WritePins& pins = *writes.pins;
  pins.bvalid = !writes.answered.empty() && writes.answered.front().asked < cycle;
  if (!pins.bvalid) return;
  pins.bid = writes.answered.front().id;
  pins.bresp = writes.answered.front().response;
}

}  // namespace covenant::driver
