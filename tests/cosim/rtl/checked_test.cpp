/// Models with assertions and random state at the start, against those without: nothing that a program can see depends
/// on what registers and scratchpads held before it.
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/isa/retire_record.h"
#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "sim/run/simulate.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/folders.h"
#include "tests/support/pipeline/noise_image.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

const acg::Machine& machine() {
  static const acg::Machine instance = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  return instance;
}

/// The model as benches and users have it.
const Model& fast_model() {
  static const Model model = *build_model(machine(), {.cache = rtl_models_folder(), .quick = true});
  return model;
}

void expect_same_run(const acg::Program& program, const std::vector<uint8_t>& image) {
  static const Model checked = model_of(machine());
  ASSERT_TRUE(checked.is_checked());
  ASSERT_FALSE(fast_model().is_checked());
  std::vector<uint8_t> expected = image;
  const auto fast = fast_model().run(program, expected, {.records = true});
  ASSERT_TRUE(fast) << render(fast.error());
  std::vector<uint8_t> memory = image;
  const auto slow = checked.run(program, memory, {.records = true, .seed = 0});
  ASSERT_TRUE(slow) << render(slow.error());
  EXPECT_EQ(slow->records, fast->records);
  EXPECT_EQ(slow->blocks, fast->blocks);
  EXPECT_EQ(slow->cycles, fast->cycles);
  EXPECT_TRUE(memory == expected);
}

TEST(Checked, RandomProgramsRunAsOnTheFastModel) {
  uint64_t compared = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(machine(), seed);
    const acg::Program program = random.program();
    const std::vector<uint8_t> image = random.image();
    std::vector<uint8_t> memory = image;
    if (!sim::simulate(program, memory, {.max_cycles = 2'000'000})) continue;
    expect_same_run(program, image);
    ++compared;
  }
  EXPECT_GE(compared, 10U);
}

/// Compiled programs do not rely on what scratchpads held: other contents, same cycles and same off-chip memory.
TEST(Checked, CompiledProgramsDoNotRelyOnWhatWasThere) {
  const auto program = compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine());
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<uint8_t> image = test::noise_image(*program, 1);
  expect_same_run(*program, image);
  std::vector<uint8_t> expected = image;
  const auto zeros = sim::simulate(*program, expected);
  ASSERT_TRUE(zeros) << render(zeros.error());
  for (const uint64_t seed : {1U, 2U}) {
    std::vector<uint8_t> memory = image;
    const auto other = model_of(machine()).run(*program, memory, {.seed = seed});
    ASSERT_TRUE(other) << render(other.error());
    EXPECT_EQ(other->cycles, zeros->cycles);
    EXPECT_TRUE(memory == expected);
  }
}

/// A program that stores what it has not written stores the same initial contents on both models. An address of VMEM1
/// is four bytes.
TEST(Checked, ScratchpadsHoldWhatTheSeedSays) {
  const auto vmem1 = acg::find_memory(machine(), "VMEM1").value().value;
  Assembly a(machine());
  a.group("VMEM1->DRAM").store(1024, 7, 90).end_block(true);
  const acg::Program program = a.program();
  for (const uint64_t seed : {0U, 1U, 2U}) {
    std::vector<uint8_t> rtl = a.image();
    std::vector<uint8_t> systemc = a.image();
    ASSERT_TRUE(model_of(machine()).run(program, rtl, {.seed = seed}));
    ASSERT_TRUE(sim::simulate(program, systemc, {.seed = seed}));
    EXPECT_TRUE(rtl == systemc);
    for (uint64_t k = 0; k < 90; ++k) EXPECT_EQ(rtl[1024 + k], acg::initial_byte(seed, vmem1, 7 * 4 + k)) << k;
  }
}

}  // namespace
}  // namespace covenant::rtl
