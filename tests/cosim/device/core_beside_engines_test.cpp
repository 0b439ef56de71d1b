/// A machine that issues packets beside one with engines, in one simulation, on one memory.
#include "offchip/connect.h"
#include "platform/report.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/cosim/device/side.h"

namespace covenant::driver::testing {
namespace {

constexpr uint64_t kBytes = 4 << 20;  // bytes of the part that each of them sees

std::vector<uint8_t> image_after(Driver& driver, const Sample& sample) {
  std::vector<uint8_t> image(sample.after.size());
  EXPECT_TRUE(driver.read_back(sample.program, image));
  return image;
}

struct Reports {
  RunReport engines, core;
};

/// Both run the digits at once, and make of them what each makes alone.
Reports run_both(sc::Memory& memory, const Sample& on_engines, const Sample& on_core) {
  Side<sc::Accelerator> engines("engines", 0, memory, on_engines.program.machine, 0);
  Side<sc::Accelerator> core("core", kBytes, memory, on_core.program.machine, engines.accelerator.port_count());
  Driver by_engines = engines.open(), by_core = core.open();
  EXPECT_TRUE(by_engines.load(on_engines.program, on_engines.before));
  EXPECT_TRUE(by_core.load(on_core.program, on_core.before));
  EXPECT_TRUE(by_core.start(on_core.program));
  EXPECT_TRUE(by_engines.start(on_engines.program));
  EXPECT_TRUE(by_engines.status()->is_busy) << "both run at once";
  EXPECT_TRUE(by_core.status()->is_busy);
  const auto core_report = by_core.wait(std::chrono::milliseconds(100));
  const auto engines_report = by_engines.wait(std::chrono::milliseconds(100));
  if (!core_report) throw std::runtime_error(render(core_report.error()));
  if (!engines_report) throw std::runtime_error(render(engines_report.error()));
  EXPECT_EQ(image_after(by_engines, on_engines), on_engines.after);
  EXPECT_EQ(image_after(by_core, on_core), on_core.after);
  return {*engines_report, *core_report};
}

/// With a fixed time within what both machines state, neither waits for the other at a memory.
TEST(CoreBesideEngines, EachHasTheCyclesThatItHasAlone) {
  const Sample& on_engines = digits();  // simulated before the kernel is taken
  const Sample& on_core = testing::on_core().digits();
  sim::sc::Kernel kernel;
  const acg::Memory& dram = machine().memories[acg::memory_ranges(on_engines.program).front().memory.value];
  const uint64_t period = offchip::connection_of(machine()).clock.period;
  sc::Memory memory("memory", sc::Storage(2 * kBytes), sc::time_of_picoseconds(dram.latency * period));
  const Reports reports = run_both(memory, on_engines, on_core);
  EXPECT_EQ(reports.engines.cycles, on_engines.cycles);
  EXPECT_EQ(reports.core.cycles, on_core.cycles);
  EXPECT_EQ(reports.core.stalled, 0U);
}

TEST(CoreBesideEngines, BanksThatTheyShareMakeThemWait) {
  const Sample& on_engines = digits();
  const Sample& on_core = testing::on_core().digits();
  sim::sc::Kernel kernel;
  offchip::Connection connection = offchip::connection_of(machine());
  const offchip::Connection more = offchip::connection_of(on_core.program.machine);
  connection.ports.insert(connection.ports.end(), more.ports.begin(), more.ports.end());
  auto model = offchip::make_model("lpddr4_3200", connection);
  ASSERT_TRUE(model) << render(model.error());
  sc::Memory memory("memory", sc::Storage(2 * kBytes), std::move(*model));
  const Reports reports = run_both(memory, on_engines, on_core);
  EXPECT_GT(reports.engines.cycles, on_engines.cycles);
  EXPECT_GT(reports.core.cycles, on_core.cycles);
  EXPECT_GT(reports.core.stalled, 0U);
  EXPECT_LE(reports.core.cycles, on_core.cycles + reports.core.stalled + 2);
}

}  // namespace
}  // namespace covenant::driver::testing
