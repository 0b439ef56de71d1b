/// The model with a limit of bursts under way against the RTL behind its AXI masters, on the same memories: cycles,
/// cycles that memories cost, and bytes.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "rtl/sc/rtl_accelerator.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/cosim/device/programs.h"
#include "tests/cosim/device/side.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/folders.h"
#include "tests/support/seed.h"
#include "tests/support/sim/drawn_memory.h"

namespace covenant::driver::testing {
namespace {

constexpr uint64_t kBytes = 1 << 20;
constexpr uint32_t kManyBursts = 128;  ///< more than ever are under way within the machine's own bounds

using MakeMemory = std::function<std::unique_ptr<sc::Memory>()>;

struct Work {
  acg::Program program;
  std::vector<uint8_t> before;
};

struct Ran {
  uint64_t cycles = 0;
  uint64_t stalled = 0;
  uint64_t blocks = 0;
  uint64_t bytes_written = 0;
  std::vector<uint8_t> after;
  bool operator==(const Ran&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Ran& ran) {
  return out << ran.cycles << " cycles, stalled " << ran.stalled << ", " << ran.blocks << " blocks, "
             << ran.bytes_written << " bytes written";
}

/// A burst that a memory refuses: of which socket, modulo their number, and which one of it, from 1 on.
struct Refused {
  size_t socket = 0;
  uint64_t burst = 0;
};

/// Registers after a run, however it has ended.
struct Ended {
  uint32_t status = 0;
  uint64_t faults = 0;
  uint64_t address = 0;
  uint64_t cycles = 0;
  uint64_t blocks = 0;
  bool operator==(const Ended&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Ended& ended) {
  return out << std::hex << "status " << ended.status << ", faults " << ended.faults << ", address " << ended.address
             << std::dec << ", " << ended.cycles << " cycles, " << ended.blocks << " blocks";
}

template <class Accelerator, class Options>
Ran run_on(const Work& work, const MakeMemory& make_memory, const Options& options) {
  sim::sc::Kernel kernel;
  const std::unique_ptr<sc::Memory> memory = make_memory();
  Side<Accelerator> side("side", 0, *memory, work.program.machine, 0, options);
  Driver driver = side.open();
  EXPECT_TRUE(driver.load(work.program, work.before));
  EXPECT_TRUE(driver.start(work.program));
  const auto report = driver.wait(std::chrono::milliseconds(100));
  if (!report) throw std::runtime_error(render(report.error()));
  Ran ran{report->cycles, report->stalled, report->blocks, report->bytes_written,
          std::vector<uint8_t>(work.before.size())};
  EXPECT_TRUE(driver.read_back(work.program, ran.after));
  return ran;
}

template <class Accelerator, class Options>
Ended refused_on(const Work& work, const MakeMemory& make_memory, const Refused& refused, const Options& options) {
  sim::sc::Kernel kernel;
  const std::unique_ptr<sc::Memory> memory = make_memory();
  Side<Accelerator> side("side", 0, *memory, work.program.machine, 0, options);
  side.windows[refused.socket % side.windows.size()]->refused_burst = refused.burst;
  Driver driver = side.open();
  EXPECT_TRUE(driver.load(work.program, work.before));
  EXPECT_EQ(side.host.write32(registers::kInterruptEnable, 0xF), Response::kOkay);
  EXPECT_TRUE(driver.start(work.program));
  EXPECT_TRUE(side.host.wait_interrupt(std::chrono::milliseconds(100)));
  const auto read = [&](uint32_t low) { return side.host.read32(low).value; };
  const auto wide = [&](uint32_t low, uint32_t high) { return read(low) | uint64_t{read(high)} << 32U; };
  return {read(registers::kStatus), wide(registers::kFaultsLow, registers::kFaultsHigh),
          wide(registers::kFaultAddressLow, registers::kFaultAddressHigh),
          wide(registers::kCyclesLow, registers::kCyclesHigh), read(registers::kBlocks)};
}

Ran run_model(const Work& work, const MakeMemory& memory, uint32_t outstanding) {
  return run_on<sc::Accelerator>(work, memory, sc::AcceleratorOptions{outstanding});
}

rtl::DeviceOptions rtl_options(uint32_t outstanding) {
  return {.cache = rtl_models_folder(), .quick = true, .checked = true, .outstanding = outstanding};
}

Ran run_rtl(const Work& work, const MakeMemory& memory, uint32_t outstanding) {
  return run_on<sc::RtlAccelerator>(work, memory, rtl_options(outstanding));
}

MakeMemory fixed(double nanoseconds) {
  return [=] {
    return std::make_unique<sc::Memory>("memory", sc::Storage(kBytes), sc_core::sc_time(nanoseconds, sc_core::SC_NS));
  };
}

MakeMemory drawn(const acg::Machine& machine, uint64_t seed, uint64_t longest_picoseconds) {
  const size_t ports = acg::engines(machine).size() + 1;
  return [=] {
    return std::make_unique<sc::Memory>("memory", sc::Storage(kBytes),
                                        std::make_unique<sim::testing::DrawnMemory>(seed, longest_picoseconds, ports));
  };
}

class Outstanding : public ::testing::TestWithParam<uint32_t> {};

/// The machine states 40 cycles: on both sides of it, and of what its masters leave of it.
TEST_P(Outstanding, DigitsTakeTheCyclesOfTheRtlAtEveryLatency) {
  const Work work{digits().program, digits().before};
  for (const double latency : {0.0,  0.5,  1.0,  2.0,  7.0,  19.0, 20.0,  21.0,  22.0,  37.0,  38.0,
                               39.0, 40.0, 41.0, 42.0, 63.0, 64.0, 100.0, 100.3, 333.0, 1000.0}) {
    SCOPED_TRACE(::testing::Message() << latency << " ns");
    const Ran model = run_model(work, fixed(latency), GetParam());
    EXPECT_EQ(model, run_rtl(work, fixed(latency), GetParam()));
    EXPECT_EQ(model.after, digits().after);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Masters, Outstanding, ::testing::Values(2U, 8U, kManyBursts));

/// A machine of engines with buses of their own, or some that share one, by engine.
struct Case {
  const char* name;
  uint32_t outstanding;
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::pair<std::string, std::string>> buses{};
};

acg::Machine machine_of(const Case& wanted) {
  auto machine = acg::load_machine("genesys", wanted.set);
  if (!machine) throw std::runtime_error(render(machine.error()));
  const std::vector<acg::Engine> engines = acg::engines(*machine);
  for (const auto& [engine, bus] : wanted.buses) {
    machine->edges[engines[acg::find_engine(engines, engine).value()].edge.value()].bus = bus;
  }
  return std::move(*machine);
}

class OutstandingOn : public ::testing::TestWithParam<Case> {};

/// Every burst waits as long as the memory likes. A request in another cycle would be answered otherwise.
TEST_P(OutstandingOn, RandomProgramsTakeTheCyclesOfTheRtlWithAnyAnswers) {
  const uint64_t seed = test::seed();
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  const acg::Machine machine = machine_of(GetParam());
  for (uint64_t k = 0; k < 24; ++k) {
    SCOPED_TRACE(::testing::Message() << "program " << k);
    rtl::testing::RandomProgram random(machine, seed + k);
    const acg::Program program = random.program();
    const Work work{program, random.image()};
    const MakeMemory memory = drawn(machine, seed + k, k % 3 == 0 ? 20'000 : k % 3 == 1 ? 120'000 : 700'000);
    EXPECT_EQ(run_model(work, memory, GetParam().outstanding), run_rtl(work, memory, GetParam().outstanding));
    if (HasFailure()) return;
  }
}

/// A burst that a memory refuses stops the run in the same cycle, when its port comes to it, unless nothing needs it.
TEST_P(OutstandingOn, RefusedBurstsStopRunsInTheSameCycle) {
  const uint64_t seed = test::seed();
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  const acg::Machine machine = machine_of(GetParam());
  std::mt19937_64 random(seed);
  uint64_t stopped = 0;
  for (uint64_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(::testing::Message() << "program " << k);
    rtl::testing::RandomProgram drawn_program(machine, seed + k / 6);
    const acg::Program program = drawn_program.program();
    const Work work{program, drawn_program.image()};
    const MakeMemory memory = k % 2 == 0 ? fixed(1.0 + static_cast<double>(random() % 90))
                                         : drawn(machine, seed + k, k % 3 == 0 ? 20'000 : 200'000);
    const Refused refused{random(), 1 + random() % (k % 4 == 0 ? 60 : 8)};
    const Ended model =
        refused_on<sc::Accelerator>(work, memory, refused, sc::AcceleratorOptions{GetParam().outstanding});
    EXPECT_EQ(model, refused_on<sc::RtlAccelerator>(work, memory, refused, rtl_options(GetParam().outstanding)))
        << "burst " << refused.burst << " of socket " << refused.socket;
    stopped += registers::status::kFault.of(model.status);
    if (HasFailure()) return;
  }
  EXPECT_GT(stopped, 20U);
}

INSTANTIATE_TEST_SUITE_P(Machines, OutstandingOn,
                         ::testing::Values(Case{"Two", 2, {{"M", "3"}, {"N", "4"}}},
                                           Case{"Eight", 8, {{"M", "3"}, {"N", "4"}}},
                                           Case{"Many", kManyBursts, {{"M", "3"}, {"N", "4"}}},
                                           Case{"OneBusOfAll",
                                                4,
                                                {{"M", "3"}, {"N", "4"}, {"axi", "64"}, {"dram_latency", "3"}},
                                                {{"DRAM->IBUF", "all"},
                                                 {"DRAM->WBUF", "all"},
                                                 {"DRAM->BBUF", "all"},
                                                 {"DRAM->VMEM1", "all"},
                                                 {"VMEM1->DRAM", "all"},
                                                 {"DRAM->VMEM2", "all"},
                                                 {"VMEM2->DRAM", "all"}}}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace covenant::driver::testing
