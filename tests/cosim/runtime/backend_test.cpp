/// The backend rtl: the same outputs, records, statistics and trace as the backend systemc.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "runtime/session.h"
#include "tests/cosim/runtime/digits.h"

namespace covenant::runtime {
namespace {

using namespace covenant::runtime::testing;

SessionOptions everything() {
  SessionOptions options;
  options.device.records = options.device.trace = options.memory = true;
  return options;
}

TEST(RtlBackend, SaysWhatTheSystemCBackendSays) {
  const acg::Program program = digits();
  const std::vector<Tensor> inputs = noise(program, 3);
  const RunResult systemc = value_of(value_of(Session::open(program, "systemc")).run(inputs, everything()));
  const RunResult rtl = value_of(value_of(Session::open(program, "rtl", rtl_options())).run(inputs, everything()));
  EXPECT_EQ(systemc.outputs, rtl.outputs);
  EXPECT_EQ(systemc.memory, rtl.memory);
  EXPECT_EQ(systemc.cost.cycles, rtl.cost.cycles);
  EXPECT_EQ(systemc.cost.records, rtl.cost.records);
  EXPECT_EQ(systemc.cost.statistics.cycles, rtl.cost.statistics.cycles);
  EXPECT_EQ(systemc.cost.statistics.blocks, rtl.cost.statistics.blocks);
  EXPECT_EQ(systemc.cost.statistics.engines, rtl.cost.statistics.engines);
  EXPECT_TRUE(rtl.cost.statistics.accesses.empty());
  EXPECT_EQ(systemc.cost.trace, rtl.cost.trace);
  EXPECT_FALSE(rtl.cost.trace.empty());
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
