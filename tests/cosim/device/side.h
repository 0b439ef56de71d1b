/// Devices of one platform that share a memory, each with a host and a part of the memory of its own.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/memory.h"
#include "runtime/driver/driver.h"
#include "tests/cosim/device/platform_host.h"
#include "tests/cosim/device/window.h"

namespace covenant::driver::testing {

/// A part of the memory, as the driver reaches it.
class Part : public MemoryBus {
 public:
  Part(sc::Memory& memory, uint64_t base) : memory_(memory), base_(base) {}

  Response read(uint32_t /*memory*/, uint64_t address, std::span<uint8_t> bytes) override {
    std::memcpy(bytes.data(), memory_.bytes().data() + base_ + address, bytes.size());
    return Response::kOkay;
  }
  Response write(uint32_t /*memory*/, uint64_t address, std::span<const uint8_t> bytes) override {
    std::memcpy(memory_.bytes().data() + base_ + address, bytes.data(), bytes.size());
    return Response::kOkay;
  }

 private:
  sc::Memory& memory_;
  uint64_t base_;
};

/// A device with a host, and its part of the memory from `base` on.
template <class Accelerator>
struct Side {
  Accelerator accelerator;
  PlatformHost host;
  sc_core::sc_signal<bool> line;
  std::vector<std::unique_ptr<Window>> windows;
  Part part;

  template <class... Options>
  Side(const std::string& name, uint64_t base, sc::Memory& memory, const acg::Machine& machine, uint32_t first_port,
       const Options&... options)
      : accelerator(name.c_str(), machine, first_port, options...),
        host((name + "_host").c_str()),
        line((name + "_line").c_str()),
        part(memory, base) {
    host.registers.bind(accelerator.registers);
    host.interrupt(line);
    accelerator.interrupt(line);
    for (auto* socket : accelerator.memory_sockets("DRAM")) {
      const std::string window = name + "_window_" + std::to_string(windows.size());
      windows.push_back(std::make_unique<Window>(window.c_str(), base));
      socket->bind(windows.back()->in);
      windows.back()->out.bind(memory.in);
    }
  }

  Driver open() {
    auto driver = Driver::open(host, part, accelerator.machine());
    if (!driver) throw std::runtime_error(render(driver.error()));
    return *driver;
  }
};

}  // namespace covenant::driver::testing
