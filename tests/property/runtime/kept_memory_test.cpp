/// A session keeps the memory of a run for the next one, put right where it has been written: runs do not see each
/// other.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/image.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/seed.h"

namespace covenant {
namespace {

acg::Program drawn_program(uint64_t seed) {
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "8"}, {"N", "8"}});
  test::GraphMaker maker(static_cast<uint32_t>(seed), DType::kI8);
  const test::ValueId x = maker.input({1, static_cast<uint64_t>(maker.draw(1, 9)), 6, 6});
  const test::ValueId y = maker.conv(x, 8, 3, 1, 1);
  return *compiler::compile_graph(maker.finish(maker.add(maker.conv(y, 8, 1, 1, 0), y)), machine, "drawn");
}

std::vector<runtime::Tensor> image_for(const acg::Program& program, uint32_t seed) {
  const acg::TensorBinding& binding = program.inputs.at(0);
  compiler::srdfg::Value value{.name = binding.name, .dtype = binding.dtype, .shape = binding.shape};
  return {test::random_input(value, seed)};
}

TEST(KeptMemory, IsAsItWasBeforeTheRun) {
  for (uint32_t trial = 0; trial < 12; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const acg::Program program = drawn_program(test::seed() * 100 + trial);
    const Result<runtime::Session> used = runtime::Session::open(program, "systemc");
    ASSERT_TRUE(used);
    for (const uint32_t image : {1U, 2U, 1U}) {
      const std::vector<runtime::Tensor> inputs = image_for(program, image);
      const Result<runtime::Session> fresh = runtime::Session::open(program, "systemc");
      const Result<runtime::RunResult> first = fresh->run(inputs, {{}, true}), again = used->run(inputs);
      ASSERT_TRUE(first && again);
      EXPECT_EQ(again->outputs, first->outputs);
      EXPECT_EQ(used->run(inputs, {{}, true})->memory, first->memory);
    }
  }
}

TEST(KeptMemory, IsPutRightWhereItWasWritten) {
  for (uint32_t trial = 0; trial < 12; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const acg::Program program = drawn_program(test::seed() * 100 + trial);
    const std::vector<uint8_t> before = runtime::initial_image(program);
    const Result<runtime::Session> session = runtime::Session::open(program, "systemc");
    Result<runtime::RunResult> result = session->run(image_for(program, trial), {{}, true});
    ASSERT_TRUE(result && result->cost.written);
    const sim::ByteBounds written = *result->cost.written;
    EXPECT_LT(written.high - written.low, before.size()) << "constants are not written";
    EXPECT_NE(result->memory, before);
    runtime::put_right(program, before, written, result->memory);
    EXPECT_EQ(result->memory, before);
  }
}

}  // namespace
}  // namespace covenant
