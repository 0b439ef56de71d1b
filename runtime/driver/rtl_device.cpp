#include "runtime/driver/rtl_device.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"
#include "offchip/connect.h"

namespace covenant::driver {

namespace {

using rtl::AxiResponse;

/// Cycles of the way to a memory that an AXI master takes: a store's passes a burst on once it has all its beats, 16 at
/// the most.
constexpr uint64_t kReadCycles = 1;
constexpr uint64_t kWriteCycles = 3 + 16;
constexpr uint32_t kPageBytes = 4096;  // no burst has more
constexpr uint32_t kWindow = 4096;     // bytes of the registers' addresses
constexpr int kPatience = 1000;        // cycles of an access to a register

Response response_of(AxiResponse response) {
  return response == AxiResponse::kOkay          ? Response::kOkay
         : response == AxiResponse::kDecodeError ? Response::kNobody
                                                 : Response::kDeviceError;
}

/// The connection of a memory behind the masters: the machine's latency minus that of the masters, and bursts as single
/// beats, since a store is passed on whole.
offchip::Connection behind_masters(offchip::Connection connection, const rtl::DevicePins& pins) {
  const auto shorten = [&](uint32_t port, uint64_t cycles) {
    offchip::FixedPort& fixed = connection.ports.at(port);
    fixed = {.latency_cycles = fixed.latency_cycles - std::min(fixed.latency_cycles, cycles), .beat_bytes = kPageBytes};
  };
  for (const rtl::ReadPins& read : pins.reads) {
    for (const rtl::DevicePort& port : read.ports) shorten(port.port, kReadCycles);
  }
  for (const rtl::WritePins& write : pins.writes) {
    for (const rtl::DevicePort& port : write.ports) shorten(port.port, kWriteCycles);
  }
  return connection;
}

}  // namespace

RtlDevice::RtlDevice(const acg::Machine& machine, std::shared_ptr<rtl::VerilatedDevice> device)
    : clock_(offchip::connection_of(machine).clock),
      device_(std::move(device)),
      pins_(device_->pins()),
      memories_(pins_, clock_) {}

Result<std::unique_ptr<RtlDevice>> RtlDevice::open(const acg::Machine& machine, uint64_t memory_bytes,
                                                   const std::string& memory, const rtl::DeviceOptions& options) {
  const Result<rtl::DeviceModel> model = rtl::build_device(machine, options);
  if (!model) return model.error();
  std::unique_ptr<RtlDevice> device(new RtlDevice(machine, model->make()));
  const offchip::Connection connection = behind_masters(offchip::connection_of(machine), device->pins_);
  for (uint32_t index = 0; index < machine.memories.size(); ++index) {
    if (machine.memories[index].kind != acg::MemoryKind::kOffchip) continue;
    auto timing = offchip::make_model(memory, connection);
    if (!timing) return timing.error();
    device->memories_.add(index, memory_bytes, std::move(*timing));
  }
  device->device_->reset();
  device->settle();
  return device;
}

/// The memories and the device in this cycle.
void RtlDevice::settle() {
  memories_.begin(cycle_);
  device_->settle();
}

/// Whatever the host has changed counts in the cycle that ends.
void RtlDevice::next() {
  device_->settle();
  memories_.end();
  device_->rise();
  ++cycle_;
  settle();
}

ReadResult RtlDevice::read32(uint32_t address) {
  if (address >= kWindow) return {Response::kDeviceError, 0};
  rtl::HostPins& host = pins_.host;
  host.araddr = address;
  host.arvalid = host.rready = true;
  for (int cycle = 0; cycle < kPatience; ++cycle) {
    device_->settle();
    const bool is_asked = host.arready, is_done = host.rvalid;
    const ReadResult result{response_of(host.rresp), host.rdata};
    next();
    host.arvalid = host.arvalid && !is_asked;
    host.rready = !is_done;
    if (is_done) return result;
  }
  fail("the device answers reads of registers");
}

Response RtlDevice::write_bytes(uint32_t address, uint32_t value, uint32_t strobes) {
  if (address >= kWindow) return Response::kDeviceError;
  rtl::HostPins& host = pins_.host;
  host.awaddr = address;
  host.wdata = value;
  host.wstrb = strobes;
  host.awvalid = host.wvalid = host.bready = true;
  for (int cycle = 0; cycle < kPatience; ++cycle) {
    device_->settle();
    const bool has_address = host.awready, has_data = host.wready, is_done = host.bvalid;
    const Response response = response_of(host.bresp);
    next();
    host.awvalid = host.awvalid && !has_address;
    host.wvalid = host.wvalid && !has_data;
    host.bready = !is_done;
    if (is_done) return response;
  }
  fail("the device answers writes of registers");
}

void RtlDevice::pass(uint64_t picoseconds) {
  const uint64_t end = cycle_ + picoseconds / clock_.period;
  while (cycle_ < end && !interrupt()) next();
}

}  // namespace covenant::driver
