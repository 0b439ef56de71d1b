/// The model in SystemC and the RTL of a machine side by side, in one simulation, on one memory.
#include "offchip/connect.h"
#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/cosim/device/side.h"
#include "tests/support/folders.h"

namespace covenant::driver::testing {
namespace {

constexpr uint64_t kBytes = 1 << 20;  // bytes of the half that each of them sees

std::unique_ptr<offchip::Model> model_for_two() {
  offchip::Connection connection = offchip::connection_of(machine());
  const std::vector<offchip::FixedPort> ports = connection.ports;
  connection.ports.insert(connection.ports.end(), ports.begin(), ports.end());
  auto model = offchip::make_model("ddr4_2400", connection);
  if (!model) throw std::runtime_error(render(model.error()));
  return std::move(*model);
}

TEST(SharedMemory, ModelAndRtlOfAMachineAgree) {
  const Sample& sample = digits();  // simulated before the kernel is taken
  sim::sc::Kernel kernel;
  sc::Memory memory("memory", sc::Storage(2 * kBytes), model_for_two());
  Side<sc::Accelerator> model("model", 0, memory, machine(), 0);
  Side<sc::RtlAccelerator> rtl("rtl", kBytes, memory, machine(), model.accelerator.port_count(),
                               rtl::DeviceOptions{.cache = rtl_models_folder(), .quick = true, .checked = true});
  Driver model_driver = model.open(), rtl_driver = rtl.open();
  ASSERT_TRUE(model_driver.load(sample.program, sample.before));
  ASSERT_TRUE(rtl_driver.load(sample.program, sample.before));
  ASSERT_TRUE(model_driver.start(sample.program));
  ASSERT_TRUE(rtl_driver.start(sample.program));
  EXPECT_TRUE(model_driver.status()->is_busy) << "both run at once";
  EXPECT_TRUE(rtl_driver.status()->is_busy);
  const auto rtl_report = rtl_driver.wait(std::chrono::milliseconds(100));
  const auto model_report = model_driver.wait(std::chrono::milliseconds(100));
  ASSERT_TRUE(rtl_report) << render(rtl_report.error());
  ASSERT_TRUE(model_report) << render(model_report.error());
  std::vector<uint8_t> by_model(sample.after.size()), by_rtl(sample.after.size());
  ASSERT_TRUE(model_driver.read_back(sample.program, by_model));
  ASSERT_TRUE(rtl_driver.read_back(sample.program, by_rtl));
  EXPECT_EQ(by_model, sample.after);
  EXPECT_EQ(by_rtl, sample.after);
  EXPECT_GT(model_report->cycles, sample.cycles) << "the memory has two of them to serve";
  EXPECT_GT(rtl_report->cycles, model_report->cycles) << "its registers, and few bursts under way";
  EXPECT_EQ(rtl_report->bytes_written, model_report->bytes_written);
}

/// The ports behind a socket that they share keep their numbers at the memory.
TEST(SharedMemory, PortsOnOneSocketAreCountedApart) {
  const Sample& sample = digits();  // simulated before the kernel is taken
  std::vector<std::vector<uint64_t>> bursts;
  for (const rtl::AxiMasters masters : {rtl::AxiMasters::kPort, rtl::AxiMasters::kOne}) {
    sim::sc::Kernel kernel;
    sc::Memory memory("memory", sc::Storage(kBytes), model_for_two());
    Side<sc::RtlAccelerator> rtl(
        "rtl", 0, memory, machine(), 0,
        rtl::DeviceOptions{.cache = rtl_models_folder(), .quick = true, .checked = true, .masters = masters});
    EXPECT_EQ(rtl.windows.size(), masters == rtl::AxiMasters::kOne ? 1U : rtl.accelerator.port_count() - 2)
        << "of its engines, two arrays ask no memory";
    Driver driver = rtl.open();
    ASSERT_TRUE(driver.load(sample.program, sample.before));
    ASSERT_TRUE(driver.start(sample.program));
    const auto report = driver.wait(std::chrono::milliseconds(100));
    ASSERT_TRUE(report) << render(report.error());
    std::vector<uint8_t> image(sample.after.size());
    ASSERT_TRUE(driver.read_back(sample.program, image));
    EXPECT_EQ(image, sample.after);
    bursts.emplace_back();
    for (const offchip::PortStatistics& port : memory.statistics().ports) bursts.back().push_back(port.bursts);
    bursts.back().at(rtl.accelerator.port_count() - 1) = 0;  // the fetch unit's go on past a block's end
  }
  EXPECT_EQ(bursts[0], bursts[1]);
}

/// A device at rest costs no cycles.
TEST(SharedMemory, TheClockOfAnRtlAtRestStandsStill) {
  const Sample& sample = digits();  // simulated before the kernel is taken
  sim::sc::Kernel kernel;
  sc::Memory memory("memory", sc::Storage(kBytes), model_for_two());
  Side<sc::RtlAccelerator> rtl("rtl", 0, memory, machine(), 0,
                               rtl::DeviceOptions{.cache = rtl_models_folder(), .quick = true, .checked = true});
  Driver driver = rtl.open();
  rtl.host.wait_interrupt(std::chrono::milliseconds(1));
  const uint64_t before = rtl.accelerator.clocked();
  rtl.host.wait_interrupt(std::chrono::milliseconds(1));
  EXPECT_EQ(rtl.accelerator.clocked(), before);
  ASSERT_TRUE(driver.load(sample.program, sample.before));
  ASSERT_TRUE(driver.start(sample.program));
  const auto report = driver.wait(std::chrono::milliseconds(100));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_GT(rtl.accelerator.clocked(), before + report->cycles);
  EXPECT_LT(rtl.accelerator.clocked(), before + report->cycles + 1000);
}

}  // namespace
}  // namespace covenant::driver::testing
