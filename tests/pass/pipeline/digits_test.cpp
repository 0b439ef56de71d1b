/// The digits models end to end on machines of many shapes and buses: words on the model = codelets = reference.
#include <cstring>
#include <gtest/gtest.h>
#include <random>

#include "acg/lang/load.h"
#include "acg/program/program_file.h"
#include "compiler/driver/pipeline.h"
#include "compiler/frontends/onnx/load_model.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"
#include "tests/support/folders.h"

namespace covenant {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string model_path(const std::string& style) {
  return source_folder() + "/examples/01_digits/digits_" + style + ".onnx";
}

runtime::Tensor image(const acg::TensorBinding& binding, uint32_t seed) {
  std::mt19937 random(seed);
  runtime::Tensor tensor{binding.name, DType::kF32, binding.shape, std::vector<uint8_t>(64 * 4)};
  for (size_t i = 0; i < 64; ++i) {
    const float value = static_cast<float>(random() % 17) / 16.0F;  // as the data set has it: 0..16 sixteenths
    std::memcpy(&tensor.bytes[i * 4], &value, 4);
  }
  return tensor;
}

void expect_equal_on(const std::string& style, const Settings& settings) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", settings);
  ASSERT_TRUE(machine) << render(machine.error());
  const Result<acg::Program> program = compiler::compile(model_path(style), *machine);
  ASSERT_TRUE(program) << render(program.error());
  const auto graph = compiler::frontend::load_model(model_path(style));
  ASSERT_TRUE(graph) << render(graph.error());
  for (const std::string backend : {"systemc", "interpret"}) {
    SCOPED_TRACE(backend);
    const Result<runtime::Session> session = runtime::Session::open(*program, backend);
    ASSERT_TRUE(session) << render(session.error());
    for (uint32_t seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE("image of seed " + std::to_string(seed));
      const runtime::Tensor input = image(program->inputs.at(0), seed);
      const auto expected =
          compiler::reference::evaluate(*graph, {{input.name, {input.dtype, input.shape, input.bytes}}});
      ASSERT_TRUE(expected) << render(expected.error());
      const Result<runtime::RunResult> result = session->run({input});
      ASSERT_TRUE(result) << render(result.error());
      ASSERT_EQ(result->outputs.size(), 1U);
      EXPECT_EQ(result->outputs[0].bytes, expected->at(result->outputs[0].name).bytes);
    }
  }
}

class DigitsOnMachines : public ::testing::TestWithParam<Settings> {};

TEST_P(DigitsOnMachines, Qdq) { expect_equal_on("qdq", GetParam()); }
TEST_P(DigitsOnMachines, QOperator) { expect_equal_on("qoperator", GetParam()); }

INSTANTIATE_TEST_SUITE_P(Shapes, DigitsOnMachines,
                         ::testing::Values(Settings{{"M", "16"}, {"N", "16"}}, Settings{{"M", "8"}, {"N", "8"}},
                                           Settings{{"M", "32"}, {"N", "32"}}, Settings{{"M", "8"}, {"N", "24"}},
                                           Settings{{"M", "20"}, {"N", "12"}}, Settings{{"M", "3"}, {"N", "5"}},
                                           Settings{{"axi", "64"}}, Settings{{"axi", "128"}}, Settings{{"axi", "512"}},
                                           Settings{{"M", "4"},
                                                    {"N", "4"},
                                                    {"input_depth", "40"},
                                                    {"weight_depth", "12"},
                                                    {"output_depth", "16"},
                                                    {"vector_depth", "32"},
                                                    {"bias_depth", "4"}}),
                         [](const auto& parameter) {
                           std::string name;
                           for (const auto& [key, value] : parameter.param) name += key + value;
                           std::erase(name, '_');
                           return name;
                         });

TEST(Digits, TwoCompilationsGiveTheSameBytes) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  const Result<acg::Program> one = compiler::compile(model_path("qdq"), *machine);
  const Result<acg::Program> two = compiler::compile(model_path("qdq"), *machine);
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_EQ(acg::write_program(*one), acg::write_program(*two));
}

TEST(Digits, TwoRunsCostTheSame) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  const Result<runtime::Session> session =
      runtime::Session::open(*compiler::compile(model_path("qdq"), *machine), "systemc");
  ASSERT_TRUE(session);
  const std::vector<runtime::Tensor> inputs{image(session->program().inputs.at(0), 3)};
  const Result<runtime::RunResult> one = session->run(inputs, {{true, true, true}, true});
  const Result<runtime::RunResult> two = session->run(inputs, {{true, true, true}, true});
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_GT(one->cost.cycles, 0U);
  EXPECT_EQ(one->cost.cycles, two->cost.cycles);
  EXPECT_EQ(one->cost.records, two->cost.records);
  EXPECT_EQ(one->cost.statistics, two->cost.statistics);
  EXPECT_EQ(one->cost.trace, two->cost.trace);
  EXPECT_EQ(one->memory, two->memory);
}

}  // namespace
}  // namespace covenant
