/// Mixed fidelity: windows on the RTL leave what the whole program leaves on the SystemC model.
#include "runtime/lockstep/mixed.h"

#include <gtest/gtest.h>

#include "sim/run/simulate.h"
#include "tests/cosim/runtime/digits.h"

namespace covenant::runtime {
namespace {

using namespace covenant::runtime::testing;

TEST(Mixed, WindowsOnTheRtlLeaveTheSame) {
  const acg::Program program = digits();
  const rtl::Model model = value_of(build_rtl(program.machine, rtl_options()));
  const std::vector<uint8_t> image = value_of(image_of(program, noise(program, 11)));
  std::vector<uint8_t> expected = image;
  const auto whole = value_of(sim::simulate(program, expected));
  for (const std::vector<std::string>& layers :
       {std::vector<std::string>{"conv1"}, {"classifier"}, {"conv2+add", "conv4"}}) {
    const auto chosen = value_of(choose_blocks(program, layers, std::nullopt));
    const MixedResult result = value_of(run_mixed(model, program, image, chosen));
    EXPECT_EQ(result.memory, expected);
    EXPECT_EQ(result.statistics, whole.statistics);
    EXPECT_EQ(result.differences, 0U);
    EXPECT_GT(result.instructions, 0U);
    size_t on_rtl = 0;
    for (const MixedBlock& block : result.blocks) {
      on_rtl += block.on_rtl ? 1U : 0U;
      EXPECT_EQ(block.agreement, block.on_rtl ? Agreement::kEqual : Agreement::kUnknown);
    }
    EXPECT_EQ(on_rtl, layers.size());
  }
}

/// The model's memory answers sooner than the machine states: the first block of the window differs.
TEST(Mixed, DifferencesNameTheirBlock) {
  const acg::Program program = digits({{"M", "3"}, {"N", "4"}, {"dram_latency", "41"}});
  const rtl::Model model = value_of(build_rtl(digits().machine, rtl_options()));
  const auto chosen = value_of(choose_blocks(program, {"pool", "conv3"}, std::nullopt));
  const MixedResult result =
      value_of(run_mixed(model, program, value_of(image_of(program, noise(program, 11))), chosen));
  ASSERT_TRUE(result.first);
  EXPECT_GT(result.differences, 0U);
  EXPECT_EQ(result.first->layer, "pool");
  EXPECT_EQ(program.blocks.at(result.first->block).layer, "pool");
  EXPECT_EQ(result.blocks[result.first->block].agreement, Agreement::kDifferent);
  EXPECT_EQ(result.blocks[result.first->block + 1].agreement, Agreement::kUnknown);
}

TEST(Mixed, BlocksAreChosenByNameOrByWords) {
  const acg::Program program = digits();
  const auto count = [](const std::vector<bool>& chosen) { return std::count(chosen.begin(), chosen.end(), true); };
  const acg::Block& second = program.blocks.at(1);
  const auto inside = value_of(choose_blocks(program, {}, std::pair{second.first_word + 3, second.first_word + 4}));
  EXPECT_EQ(count(inside), 1);
  EXPECT_TRUE(inside[1]);
  EXPECT_EQ(count(value_of(choose_blocks(program, {}, std::pair{second.first_word - 2, second.first_word}))), 2);
  EXPECT_EQ(count(value_of(choose_blocks(program, {"pool"}, std::pair{uint64_t{0}, uint64_t{0}}))), 2);

  // A fused block answers to the names of its layers, alone or together.
  for (const std::vector<std::string>& layers :
       {std::vector<std::string>{"conv2"}, {"add"}, {"conv2", "add"}, {"conv2+add"}}) {
    const auto fused = value_of(choose_blocks(program, layers, std::nullopt));
    EXPECT_EQ(count(fused), 1);
    EXPECT_TRUE(fused[1]);
    EXPECT_EQ(program.blocks[1].layer, "conv2+add");
  }

  const auto unknown = choose_blocks(program, {"pool", "conv9"}, std::nullopt);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "RUN0012");
  EXPECT_EQ(unknown.error().offending, "conv9");
  EXPECT_EQ(unknown.error().allowed.size(), program.blocks.size());
  const uint64_t end = program.blocks.back().first_word + program.blocks.back().words;
  for (const auto& [first, last] : {std::pair{uint64_t{0}, end}, std::pair{uint64_t{9}, uint64_t{8}}}) {
    const auto window = choose_blocks(program, {"pool"}, std::pair{first, last});
    ASSERT_FALSE(window);
    EXPECT_EQ(window.error().code, "RUN0013");
  }
  EXPECT_EQ(choose_blocks(program, {}, std::nullopt).error().code, "RUN0013");
}

}  // namespace
}  // namespace covenant::runtime
