// Other masters of a platform see and change memory while a run is under way: what a run reads and writes is there in
// its time, whatever the time of the memory is and whether it grants direct access.
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "acg/program/code.h"
#include "offchip/connect.h"
#include "offchip/make_model.h"
#include "platform/host.h"
#include "platform/memory.h"
#include "runtime/driver/driver.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/digits_work.h"

namespace covenant::sc::testing {
namespace {

constexpr uint64_t kBytes = 1 << 24;
const char* const kFixed = "fixed";

const Work& work_on(const std::string& machine) {
  static std::map<std::string, Work> made;
  auto found = made.find(machine);
  if (found == made.end()) found = made.emplace(machine, work_of(machine.c_str(), 1)).first;
  return found->second;
}

std::unique_ptr<Memory> memory_of(const acg::Machine& machine, const std::string& name) {
  if (name == kFixed) return std::make_unique<Memory>("dram", Storage(kBytes), sc_core::sc_time(40, sc_core::SC_NS));
  offchip::Connection connection = offchip::connection_of(machine);
  connection.ports.push_back({.latency_cycles = 40, .beat_bytes = 32});  // the host
  return std::make_unique<Memory>("dram", Storage(kBytes), need(offchip::make_model(name, connection)));
}

/// A machine, a host and one memory between them.
struct Platform {
  Platform(const acg::Machine& machine, const std::string& name)
      : npu("npu", machine),
        registers("registers"),
        memory("memory", std::vector<uint64_t>(machine.memories.size(), 0), HostMemory::Access::kAtOnce),
        dram(memory_of(machine, name)) {
    for (auto* socket : npu.memory_sockets("DRAM")) socket->bind(dram->in);
    memory.out.bind(dram->in);
    registers.out.bind(npu.registers);
    npu.interrupt(line);
    registers.interrupt(line);
  }
  Accelerator npu;
  HostRegisters registers;
  HostMemory memory;
  std::unique_ptr<Memory> dram;
  sc_core::sc_signal<bool> line;
};

/// An act of the host in the middle of a run.
struct Scene {
  sc_core::sc_time after;
  std::function<void(Platform&, driver::Driver&)> act;
  bool ends = true;  ///< the run still comes to its end
};

std::vector<uint8_t> image_after(const Work& work, const std::string& memory, const Scene& scene,
                                 sc_core::sc_time* took = nullptr) {
  const sim::sc::Kernel kernel;
  Platform platform(work.program.machine, memory);
  std::vector<uint8_t> image(work.before.size());
  const Thread host("host", [&] {
    driver::Driver driver = need(driver::Driver::open(platform.registers, platform.memory, work.program.machine));
    EXPECT_TRUE(driver.load(work.program, work.before));
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    EXPECT_TRUE(driver.start(work.program));
    sc_core::wait(scene.after);
    scene.act(platform, driver);
    if (scene.ends) {
      EXPECT_TRUE(driver.wait(std::chrono::milliseconds(1)));
    } else {
      sc_core::wait(20, sc_core::SC_US);
    }
    if (took != nullptr) *took = sc_core::sc_time_stamp() - begin;
    EXPECT_TRUE(driver.read_back(work.program, image));
  });
  sc_core::sc_start();
  return image;
}

sc_core::sc_time time_of_a_run(const Work& work, const std::string& memory) {
  sc_core::sc_time took;
  EXPECT_EQ(image_after(work, memory, {sc_core::sc_time(1, sc_core::SC_NS), [](auto&, auto&) {}}, &took), work.after);
  return took;
}

std::vector<uint8_t> outputs_in(const Work& work, const std::vector<uint8_t>& image) {
  std::vector<uint8_t> bytes;
  for (const acg::TensorBinding& output : work.program.outputs) {
    const auto first = image.begin() + static_cast<std::ptrdiff_t>(output.address);
    bytes.insert(bytes.end(), first, first + static_cast<std::ptrdiff_t>(acg::size_in_memory(output).value()));
  }
  return bytes;
}

class ValuesInTime : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  const Work& work() const { return work_on(std::get<0>(GetParam())); }
  std::string memory() const { return std::get<1>(GetParam()); }
};

/// Cycles, and cycles that are counted as waited for memories.
std::pair<uint64_t, uint64_t> counted(const Work& work, const std::string& memory) {
  const sim::sc::Kernel kernel;
  Platform platform(work.program.machine, memory);
  driver::RunReport report;
  const Thread host("host", [&] {
    driver::Driver driver = need(driver::Driver::open(platform.registers, platform.memory, work.program.machine));
    EXPECT_TRUE(driver.load(work.program, work.before));
    EXPECT_TRUE(driver.start(work.program));
    report = need(driver.wait(std::chrono::milliseconds(1)));
  });
  sc_core::sc_start();
  return {report.cycles, report.stalled};
}

/// Each cycle that a memory adds to a run is one in which some port waits for it.
TEST(StalledCycles, CountWhatAMemoryAdds) {
  for (const char* machine : {"genesys:8x8", "dnnweaver"}) {
    SCOPED_TRACE(machine);
    const auto [quick, none] = counted(work_on(machine), kFixed);
    const auto [slow, stalled] = counted(work_on(machine), "ddr4_2400");
    EXPECT_EQ(none, 0U);
    EXPECT_GT(slow, quick);
    EXPECT_GE(stalled, slow - quick);
  }
}

/// The input is read in the first tenth of the run; what the host writes there in its middle is too late.
TEST_P(ValuesInTime, AnInputThatIsRefilledAfterItWasReadChangesNoOutput) {
  const acg::TensorBinding& input = work().program.inputs.front();
  const std::vector<uint8_t> next(acg::size_in_memory(input).value(), 0x7F);
  const Scene refill{time_of_a_run(work(), memory()) / 2, [&](Platform& platform, driver::Driver&) {
                       const uint64_t address = acg::image_address(work().program) + input.address;
                       platform.memory.write(acg::memory_ranges(work().program)[0].memory.value, address, next);
                     }};
  EXPECT_EQ(outputs_in(work(), image_after(work(), memory(), refill)), outputs_in(work(), work().after));
}

/// Outputs are written in the last part of the run.
TEST_P(ValuesInTime, AnAbortInTheMiddleLeavesNoOutputs) {
  const Scene abort{time_of_a_run(work(), memory()) / 3,
                    [](Platform&, driver::Driver& driver) { EXPECT_TRUE(driver.abort()); }, false};
  EXPECT_EQ(outputs_in(work(), image_after(work(), memory(), abort)), outputs_in(work(), work().before));
}

INSTANTIATE_TEST_SUITE_P(Machines, ValuesInTime,
                         ::testing::Combine(::testing::Values("genesys:8x8", "dnnweaver", "hvx"),
                                            ::testing::Values(kFixed, "ddr4_2400")));

}  // namespace
}  // namespace covenant::sc::testing
