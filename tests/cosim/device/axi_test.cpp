/// The Verilated device between AXI memories: cycles that its bus adds.
#include "runtime/driver/driver.h"
#include "tests/cosim/device/axi_device.h"
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

/// More bursts than ever are under way within the machine's own bounds.
constexpr uint32_t kManyBursts = 128;

uint64_t latency() {
  for (const acg::Memory& memory : machine().memories) {
    if (memory.kind == acg::MemoryKind::kOffchip) return memory.latency;
  }
  return 0;
}

/// A store's master passes a burst on once it has all its beats, 16 at the most.
constexpr uint64_t kStore = 3 + 16;

/// The part of the machine's latency that is left for a memory: the masters' registers take the rest.
AxiTiming transparent(uint32_t outstanding) { return {latency() - 1, latency() - kStore, outstanding}; }

std::unique_ptr<Device> make_transparent(const acg::Machine& machine, uint64_t memory_bytes) {
  return make_axi_device(machine, memory_bytes, transparent(kManyBursts));
}

uint64_t cycles_of_digits(const AxiTiming& timing) {
  auto device = make_axi_device(machine(), 1 << 20, timing);
  auto driver = Driver::open(device->registers(), device->memory(), machine());
  if (!driver) throw std::runtime_error(render(driver.error()));
  EXPECT_TRUE(driver->load(digits().program, digits().before));
  EXPECT_TRUE(driver->start(digits().program));
  const auto report = driver->wait(std::chrono::milliseconds(100));
  if (!report) throw std::runtime_error(render(report.error()));
  std::vector<uint8_t> image(digits().before.size());
  EXPECT_TRUE(driver->read_back(digits().program, image));
  EXPECT_EQ(image, digits().after);
  return report->cycles;
}

TEST(AxiDevice, CostsNothingWithinTheLatencyOfTheMachine) {
  EXPECT_EQ(cycles_of_digits(transparent(kManyBursts)), digits().cycles);
  EXPECT_EQ(cycles_of_digits({1, 1, kManyBursts}), digits().cycles) << "the latency of the machine is the least";
}

TEST(AxiDevice, CostsItsRegistersBeyondThat) {
  const uint64_t late_reads = cycles_of_digits({latency(), latency() - kStore, kManyBursts});
  const uint64_t late_writes = cycles_of_digits({latency() - 1, latency() - 3, kManyBursts});
  const uint64_t late = cycles_of_digits({latency(), latency(), kManyBursts});
  const uint64_t few = cycles_of_digits(transparent(0));
  // docs/reference/rtl.md has these figures.
  EXPECT_EQ(digits().cycles, 25771U);
  EXPECT_EQ(late_reads, 25779U);
  EXPECT_EQ(late_writes, 25778U);
  EXPECT_EQ(late, 25807U);
  EXPECT_EQ(few, 26069U);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Axi, Conformance, ::testing::Values(Factory{"axi", make_transparent}),
                         [](const auto& one) { return one.param.name; });

}  // namespace covenant::driver::testing
