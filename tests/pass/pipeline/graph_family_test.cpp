/// A family that takes graphs as a whole gives a program; what only families of layers have is refused by name.
#include <gtest/gtest.h>

#include "acg/program/program_file.h"
#include "compiler/driver/explain.h"
#include "compiler/driver/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "compiler/schedule/parse.h"
#include "runtime/session/run.h"
#include "tests/support/pipeline/adder_family.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

srdfg::Graph sum_of_two() {
  test::GraphMaker maker(7, DType::kU8);
  const srdfg::ValueId a = maker.input({1, 6, 5});
  const srdfg::ValueId b = maker.input({1, 6, 5});
  maker.graph().values[b.value].name = "other";
  return maker.finish(maker.add(a, b));
}

class GraphFamily : public testing::Test {
 protected:
  Staged<acg::Program> compiled(const CompileOptions& options = {}) const {
    return compile_graph(graph_, machine_, "sum", options, test::adder_alone());
  }

  void expect_refused(const Diagnostic& error, const std::string& asked) const {
    EXPECT_EQ(error.code, "GEN0031");
    EXPECT_EQ(error.subject, "adder");
    EXPECT_EQ(error.offending, asked);
    EXPECT_EQ(error.allowed, (std::vector<std::string>{"normalized", "assembly"}));
  }

  const srdfg::Graph graph_ = sum_of_two();
  const acg::Machine machine_ = test::adder_machine();
};

TEST_F(GraphFamily, GivesAProgramThatRuns) {
  const Staged<acg::Program> program = compiled();
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<uint8_t> file = acg::write_program(*program);
  const Result<acg::Program> read = acg::read_program(file, "sum.cprog");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, *program);
  std::vector<runtime::Tensor> inputs;
  reference::Tensors given;
  for (const srdfg::ValueId id : graph_.inputs) {
    inputs.push_back(test::random_input(graph_.get(id), 3 + id.value));
    given[inputs.back().name] = {inputs.back().dtype, inputs.back().shape, inputs.back().bytes};
  }
  const Result<runtime::RunResult> ran = runtime::run(*read, inputs, {.backend = "interpret"});
  ASSERT_TRUE(ran) << render(ran.error());
  const auto expected = reference::evaluate(graph_, given);
  ASSERT_TRUE(expected) << render(expected.error());
  ASSERT_EQ(ran->outputs.size(), 1U);
  EXPECT_EQ(ran->outputs[0].bytes, expected->begin()->second.bytes);
}

TEST_F(GraphFamily, HasTheStagesThatAllHave) {
  for (const char* stage : {"normalized", "assembly"}) {
    const Result<std::string> text = emit_graph(graph_, machine_, "sum", stage, {}, "", test::adder_alone());
    ASSERT_TRUE(text) << stage << ": " << render(text.error());
    EXPECT_FALSE(text->empty()) << stage;
  }
  const Result<std::string> none = emit_graph(graph_, machine_, "sum", "tiled", {}, "", test::adder_alone());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "GEN0030");
}

TEST_F(GraphFamily, StopsWhereItIsAskedTo) {
  CompileOptions options;
  options.last_stage = "normalized";
  const Staged<acg::Program> made = compiled(options);
  ASSERT_FALSE(made);
  ASSERT_NE(made.stopped(), nullptr);
  EXPECT_EQ(made.stopped()->stage, "normalized");
  EXPECT_NE(made.stopped()->text.find("add"), std::string::npos);
}

TEST_F(GraphFamily, ExplainsNoLayers) {
  const Result<LayerExplanation> made = explain_layer(graph_, machine_, "add", {}, test::adder_alone());
  ASSERT_FALSE(made);
  expect_refused(made.error(), "an explanation of a layer");
}

TEST_F(GraphFamily, TakesNoNetworks) {
  const Staged<acg::Program> made = compile_network({}, machine_, {}, test::adder_alone());
  ASSERT_FALSE(made);
  expect_refused(made.error(), "the text of a network");
}

TEST_F(GraphFamily, TakesNoSchedulesAndNoCodelets) {
  CompileOptions scheduled;
  scheduled.schedules.emplace_back();
  expect_refused(compiled(scheduled).error(), "schedules of layers");
  CompileOptions declared;
  declared.codelets.push_back(*library_codelet("add"));
  expect_refused(compiled(declared).error(), "a library of codelets");
  CompileOptions lowered;
  lowered.lowering = "plain";
  expect_refused(compiled(lowered).error(), "a lowering of layers");
}

TEST_F(GraphFamily, SaysItsOwnMistakes) {
  test::GraphMaker maker(7, DType::kU8);
  const srdfg::Graph other = maker.finish(maker.clip(maker.input({1, 4})));
  const Staged<acg::Program> made = compile_graph(other, machine_, "clip", {}, test::adder_alone());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "TST0001");
}

}  // namespace
}  // namespace covenant::compiler
