/// Programs of parts on their machines: the bytes of the whole on one machine, costs of each part, state.
#include "runtime/session/parts_session.h"

#include <gtest/gtest.h>

#include "acg/graph/numerics.h"
#include "acg/lang/load.h"
#include "acg/program/parts_file.h"
#include "compiler/driver/compile_parts.h"
#include "compiler/driver/cut.h"
#include "compiler/driver/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/state.h"
#include "tests/support/pipeline/residual_graph.h"

namespace covenant::runtime {
namespace {

using test::Graph;

acg::Machine machine(const std::string& spec) { return *acg::load_machine(spec); }

acg::ProgramParts compiled(const Graph& graph, const std::string& first, const std::string& after,
                           const std::string& second, const compiler::CompileOptions& options = {}) {
  Result<acg::ProgramParts> parts =
      compiler::compile_parts(graph, machine(first), {{after, machine(second)}}, "graph", options);
  EXPECT_TRUE(parts) << render(parts.error());
  return *parts;
}

PartsResult run(const acg::ProgramParts& parts, const std::string& backend, const std::vector<Tensor>& inputs) {
  const Result<PartsSession> session = PartsSession::open(parts, backend);
  EXPECT_TRUE(session) << render(session.error());
  Result<PartsResult> result = session->run(inputs);
  EXPECT_TRUE(result) << render(result.error());
  return *result;
}

TEST(PartsSession, GivesTheBytesOfOneProgram) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const Graph graph = test::residual_graph(seed, seed % 2 == 0 ? DType::kI8 : DType::kU8);
    const std::vector<Tensor> inputs{test::random_input(graph.get(graph.inputs[0]), seed)};
    const auto whole = compiler::compile_graph(graph, machine("genesys"), "graph");
    ASSERT_TRUE(whole) << render(whole.error());
    const std::vector<Tensor> expected = Session::open(*whole, "interpret")->run(inputs)->outputs;
    for (const char* after : {"conv0", "conv1", "add2"}) {
      const acg::ProgramParts parts = compiled(graph, "genesys", after, "genesys:8x8");
      for (const char* backend : {"interpret", "systemc"}) {
        EXPECT_EQ(run(parts, backend, inputs).outputs, expected)
            << "seed " << seed << ", after " << after << ", " << backend;
      }
    }
  }
}

TEST(PartsSession, EachPartScalesAsItsMachineDoes) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const Graph graph = test::residual_graph(seed, seed % 2 == 0 ? DType::kI8 : DType::kU8);
    const std::vector<Tensor> inputs{test::random_input(graph.get(graph.inputs[0]), seed)};
    const acg::ProgramParts parts = compiled(graph, "genesys", "conv0", "hvx");
    const std::vector<Graph> graphs = *compiler::cut(graph, {"conv0"});
    compiler::reference::Tensors known{{"input", {inputs[0].dtype, inputs[0].shape, inputs[0].bytes}}};
    for (size_t i = 0; i < graphs.size(); ++i) {
      compiler::reference::Tensors given;
      for (const test::ValueId id : graphs[i].inputs) given[graphs[i].get(id).name] = known.at(graphs[i].get(id).name);
      const Requantization how = acg::requantization(parts.parts[i].program.machine);
      const compiler::reference::Tensors made = *compiler::reference::evaluate(graphs[i], given, how);
      known.insert(made.begin(), made.end());
    }
    EXPECT_EQ(run(parts, "systemc", inputs).outputs[0].bytes, known.at("max_pool3.y").bytes) << "seed " << seed;
  }
}

TEST(PartsSession, ReadsAnInputInSeveralParts) {
  test::GraphMaker maker(9, DType::kI8);
  const test::ValueId x = maker.input({1, 8, 4, 4});
  const Graph graph = maker.finish(maker.add(x, maker.conv(x, 8, 3, 1, 1)));
  const std::vector<Tensor> inputs{test::random_input(graph.get(graph.inputs[0]), 9)};
  const acg::ProgramParts parts = compiled(graph, "genesys:8x8", "conv0", "genesys");
  EXPECT_EQ(parts.inputs.size(), 2U);
  const auto whole = compiler::compile_graph(graph, machine("genesys"), "graph");
  EXPECT_EQ(run(parts, "systemc", inputs).outputs, Session::open(*whole, "systemc")->run(inputs)->outputs);
}

TEST(PartsSession, CostsAreOfEachPartAndSummed) {
  const Graph graph = test::residual_graph(1);
  const std::vector<Tensor> inputs{test::random_input(graph.get(graph.inputs[0]), 1)};
  const acg::ProgramParts parts = compiled(graph, "genesys:8x8", "conv1", "hvx");
  const PartsResult result = run(parts, "systemc", inputs);
  ASSERT_EQ(result.parts.size(), 2U);
  uint64_t cycles = 0;
  double seconds = 0;
  for (size_t i = 0; i < 2; ++i) {
    const Result<Session> alone = Session::open(parts.parts[i].program, "systemc");
    const Result<RunResult> again = alone->run(result.parts[i].inputs);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(again->cost.cycles, result.parts[i].run.cost.cycles);
    EXPECT_EQ(again->outputs, result.parts[i].run.outputs);
    EXPECT_GT(again->cost.cycles, 0U);
    cycles += again->cost.cycles;
    seconds += static_cast<double>(again->cost.cycles) / parts.parts[i].program.machine.clock_hertz;
  }
  EXPECT_EQ(result.cycles, cycles);
  EXPECT_DOUBLE_EQ(result.machine_seconds, seconds);
}

TEST(PartsSession, StateGoesFromTheLastPartToTheFirst) {
  test::GraphMaker maker(6, DType::kI8);
  const test::ValueId h = maker.input({1, 8, 4, 4});
  const test::ValueId made = maker.clip(maker.add(maker.conv(h, 8, 1, 1, 0), h));
  Graph graph = maker.finish(made);
  graph.values[made.value].quantization = graph.get(h).quantization;
  for (auto& node : graph.nodes) {  // keep the clip's operand quantised as its result
    if (node.operation == "add") graph.values[node.outputs[0].value].quantization = graph.get(h).quantization;
  }
  compiler::CompileOptions options;
  options.state = {{graph.get(made).name, "input"}};
  const acg::ProgramParts parts = compiled(graph, "genesys:8x8", "conv0", "genesys", options);
  EXPECT_EQ(parts.state, options.state);
  EXPECT_EQ(*acg::read_parts(acg::write_parts(parts), "state.cprog"), parts);
  const auto whole = compiler::compile_graph(graph, machine("genesys"), "graph", options);
  ASSERT_TRUE(whole) << render(whole.error());
  const Result<Session> session = Session::open(*whole, "interpret");
  std::vector<Tensor> state;
  for (int step = 0; step < 3; ++step) {
    const PartsResult result = run(parts, "interpret", state);
    const Result<RunResult> expected = session->run(state);
    EXPECT_EQ(result.outputs, expected->outputs) << "step " << step;
    state = next_state(parts.state, result.outputs);
  }
}

}  // namespace
}  // namespace covenant::runtime
