// Two accelerators of different machines, started by one host, on one memory.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>

#include "offchip/connect.h"
#include "offchip/dram.h"
#include "platform/host.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "platform/router.h"
#include "runtime/driver/driver.h"
#include "sim/run/simulate.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/digits_work.h"
#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {
namespace {

constexpr uint64_t kWindow = 1 << 20;
constexpr uint64_t kDramBytes = 3 * kWindow;
constexpr uint64_t kSameBanks = kWindow;               // from one window to the next: whole rows of all banks
constexpr uint64_t kOtherBanks = kWindow + (1 << 16);  // and two banks further
constexpr uint64_t kRegisters = 0x1000'0000;
constexpr uint32_t kHosts = 2;  // hosts, whose ports come first

const std::vector<Work>& works() {
  static const std::vector<Work> kWorks = {work_of("genesys:8x8", 1), work_of("genesys:16x16", 2)};
  return kWorks;
}

std::unique_ptr<offchip::Model> in_order_memory(const std::vector<Work>& all) {
  offchip::Parameters parameters = need(offchip::load_parameters("ddr4_2400"));
  parameters.controller.policy = offchip::Policy::kFcfs;
  size_t ports = kHosts;
  for (const Work& work : all) ports += offchip::connection_of(work.program.machine).ports.size();
  return std::make_unique<offchip::Dram>(parameters, ports);
}

struct Node {
  Node(uint32_t index, const acg::Machine& machine, uint32_t first_port, uint64_t apart)
      : npu(("npu" + std::to_string(index)).c_str(), machine, first_port),
        registers(("registers" + std::to_string(index)).c_str(), kRegisters + index * 0x1000),
        memory(("memory" + std::to_string(index)).c_str(),
               std::vector<uint64_t>(machine.memories.size(), index * apart), HostMemory::Access::kAtOnce),
        view(("view" + std::to_string(index)).c_str(),
             need(AddressMap::of({{.name = "dram", .bytes = kWindow, .target_base = index * apart}}))) {
    for (auto* socket : npu.memory_sockets("DRAM")) socket->bind(view.in);
    npu.interrupt(line);
    registers.interrupt(line);
  }
  Accelerator npu;
  HostRegisters registers;
  HostMemory memory;
  Router view;
  sc_core::sc_signal<bool> line;
};

class Pair {
 public:
  explicit Pair(uint64_t apart = kSameBanks) {
    uint32_t port = kHosts;
    for (const Work& work : works()) {
      nodes.push_back(std::make_unique<Node>(static_cast<uint32_t>(nodes.size()), work.program.machine, port, apart));
      port += nodes.back()->npu.port_count();
    }
    for (const auto& node : nodes) node->memory.out.bind(router.in);
    for (const auto& node : nodes) node->view.to("dram").bind(router.in);
    for (const auto& node : nodes) node->registers.out.bind(router.in);
    router.to("dram").bind(dram.in);
    router.to("first").bind(nodes[0]->npu.registers);
    router.to("second").bind(nodes[1]->npu.registers);
  }

  Memory dram{"dram", Storage(kDramBytes), in_order_memory(works())};
  Router router{"router", need(AddressMap::of({{"dram", 0, kDramBytes, 32, sc_core::sc_time(500, sc_core::SC_PS)},
                                               {"first", kRegisters, 0x1000},
                                               {"second", kRegisters + 0x1000, 0x1000}}))};
  std::vector<std::unique_ptr<Node>> nodes;
};

/// All of them have asked for and been given the same, and something at all where they ran.
void expect_all_granted(const Pair& platform, const std::vector<size_t>& chosen) {
  const RouterStatistics& counted = platform.router.statistics();
  uint64_t requested = 0;
  uint64_t granted = 0;
  for (const RouterStatistics::Initiator& initiator : counted.initiators) {
    requested += initiator.requested_beats;
    granted += initiator.granted_beats;
  }
  EXPECT_EQ(requested, granted);
  for (const size_t node : chosen) EXPECT_GT(counted.initiators[kHosts + node].granted_beats, 0U);
  uint64_t asked = 0;
  for (const offchip::PortStatistics& port : platform.dram.statistics().ports) {
    EXPECT_EQ(port.bytes, port.answered);
    asked += port.bytes;
  }
  EXPECT_EQ(asked, counted.targets[0].bytes);
}

/// Runs these works at the same time. Returns the time from the first start to the last interrupt. Each leaves its
/// memory as the simulator does, whatever else is running.
sc_core::sc_time time_of(const std::vector<size_t>& chosen, uint64_t apart) {
  works();  // by simulators of their own, before there is another one
  const sim::sc::Kernel kernel;
  Pair shared(apart);
  sc_core::sc_time took;
  const Thread host("host", [&] {
    std::vector<driver::Driver> drivers;
    for (const size_t i : chosen) {
      Node& node = *shared.nodes[i];
      drivers.push_back(need(driver::Driver::open(node.registers, node.memory, works()[i].program.machine)));
      EXPECT_TRUE(drivers.back().load(works()[i].program, works()[i].before));
    }
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    for (size_t k = 0; k < chosen.size(); ++k) EXPECT_TRUE(drivers[k].start(works()[chosen[k]].program));
    for (driver::Driver& driver : drivers) EXPECT_TRUE(driver.wait(std::chrono::milliseconds(1)));
    took = sc_core::sc_time_stamp() - begin;
    for (size_t k = 0; k < chosen.size(); ++k) {
      const Work& work = works()[chosen[k]];
      std::vector<uint8_t> image(work.after.size());
      EXPECT_TRUE(drivers[k].read_back(work.program, image));
      EXPECT_EQ(image, work.after) << chosen[k];
    }
  });
  sc_core::sc_start();
  expect_all_granted(shared, chosen);
  return took;
}

TEST(SharedMemory, TwoAcceleratorsTakeLongerThanOneAndLessThanOneAfterTheOther) {
  const sc_core::sc_time first = time_of({0}, kOtherBanks);
  const sc_core::sc_time second = time_of({1}, kOtherBanks);
  const sc_core::sc_time both = time_of({0, 1}, kOtherBanks);
  EXPECT_GT(first, sc_core::SC_ZERO_TIME);
  EXPECT_GT(both, std::max(first, second)) << "they share one memory";
  EXPECT_LT(both, first + second);
  EXPECT_EQ(both, time_of({0, 1}, kOtherBanks)) << "any number of simulations in one process are the same";
}

/// In order, each access to a row of one closes that of the other: together they take longer than one after the other.
/// No bound of time holds for those; values and counts do.
TEST(SharedMemory, RowsOfOneBankCostMoreThanTheyShare) {
  const sc_core::sc_time one_after_the_other = time_of({0}, kSameBanks) + time_of({1}, kSameBanks);
  EXPECT_GT(time_of({0, 1}, kSameBanks), one_after_the_other);
}

TEST(Host, ToldWhoRefuses) {
  works();  // by simulators of their own, before there is another one
  const sim::sc::Kernel kernel;
  Pair shared;
  const Thread host("host", [&] {
    HostRegisters& registers = shared.nodes[1]->registers;
    EXPECT_EQ(registers.read32(registers::kIdentity).response, driver::Response::kOkay);
    EXPECT_EQ(registers.read32(0xffc).response, driver::Response::kDeviceError);
    EXPECT_EQ(registers.write32(registers::kIdentity, 1), driver::Response::kDeviceError);
    EXPECT_EQ(registers.read32(0x1000).response, driver::Response::kNobody);
    EXPECT_FALSE(registers.wait_interrupt(std::chrono::nanoseconds(100)));
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(100));
  });
  sc_core::sc_start();
}

TEST(Host, MovesBytesAtOnceOrInTime) {
  works();  // by simulators of their own, before there is another one
  const sim::sc::Kernel kernel;
  Pair shared;
  const Thread host("host", [&] {
    HostMemory& memory = shared.nodes[1]->memory;
    const uint32_t last = static_cast<uint32_t>(works()[1].program.machine.memories.size()) - 1;
    std::vector<uint8_t> bytes(5000);
    std::mt19937_64 random(3);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
    EXPECT_EQ(memory.write(last, 77, bytes), driver::Response::kOkay);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), shared.dram.bytes().begin() + kWindow + 77));
    memory.set_access(HostMemory::Access::kTimed);
    std::vector<uint8_t> again(bytes.size());
    EXPECT_EQ(memory.read(last, 77, again), driver::Response::kOkay);
    EXPECT_EQ(again, bytes);
    EXPECT_GT(sc_core::sc_time_stamp(), ns(5000.0 / 64));
    constexpr uint64_t kEnd = kDramBytes - kSameBanks;  // end of the memory, as seen from the second window
    EXPECT_EQ(memory.read(last, kEnd, again), driver::Response::kNobody);
    EXPECT_EQ(memory.read(last + 1, 0, again), driver::Response::kNobody);
    memory.set_access(HostMemory::Access::kAtOnce);
    EXPECT_EQ(memory.write(last, kEnd - 100, again), driver::Response::kNobody);
  });
  sc_core::sc_start();
}

}  // namespace
}  // namespace covenant::sc::testing
