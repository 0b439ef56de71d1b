/// Off-chip ports that share AXI4 masters: the device by all ways of sharing, on programs of every kind.
#include <cstdlib>
#include <fmt/format.h>
#include <ostream>
#include <random>

#include "acg/graph/queries.h"
#include "fuzz/random_layer.h"
#include "runtime/driver/driver.h"
#include "runtime/session/image.h"
#include "tests/cosim/device/axi_device.h"
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

using rtl::AxiMasters;
using sim::testing::kFree;
using sim::testing::kFull;

constexpr uint64_t kMemoryBytes = 1 << 20;

std::unique_ptr<Device> make_shared(const acg::Machine& machine, uint64_t memory_bytes) {
  return make_axi_device(machine, memory_bytes, {.read = 1, .write = 1, .masters = AxiMasters::kOne});
}

/// A machine whose edges `names` share a bus.
acg::Machine with_bus(acg::Machine machine, const std::vector<std::string>& names) {
  const std::vector<acg::Engine> engines = acg::engines(machine);
  for (const std::string& name : names) {
    machine.edges[engines[acg::find_engine(engines, name).value()].edge.value()].bus = "north";
  }
  return machine;
}

/// It runs to its end, and leaves the bytes of the simulator.
void expect_as_simulated(Device& device, const acg::Machine& machine, const Sample& sample) {
  auto driver = Driver::open(device.registers(), device.memory(), machine);
  ASSERT_TRUE(driver) << render(driver.error());
  ASSERT_TRUE(driver->load(sample.program, sample.before));
  ASSERT_TRUE(driver->start(sample.program));
  const auto report = driver->wait(std::chrono::milliseconds(2));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_GE(report->cycles, sample.cycles);
  std::vector<uint8_t> image(sample.before.size());
  ASSERT_TRUE(driver->read_back(sample.program, image));
  EXPECT_EQ(image, sample.after);
}

/// Two loads on one bus of the machine. One has bursts that begin in a turn on that bus and end in a later one. The
/// other asks for a burst with every beat, until its master has no room, and keeps the bus while it waits.
Sample turns_within_bursts(const acg::Machine& machine) {
  Assembly a(machine);
  constexpr int32_t kRows = 64, kRowBytes = 16;
  constexpr int32_t kLong = 1024;
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(48, 0, kLong).post("VMEM1", kFull);
  a.group("DRAM->VMEM2").wait("VMEM2", kFree).base(sim::testing::kOffchip, 4096).base(sim::testing::kOnchip, 0);
  a.op(acg::Operation::kTrip, {16, kRows - 1, 0});
  a.stride(sim::testing::kOffchip, 16, 64).stride(sim::testing::kOnchip, 16, kRowBytes / 4);
  a.op(acg::Operation::kLoad, {kRowBytes - 1}).post("VMEM2", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(16384, 0, kLong).post("VMEM1", kFree);
  a.group("VMEM2->DRAM").wait("VMEM2", kFull).store(32768, 0, kRows * kRowBytes).post("VMEM2", kFree);
  a.end_block(true);
  std::vector<uint8_t> data(16384);
  std::mt19937_64 random(1);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  return sample(a.program(), a.image(data));
}

TEST(SharedMasters, NeverWaitForTurnsOnABusOfTheMachine) {
  acg::Machine shared = with_bus(machine(), {"DRAM->VMEM1", "DRAM->VMEM2"});
  const std::vector<acg::Engine> engines = acg::engines(shared);
  shared.edges[engines[acg::find_engine(engines, "DRAM->VMEM2").value()].edge.value()].burst = 64;
  const Sample sample = turns_within_bursts(shared);
  for (const AxiMasters masters : {AxiMasters::kBus, AxiMasters::kOne}) {
    const auto device =
        make_axi_device(shared, kMemoryBytes, {.read = 1, .write = 1, .outstanding = 2, .masters = masters});
    expect_as_simulated(*device, shared, sample);
  }
}

struct Sharing {
  std::string name;
  AxiMasters masters;
};

std::ostream& operator<<(std::ostream& out, const Sharing& sharing) { return out << sharing.name; }

class SharedPrograms : public ::testing::TestWithParam<Sharing> {};

/// Beats of three widths, two buses of the machine.
acg::Machine mixed_machine() {
  const std::vector<std::pair<std::string, std::string>> set{
      {"M", "3"}, {"N", "4"}, {"axi", "128"}, {"axi_weight", "64"}, {"axi_bias", "32"}, {"dram_latency", "3"}};
  return with_bus(sim::testing::machine_with(set), {"DRAM->WBUF", "DRAM->BBUF", "DRAM->VMEM1", "VMEM2->DRAM"});
}

/// Layers of every kind, whose stores begin and end anywhere in a beat.
TEST_P(SharedPrograms, LeaveWhatTheSimulatorLeaves) {
  const char* const given = std::getenv("COVENANT_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  const uint64_t layers = std::getenv("COVENANT_FULL") != nullptr ? 400 : 12;
  fmt::print("seed {}\n", seed);
  const acg::Machine machine = mixed_machine();
  const auto device = make_axi_device(machine, kMemoryBytes, {.read = 9, .write = 4, .masters = GetParam().masters});
  uint64_t ran = 0;
  for (uint64_t index = 0; index < layers; ++index) {
    SCOPED_TRACE(::testing::Message() << "layer " << index);
    const runtime::RandomLayer layer = runtime::random_layer(seed, index, machine);
    auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) continue;  // too large for so small a machine
    const auto image = runtime::image_of(*program, layer.inputs);
    ASSERT_TRUE(image) << render(image.error());
    if (image->size() > kMemoryBytes) continue;
    expect_as_simulated(*device, machine, sample(std::move(*program), *image));
    if (HasFatalFailure()) return;
    ++ran;
  }
  EXPECT_GE(ran, layers * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Axi, SharedPrograms,
                         ::testing::Values(Sharing{"Port", AxiMasters::kPort}, Sharing{"Bus", AxiMasters::kBus},
                                           Sharing{"One", AxiMasters::kOne}),
                         [](const auto& one) { return one.param.name; });

}  // namespace

INSTANTIATE_TEST_SUITE_P(AxiShared, Conformance, ::testing::Values(Factory{"axi_shared", make_shared, false}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
