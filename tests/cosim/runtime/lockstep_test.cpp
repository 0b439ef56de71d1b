/// Lock-step runs: equal models agree, and a model of another machine is detected at the first difference.
#include "runtime/lockstep/lockstep.h"

#include <gtest/gtest.h>

#include "sim/run/simulate.h"
#include "tests/cosim/runtime/digits.h"

namespace covenant::runtime {
namespace {

using namespace covenant::runtime::testing;

TEST(Lockstep, ComparesEveryCommandAndByte) {
  const acg::Program program = digits();
  const rtl::Model model = value_of(build_rtl(program.machine, rtl_options()));
  const std::vector<uint8_t> image = value_of(image_of(program, noise(program, 5)));
  std::vector<uint8_t> memory = image;
  const auto alone = value_of(sim::simulate(program, memory, {.records = true}));
  uint64_t calls = 0;
  LockstepOptions options;
  options.progress = [&](uint64_t cycle, uint64_t cycles) {
    ++calls;
    return cycle <= cycles;
  };
  const LockstepResult result = value_of(lockstep(model, program, image, options));
  EXPECT_EQ(result.instructions, alone.records.size());
  EXPECT_EQ(result.cycles, alone.cycles);
  EXPECT_EQ(result.differences, 0U);
  EXPECT_FALSE(result.first) << render(*result.first);
  EXPECT_EQ(result.systemc_memory, memory);
  EXPECT_EQ(result.rtl_memory, memory);
  EXPECT_EQ(result.statistics, alone.statistics);
  EXPECT_GT(calls, 3U);
}

/// The memory of the model answers a cycle sooner than the machine states.
TEST(Lockstep, ShowsTheFirstDifference) {
  const acg::Program program = digits({{"M", "3"}, {"N", "4"}, {"dram_latency", "41"}});
  const acg::Program other = digits();
  const rtl::Model model = value_of(build_rtl(other.machine, rtl_options()));
  const std::vector<uint8_t> image = value_of(image_of(program, noise(program, 5)));
  const LockstepResult result = value_of(lockstep(model, program, image));
  EXPECT_GT(result.differences, 0U);
  ASSERT_TRUE(result.first);
  const Difference& first = *result.first;
  EXPECT_EQ(first.kind, DifferenceKind::kRecord);
  EXPECT_EQ(first.engine, "instruction fetch");
  EXPECT_EQ(first.block, 0U);
  EXPECT_EQ(first.layer, program.blocks[0].layer);
  ASSERT_FALSE(first.fields.empty());
  EXPECT_EQ(first.fields[0], (DifferentField{"issue", "42", "41"}));
  ASSERT_FALSE(first.around_rtl.empty());
  EXPECT_EQ(first.around_systemc.front().record.issue, 42U);
  EXPECT_EQ(first.around_rtl.front().record.issue, 41U);
  const std::string text = render(first);
  EXPECT_NE(text.find("first difference, cycle 41: instruction fetch, word 0 of block 0"), std::string::npos) << text;
  EXPECT_NE(text.find("issue      systemc 42, rtl 41"), std::string::npos) << text;
}

TEST(Lockstep, ShowsThatTheRtlStops) {
  // The model of an array of another shape stops at once: words that it does not know, or tokens that never come.
  const acg::Program program = digits();
  const Settings other{{"M", "5"}, {"N", "2"}, {"axi", "32"}, {"dram_latency", "1"}, {"axi_instruction", "32"}};
  const rtl::Model model = value_of(build_rtl(digits(other).machine, rtl_options()));
  const LockstepResult result = value_of(lockstep(model, program, value_of(image_of(program, noise(program, 5)))));
  EXPECT_GT(result.differences, 0U);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->engine, "instruction fetch");
}

TEST(Lockstep, CanBeStopped) {
  const acg::Program program = digits();
  const rtl::Model model = value_of(build_rtl(program.machine, rtl_options()));
  LockstepOptions options;
  options.progress = [](uint64_t cycle, uint64_t) { return cycle < 8000; };
  const LockstepResult result =
      value_of(lockstep(model, program, value_of(image_of(program, noise(program, 5))), options));
  EXPECT_TRUE(result.is_stopped);
  EXPECT_EQ(result.differences, 0U);
  EXPECT_GT(result.instructions, 0U);
}

TEST(Lockstep, RefusesWrongPrograms) {
  acg::Program program = digits();
  const rtl::Model model = value_of(build_rtl(program.machine, rtl_options()));
  std::vector<uint8_t> image = value_of(image_of(program, noise(program, 5)));
  image[program.entry + 3] ^= 0xF0;  // the first header's opcode
  const auto result = lockstep(model, program, image);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code.substr(0, 3), "SIM");
}

}  // namespace
}  // namespace covenant::runtime
