/// The backend rtl: the same outputs, records, statistics and trace as the backend systemc.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "offchip/make_model.h"
#include "runtime/session/session.h"
#include "tests/cosim/runtime/digits.h"
#include "tests/support/folders.h"

namespace covenant::runtime {
namespace {

using namespace covenant::runtime::testing;

SessionOptions everything() {
  SessionOptions options;
  options.device.records = options.device.trace = options.memory = true;
  return options;
}

/// Compares everything that both report of a run. Returns the result of the backend systemc.
RunResult expect_same(const acg::Program& program, const SessionOptions& options) {
  const std::vector<Tensor> inputs = noise(program, 3);
  RunResult systemc = value_of(value_of(Session::open(program, "systemc")).run(inputs, options));
  const RunResult rtl = value_of(value_of(Session::open(program, "rtl", rtl_options())).run(inputs, options));
  EXPECT_EQ(systemc.outputs, rtl.outputs);
  EXPECT_EQ(systemc.memory, rtl.memory);
  EXPECT_EQ(systemc.cost.cycles, rtl.cost.cycles);
  EXPECT_EQ(systemc.cost.records, rtl.cost.records);
  sim::Statistics expected = systemc.cost.statistics;  // statistics that cannot be derived from records are missing
  expected.accesses.clear();
  expected.offchip.clear();
  expected.operations.clear();
  expected.block_accesses.clear();
  expected.block_offchip.clear();
  EXPECT_EQ(sim::to_json(expected), sim::to_json(rtl.cost.statistics));
  EXPECT_EQ(systemc.cost.trace, rtl.cost.trace);
  EXPECT_FALSE(rtl.cost.trace.empty());
  return systemc;
}

bool waits_for(const std::string& cause, const sim::Statistics& statistics) {
  return std::any_of(statistics.engines.begin(), statistics.engines.end(),
                     [&](const sim::EngineStatistics& engine) { return engine.stalls.contains(cause); });
}

/// All edges to off-chip memory share a bus.
acg::Program on_one_bus() {
  acg::Machine machine = value_of(acg::load_machine("genesys", kSmall));
  for (acg::Edge& edge : machine.edges) {
    const std::optional<acg::TransferEnds> ends = acg::transfer_ends(machine, edge);
    if (ends && ends->has_offchip) edge.bus = "all";
  }
  return value_of<acg::Program>(compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine));
}

TEST(RtlBackend, SaysWhatTheSystemCBackendSays) { expect_same(digits(), everything()); }

/// Narrow edges move many beats, for which there are few places, for the machine states a short latency.
TEST(RtlBackend, SaysTheSameWhateverTheMemory) {
  const acg::Program program = digits({{"M", "3"}, {"N", "4"}, {"axi", "32"}, {"dram_latency", "1"}});
  for (const std::string& memory : offchip::memory_names()) {
    SessionOptions options = everything();
    options.device.memory = memory;
    const sim::Statistics statistics = expect_same(program, options).cost.statistics;
    EXPECT_EQ(statistics.memories.empty(), memory == "fixed");
    EXPECT_EQ(waits_for("memory", statistics), memory != "fixed") << memory;
  }
}

/// Waiting on a bus is reported as a stall for the bus, except for posts, which need no turn on it.
TEST(RtlBackend, SaysTheSameOfASharedBusWhateverTheMemory) {
  const acg::Program program = on_one_bus();
  for (const std::string& memory : offchip::memory_names()) {
    SessionOptions options = everything();
    options.device.memory = memory;
    EXPECT_TRUE(waits_for("bus", expect_same(program, options).cost.statistics)) << memory;
  }
}

TEST(RtlBackend, GivesOnlyWhatIsAskedFor) {
  const acg::Program program = digits();
  const RunResult rtl = value_of(value_of(Session::open(program, "rtl", rtl_options())).run(noise(program, 3)));
  EXPECT_TRUE(rtl.cost.records.empty());
  EXPECT_TRUE(rtl.cost.trace.empty());
  EXPECT_FALSE(rtl.cost.statistics.blocks.empty());
}

TEST(RtlBackend, RefusesTimeWithoutValues) {
  const acg::Program program = digits();
  SessionOptions options;
  options.device.values = false;
  const auto result = value_of(Session::open(program, "rtl", rtl_options())).run(noise(program, 3), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "RUN0009");
}

TEST(RtlBackend, RefusesWaveformsOfAModelWithout) {
  const acg::Program program = digits();
  SessionOptions options;
  options.device.wave = "x.fst";
  const auto result = value_of(Session::open(program, "rtl", rtl_options())).run(noise(program, 3), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "RUN0010");
}

TEST(RtlBackend, CanBeStopped) {
  const acg::Program program = digits();
  SessionOptions options;
  options.device.progress = [](uint64_t cycle) { return cycle < 5000; };
  const auto result = value_of(Session::open(program, "rtl", rtl_options())).run(noise(program, 3), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "RUN0011");
}

TEST(RtlBackend, SaysWhereTheCacheCannotBe) {
  const acg::Program program = digits();
  RtlOptions options = rtl_options();
  options.cache = "/proc/no such place";
  const auto session = Session::open(program, "rtl", options);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, "RTL0015");
}

TEST(RtlBackend, ABuildThatIsEndedLeavesNothingBehind) {
  const std::filesystem::path cache = std::filesystem::path(::testing::TempDir()) / "covenant_ended_build";
  std::filesystem::remove_all(cache);
  for (const uint32_t most : {0U, 10U}) {  // before it begins, and in the middle of a step
    RtlOptions options;
    options.cache = cache;
    uint32_t calls = 0;
    options.progress = [&](const std::string&, uint32_t, uint32_t) { return calls++ < most; };
    const auto session = Session::open(digits(), "rtl", options);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, "RTL0019");
    EXPECT_EQ(calls, most + 1);
    for (const auto& left : std::filesystem::directory_iterator(cache)) {
      EXPECT_EQ(left.path().extension(), ".lock") << left.path();
    }
  }
  std::filesystem::remove_all(cache);
}

TEST(RtlBackend, WritesWaveforms) {
  const acg::Program program = digits();
  const Session session = value_of(Session::open(program, "rtl", rtl_options(true)));
  const std::string path = ::testing::TempDir() + "covenant_backend_test.fst";
  SessionOptions options;
  options.device.wave = path;
  const RunResult result = value_of(session.run(noise(program, 3), options));
  const RunResult expected = value_of(value_of(Session::open(program, "systemc")).run(noise(program, 3)));
  EXPECT_EQ(result.outputs, expected.outputs);
  EXPECT_EQ(result.cost.cycles, expected.cost.cycles);
  const auto whole = std::filesystem::file_size(path);
  options.device.wave_to = 200;
  value_of(session.run(noise(program, 3), options));
  EXPECT_GT(std::filesystem::file_size(path), 0U);
  EXPECT_LT(std::filesystem::file_size(path), whole);
  std::filesystem::remove(path);

  options.device.wave = "/proc/no such place/x.fst";
  const auto refused = session.run(noise(program, 3), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "RTL0016");
}

TEST(SystemcBackend, HasNoWaveforms) {
  const acg::Program program = digits();
  for (const char* backend : {"systemc", "interpret"}) {
    SessionOptions options;
    options.device.wave = "x.fst";
    const auto result = value_of(Session::open(program, backend)).run(noise(program, 3), options);
    ASSERT_FALSE(result) << backend;
    EXPECT_EQ(result.error().code, "RUN0009");
  }
}

}  // namespace
}  // namespace covenant::runtime
