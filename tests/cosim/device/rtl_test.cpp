/// The Verilated RTL as a device.
#include "runtime/driver/driver.h"
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {

INSTANTIATE_TEST_SUITE_P(Rtl, Conformance, ::testing::Values(Factory{"rtl", make_rtl_device}),
                         [](const auto& one) { return one.param.name; });

namespace {

/// A load of `bytes`, and what it has cost.
RunReport loaded(std::unique_ptr<Device> device, int32_t bytes) {
  auto driver = Driver::open(device->registers(), device->memory(), machine());
  if (!driver) throw std::runtime_error(render(driver.error()));
  Assembly a(machine());
  a.group("DRAM->VMEM1").wait("VMEM1", sim::testing::kFree).load(0, 0, bytes).post("VMEM1", sim::testing::kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", sim::testing::kFull).store(8192, 0, 96).post("VMEM1", sim::testing::kFree);
  a.end_block(true);
  EXPECT_TRUE(driver->load(a.program(), a.image()));
  EXPECT_TRUE(driver->start(a.program()));
  const auto report = driver->wait(std::chrono::milliseconds(1));
  if (!report) throw std::runtime_error(render(report.error()));
  return *report;
}

/// Once all places under way are taken, a beat waits in three of four cycles.
TEST(RtlDevice, CountsTheCyclesInWhichBeatsWait) {
  constexpr int32_t kBytes = 4096;
  constexpr uint64_t kBeats = kBytes / 16;
  const RunReport fast = loaded(make_rtl_device(machine(), 1 << 20), kBytes);
  const RunReport slow = loaded(make_slow_rtl_device(machine(), 1 << 20), kBytes);
  EXPECT_EQ(fast.stalled, 0U);
  constexpr uint64_t kPlaces = 128;
  EXPECT_GT(slow.stalled, 2 * (kBeats - kPlaces) / 2);
  EXPECT_LT(slow.stalled, 4 * kBeats);
  EXPECT_GT(slow.cycles, fast.cycles + slow.stalled / 2);
  EXPECT_GE(slow.bytes_read, uint64_t{kBytes});
}

}  // namespace

}  // namespace covenant::driver::testing
