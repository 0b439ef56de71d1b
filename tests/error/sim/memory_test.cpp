/// Off-chip memories that do not suit a run, or that refuse its requests.
#include "platform/memory.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/failure.h"
#include "acg/program/packet_program.h"
#include "offchip/connect.h"
#include "sim/sc/common/kernel.h"
#include "sim/sc/stream/machine_module.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// Words from byte 0 on, and a load from far beyond them.
constexpr uint32_t kFar = 1 << 16;
Assembly far_load() {
  Assembly a(small_machine(4, 4), 0);
  a.group("DRAM->IBUF").load(kFar, 0, 64).end_block(true);
  return a;
}

/// The fault that stops a run of `program` on a platform whose memory has `bytes` bytes.
Diagnostic stopped_by(Assembly& assembly, uint64_t bytes) {
  acg::Program program = assembly.program();
  program.memory_bytes = kFar + 4096;
  std::vector<uint8_t> image = assembly.image();
  image.resize(program.memory_bytes);
  sc::Kernel kernel;
  sc::MachineModule machine("machine", program.machine);
  auto model = offchip::make_model("ddr4_2400", offchip::connection_of(program.machine));
  covenant::sc::Memory memory("memory", covenant::sc::Storage(std::span(image).first(bytes)), std::move(*model));
  const uint32_t offchip = acg::memory_ranges(program).front().memory.value;
  for (covenant::sc::MemorySocket* socket : machine.sockets_of(offchip)) socket->socket.bind(memory.in);
  const sc::CycleTime time{sc_core::sc_time(1, sc_core::SC_NS)};
  Simulation simulation(program, MemoryImage(program, std::as_const(image)), {.values = false}, {.is_timed = {true}});
  machine.start(simulation, time);
  kernel.run();
  if (!machine.failure()) return {};
  try {
    std::rethrow_exception(machine.failure());
  } catch (const Failure& failure) {
    return failure.diagnostic;
  }
}

TEST(OffchipMemory, ThatEndsBeforeALoadRefusesIt) {
  Assembly a = far_load();
  EXPECT_EQ(stopped_by(a, kFar + 4096).code, "") << "all of it is there";
  const Diagnostic said = stopped_by(a, kFar);
  EXPECT_EQ(said.code, "SIM0090") << render(said);
  EXPECT_EQ(said.offending, "address 0x10000");
  EXPECT_NE(said.subject.find("DRAM->IBUF"), std::string::npos) << said.subject;
  EXPECT_NE(said.message.find("ADDRESS_ERROR"), std::string::npos) << said.message;
}

TEST(OffchipMemory, ThatEndsBeforeTheWordsRefusesInstructionFetch) {
  Assembly a = far_load();
  const Diagnostic said = stopped_by(a, 16);
  EXPECT_EQ(said.code, "SIM0090") << render(said);
  EXPECT_NE(said.subject.find("fetch"), std::string::npos) << said.subject;
}

/// Words after the last block are requested until its own have arrived; they are not needed.
TEST(OffchipMemory, ThatEndsSomewhereAfterTheWordsDoesNotMatter) {
  Assembly a(small_machine(4, 4), 0);
  for (int block = 0; block < 4; ++block) a.group("SA").op(Operation::kTrip, {13, 1, 0}).end_block(block == 3);
  for (uint64_t more = 0; more <= 512; more += 64) {
    const Diagnostic said = stopped_by(a, a.image().size() + more);
    EXPECT_EQ(said.code, "") << more << " bytes more: " << render(said);
  }
}

/// The same of the memories that come with a run; blocks are shorter than what is under way.
TEST(OffchipMemory, OfARunHasRoomForAllThatIsAskedFor) {
  for (const char* width : {"64", "512"}) {
    Assembly a(machine_with({{"M", "4"}, {"N", "4"}, {"axi_instruction", width}, {"dram_latency", "100"}}), 0);
    for (int block = 0; block < 4; ++block) a.group("SA").op(Operation::kTrip, {13, 1, 0}).end_block(block == 3);
    for (const char* memory : {"ddr4_2400", "lpddr4_3200"}) {
      SimulateOptions options;
      options.memory = memory;
      EXPECT_EQ(failure(a, options).code, "") << width << ' ' << memory;
    }
  }
}

TEST(OffchipMemory, OfWhichThereIsNoModel) {
  Assembly a = far_load();
  SimulateOptions options;
  options.memory = "ddr4_2401";
  EXPECT_EQ(failure(a, options).code, "MEM0001");
}

/// Several contexts at once have the fixed latency; one has what there is.
TEST(OffchipMemory, OfContextsIsFixed) {
  acg::Program program;
  program.machine = *acg::load_machine("hvx", {});
  ASSERT_TRUE(acg::is_of_packets(program));
  SimulateOptions options;
  options.memory = "ddr4_2400";
  std::vector<std::vector<uint8_t>> memories(2);
  const Result<SimulateTogetherResult> together = simulate_together(program, memories, options);
  ASSERT_FALSE(together);
  EXPECT_EQ(together.error().code, "SIM0091") << render(together.error());
  EXPECT_EQ(together.error().offending, "2 contexts, ddr4_2400");
  EXPECT_EQ(together.error().allowed, (std::vector<std::string>{"fixed"}));
  options.memory = "ddr4_2401";
  std::vector<uint8_t> memory;
  for (const bool values : {true, false}) {
    options.values = values;
    const Result<SimulateResult> run = simulate(program, memory, options);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, "MEM0001") << render(run.error());
  }
}

}  // namespace
}  // namespace covenant::sim
