/// covenant_axi_top alone, between a host and memories on AXI that are a few lines of C++.
#include "tests/cosim/device/axi_device.h"

#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

#include "rtl/cosim/device.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

using rtl::AxiResponse;

using Contents = std::vector<std::vector<uint8_t>>;  ///< contents of off-chip memories, by number

/// Answers one read master. If bursts of several ports are due, each gets a beat in turn: the strongest mixing of
/// answers with different ids that AXI4 allows.
class ReadMemory {
 public:
  ReadMemory(rtl::ReadPins& pins, Contents& contents, uint64_t latency)
      : pins_(pins), contents_(contents), latency_(latency), bursts_(pins.ports.size()) {
    pins_.arready = true;
  }

  void begin(uint64_t cycle) {
    if (pins_.arvalid) bursts_[pins_.arid].push_back({cycle + latency_, pins_.araddr, pins_.arlen + 1ULL});
    if (!pins_.rvalid) choose(cycle);  // an answer stays until it is taken
    if (pins_.rvalid) answer();
  }
  void end() {
    if (!pins_.rvalid || !pins_.rready) return;
    pins_.rvalid = false;
    std::deque<Burst>& bursts = bursts_[pins_.rid];
    bursts.front().address += pins_.ports[pins_.rid].beat_bytes;
    if (--bursts.front().beats == 0) bursts.pop_front();
  }

 private:
  struct Burst {
    uint64_t due;
    uint64_t address;
    uint64_t beats;
  };

  /// The next port after the last one whose oldest burst is due.
  void choose(uint64_t cycle) {
    for (size_t k = 1; k <= bursts_.size() && !pins_.rvalid; ++k) {
      const auto id = static_cast<uint32_t>((last_ + k) % bursts_.size());
      if (bursts_[id].empty() || bursts_[id].front().due > cycle) continue;
      pins_.rvalid = true;
      pins_.rid = last_ = id;
    }
  }
  void answer() {
    const Burst& burst = bursts_[pins_.rid].front();
    const rtl::DevicePort& port = pins_.ports[pins_.rid];
    const std::vector<uint8_t>& bytes = contents_[port.memory];
    const bool is_there = burst.address + port.beat_bytes <= bytes.size();
    pins_.rlast = burst.beats == 1;
    pins_.rresp = is_there ? AxiResponse::kOkay : AxiResponse::kDecodeError;
    if (!is_there) return;
    std::memcpy(pins_.rdata.data() + burst.address % pins_.bus_bytes, bytes.data() + burst.address, port.beat_bytes);
  }

  rtl::ReadPins& pins_;
  Contents& contents_;
  uint64_t latency_;
  std::vector<std::deque<Burst>> bursts_;  ///< by id
  uint32_t last_ = 0;
};

/// Answers one write master; ports that are due take turns.
class WriteMemory {
 public:
  WriteMemory(rtl::WritePins& pins, Contents& contents, uint64_t latency)
      : pins_(pins), contents_(contents), latency_(latency), answers_(pins.ports.size()) {
    pins_.awready = pins_.wready = true;
  }

  void begin(uint64_t cycle) {
    if (pins_.awvalid) bursts_.push_back({pins_.awid, pins_.awaddr});
    if (pins_.wvalid) write(cycle);
    if (!pins_.bvalid) choose(cycle);
  }
  void end() {
    if (!pins_.bvalid || !pins_.bready) return;
    pins_.bvalid = false;
    answers_[pins_.bid].pop_front();
  }

 private:
  struct Burst {
    uint32_t id;
    uint64_t address;  ///< address of its next beat
  };
  struct Answer {
    uint64_t due;
    AxiResponse response;
  };

  void write(uint64_t cycle) {
    Burst& burst = bursts_.front();
    const rtl::DevicePort& port = pins_.ports[burst.id];
    std::vector<uint8_t>& bytes = contents_[port.memory];
    if (burst.address + port.beat_bytes > bytes.size()) {
      response_ = AxiResponse::kDecodeError;
    } else {
      const uint64_t window = burst.address / pins_.bus_bytes * pins_.bus_bytes;
      for (uint32_t byte = 0; byte < pins_.bus_bytes; ++byte) {
        if ((pins_.wstrb[byte / 8] >> byte % 8 & 1) != 0) bytes.at(window + byte) = pins_.wdata[byte];
      }
    }
    burst.address += port.beat_bytes;
    if (!pins_.wlast) return;
    answers_[burst.id].push_back({cycle + latency_, response_});
    response_ = AxiResponse::kOkay;
    bursts_.pop_front();
  }
  void choose(uint64_t cycle) {
    for (size_t k = 1; k <= answers_.size() && !pins_.bvalid; ++k) {
      const auto id = static_cast<uint32_t>((last_ + k) % answers_.size());
      if (answers_[id].empty() || answers_[id].front().due > cycle) continue;
      pins_.bvalid = true;
      pins_.bid = last_ = id;
      pins_.bresp = answers_[id].front().response;
    }
  }

  rtl::WritePins& pins_;
  Contents& contents_;
  uint64_t latency_;
  AxiResponse response_ = AxiResponse::kOkay;  ///< response to the burst whose beats arrive
  std::deque<Burst> bursts_;                   ///< bursts whose beats have not all arrived
  std::vector<std::deque<Answer>> answers_;    ///< by id
  uint32_t last_ = 0;
};

std::shared_ptr<rtl::VerilatedDevice> made(const acg::Machine& machine, const AxiTiming& timing) {
  const auto model = rtl::build_device(machine, {.cache = rtl_models_folder(),
                                                 .quick = true,
                                                 .checked = true,
                                                 .masters = timing.masters,
                                                 .outstanding = timing.outstanding});
  if (!model) throw std::runtime_error(render(model.error()));
  return model->make();
}

Response response_of(AxiResponse response) {
  return response == AxiResponse::kOkay          ? Response::kOkay
         : response == AxiResponse::kDecodeError ? Response::kNobody
                                                 : Response::kDeviceError;
}

class AxiDevice final : public Device, RegisterBus, MemoryBus {
 public:
  AxiDevice(const acg::Machine& machine, uint64_t bytes, const AxiTiming& timing)
      : contents_(machine.memories.size()), device_(made(machine, timing)), pins_(device_->pins()) {
    for (uint32_t m = 0; m < contents_.size(); ++m) {
      if (machine.memories[m].kind == acg::MemoryKind::kOffchip) contents_[m].resize(bytes);
    }
    for (rtl::ReadPins& pins : pins_.reads) reads_.emplace_back(pins, contents_, timing.read);
    for (rtl::WritePins& pins : pins_.writes) writes_.emplace_back(pins, contents_, timing.write);
    device_->reset();
    settle();
  }

  RegisterBus& registers() override { return *this; }
  MemoryBus& memory() override { return *this; }
  bool interrupt() override { return pins_.host.interrupt; }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) override {
    pins_.host.awaddr = address;
    pins_.host.wdata = value;
    pins_.host.wstrb = strobes;
    pins_.host.awvalid = pins_.host.wvalid = pins_.host.bready = true;
    for (int cycle = 0; cycle < kPatience; ++cycle) {
      device_->settle();
      const bool has_address = pins_.host.awready, has_data = pins_.host.wready;
      const bool is_done = pins_.host.bvalid;
      const AxiResponse response = pins_.host.bresp;
      next();
      pins_.host.awvalid = pins_.host.awvalid && !has_address;
      pins_.host.wvalid = pins_.host.wvalid && !has_data;
      pins_.host.bready = !is_done;
      if (is_done) return response_of(response);
    }
    throw std::runtime_error("no answer to a write");
  }

 private:
  static constexpr int kPatience = 1000;

  /// The memories and the device in this cycle.
  void settle() {
    for (ReadMemory& memory : reads_) memory.begin(cycle_);
    for (WriteMemory& memory : writes_) memory.begin(cycle_);
    device_->settle();
  }
  void next() {
    device_->settle();
    for (ReadMemory& memory : reads_) memory.end();
    for (WriteMemory& memory : writes_) memory.end();
    device_->rise();
    ++cycle_;
    settle();
  }

  ReadResult read32(uint32_t address) override {
    pins_.host.araddr = address;
    pins_.host.arvalid = pins_.host.rready = true;
    for (int cycle = 0; cycle < kPatience; ++cycle) {
      device_->settle();
      const bool is_asked = pins_.host.arready, is_done = pins_.host.rvalid;
      const ReadResult result{response_of(pins_.host.rresp), pins_.host.rdata};
      next();
      pins_.host.arvalid = pins_.host.arvalid && !is_asked;
      pins_.host.rready = !is_done;
      if (is_done) return result;
    }
    throw std::runtime_error("no answer to a read");
  }
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  /// Machines here have a cycle of one nanosecond.
  bool wait_interrupt(std::chrono::nanoseconds timeout) override {
    for (int64_t k = 0; k < timeout.count() && !pins_.host.interrupt; ++k) next();
    return pins_.host.interrupt;
  }
  Response read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) override {
    if (!is_there(memory, address, bytes.size())) return Response::kNobody;
    std::memcpy(bytes.data(), contents_[memory].data() + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) override {
    if (!is_there(memory, address, bytes.size())) return Response::kNobody;
    std::memcpy(contents_[memory].data() + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }
  bool is_there(uint32_t memory, uint64_t address, uint64_t bytes) const {
    return memory < contents_.size() && address <= contents_[memory].size() &&
           bytes <= contents_[memory].size() - address;
  }

  Contents contents_;
  std::shared_ptr<rtl::VerilatedDevice> device_;
  rtl::DevicePins& pins_;
  std::deque<ReadMemory> reads_;
  std::deque<WriteMemory> writes_;
  uint64_t cycle_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_axi_device(const acg::Machine& machine, uint64_t memory_bytes, const AxiTiming& timing) {
  return std::make_unique<AxiDevice>(machine, memory_bytes, timing);
}

}  // namespace covenant::driver::testing
