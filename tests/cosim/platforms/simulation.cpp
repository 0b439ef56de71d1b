#include "tests/cosim/platforms/simulation.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/platforms/foreign_bus.h"
#include "tests/cosim/platforms/foreign_host.h"
#include "tests/cosim/platforms/foreign_memory.h"
#include "tests/support/folders.h"

namespace covenant::platforms {

namespace {

constexpr uint64_t kCycle = 1000;  // picoseconds, of the machines that have RTL
/// A write to a register of the RTL counts so many cycles later.
constexpr uint64_t kCyclesOfWrite = 2;

/// A device of a scenario, and what it is bound by.
struct Device {
  std::unique_ptr<sc_core::sc_module> module;
  tlm::tlm_target_socket<>* registers = nullptr;
  sc_core::sc_out<bool>* interrupt = nullptr;
  std::vector<tlm::tlm_initiator_socket<>*> memories;
};

template <class Accelerator, class... Options>
Device device_of(const std::string& name, const acg::Machine& machine, const Options&... options) {
  auto made = std::make_unique<Accelerator>(name.c_str(), machine, 0, options...);
  Device device;
  device.registers = &made->registers;
  device.interrupt = &made->interrupt;
  device.memories = made->memory_sockets("DRAM");
  device.module = std::move(made);
  return device;
}

/// More bursts than ever are under way within the machines' own bounds; or few, of ports that share a master.
constexpr uint32_t kOutstanding = 256;

rtl::DeviceOptions options_of(const Scenario& scenario) {
  rtl::DeviceOptions options{.cache = rtl_models_folder(), .quick = true, .checked = true, .outstanding = kOutstanding};
  if (scenario.shares) {
    options.masters = rtl::AxiMasters::kOne;
    options.outstanding = 8;
  }
  return options;
}

}  // namespace

const char* name_of(Side side) {
  constexpr const char* kNames[] = {"model", "model behind masters", "RTL"};
  return kNames[static_cast<size_t>(side)];
}

Simulated simulate(const Scenario& scenario, Side side) {
  sim::sc::Kernel kernel;
  const auto count = static_cast<uint32_t>(scenario.devices.size());
  std::vector<Device> devices;
  std::vector<ForeignMemory::Lane> lanes;
  std::vector<ForeignBus::Window> windows;
  std::vector<ForeignBus::Window> of_devices;
  uint64_t bytes = 0;
  for (uint32_t number = 0; number < count; ++number) {
    const Kind kind = scenario.devices[number].kind;
    const acg::Machine& machine = machine_of(kind);
    const std::string name = name_of(kind);
    if (side == Side::kRtl && kind != Kind::kCore) {
      devices.push_back(device_of<sc::RtlAccelerator>(name, machine, options_of(scenario)));
    } else {
      const bool has_masters = side == Side::kBehindMasters && kind != Kind::kCore;
      const sc::AcceleratorOptions options{has_masters ? kOutstanding : 0};
      devices.push_back(device_of<sc::Accelerator>(name, machine, options));
    }
    const uint64_t base = bytes;
    of_devices.push_back({base, window_bytes(kind)});
    bytes += window_bytes(kind);
    for (size_t socket = 0; socket < devices.back().memories.size(); ++socket) {
      lanes.push_back({number, base, true});
      windows.push_back(of_devices.back());
    }
  }
  for (uint32_t number = 0; number < count; ++number) {
    lanes.push_back({number, of_devices[number].base, false});
    windows.push_back(of_devices[number]);
  }
  ForeignMemory memory("memory", scenario.manner, bytes, lanes, count);
  ForeignBus bus("bus", scenario.manner, windows);
  for (Device& device : devices) {
    for (auto* socket : device.memories) socket->bind(bus.in);
  }
  std::vector<std::unique_ptr<ForeignHost>> hosts;
  std::vector<std::unique_ptr<sc_core::sc_signal<bool>>> lines;
  for (uint32_t number = 0; number < count; ++number) {
    const std::string name = std::string("host_") + name_of(scenario.devices[number].kind);
    const bool waits = side == Side::kBehindMasters && scenario.devices[number].kind != Kind::kCore;
    hosts.push_back(
        std::make_unique<ForeignHost>(name.c_str(), scenario, number, memory, waits ? kCyclesOfWrite * kCycle : 0));
    lines.push_back(std::make_unique<sc_core::sc_signal<bool>>(("line_" + name).c_str()));
    hosts.back()->registers.bind(*devices[number].registers);
    hosts.back()->window.bind(bus.in);
    hosts.back()->line(*lines.back());
    (*devices[number].interrupt)(*lines.back());
  }
  for (size_t lane = 0; lane < lanes.size(); ++lane) bus.out.bind(memory.in);
  const sc_core::sc_time slice(10, sc_core::SC_US);
  const auto is_done = [](const auto& host) { return host->is_done(); };
  for (int k = 0; k < 1000 && !std::ranges::all_of(hosts, is_done); ++k) sc_core::sc_start(slice);
  Simulated simulated;
  simulated.breaches = memory.breaches();
  simulated.moved = memory.moved();
  for (const auto& host : hosts) {
    simulated.runs.push_back(host->outcomes());
    for (const Outcome& outcome : simulated.runs.back()) {
      for (const std::vector<Burst>& port : outcome.traffic) simulated.bursts += port.size();
    }
  }
  return simulated;
}

}  // namespace covenant::platforms
