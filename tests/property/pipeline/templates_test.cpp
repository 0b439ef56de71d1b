/// What templates put in the place of softmax, matmul and layer_norm computes the same: node by node in the reference
/// operators, and on machines of several shapes.
#include "compiler/srdfg/templates.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/verify.h"
#include "runtime/lockstep/random_layer.h"
#include "runtime/session.h"

namespace covenant {
namespace {

compiler::reference::Tensors inputs_of(const runtime::RandomLayer& layer) {
  compiler::reference::Tensors inputs;
  for (const runtime::Tensor& one : layer.inputs) inputs[one.name] = {one.dtype, one.shape, one.bytes};
  return inputs;
}

TEST(Templates, ComputeWhatTheyStandFor) {
  const Result<acg::Machine> machine = acg::load_machine("genesys:8x8", {});
  ASSERT_TRUE(machine) << render(machine.error());
  constexpr uint64_t kSeed = 20261123;
  RecordProperty("seed", std::to_string(kSeed));
  size_t expanded = 0;
  for (uint64_t index = 0; index < 2000; ++index) {
    const runtime::RandomLayer layer = runtime::random_layer(kSeed, index, *machine);
    const compiler::srdfg::Graph finer = compiler::srdfg::expand_templates(layer.graph);
    if (finer == layer.graph) continue;
    ++expanded;
    const Status verified = compiler::srdfg::verify_normalized(finer);
    ASSERT_TRUE(verified) << render(verified.error()) << compiler::srdfg::print(finer);
    const auto coarse = compiler::reference::evaluate_all(layer.graph, inputs_of(layer));
    const auto fine = compiler::reference::evaluate_all(finer, inputs_of(layer));
    ASSERT_TRUE(coarse && fine);
    for (const auto& [name, tensor] : *coarse) {
      EXPECT_EQ(fine->at(name), tensor) << "layer " << index << ", " << name << "\n" << compiler::srdfg::print(finer);
    }
  }
  EXPECT_GT(expanded, 20U);
}

bool has_template(const compiler::srdfg::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const compiler::srdfg::Node& node) {
    return node.operation == "matmul" || node.operation == "layer_norm" || node.operation == "softmax";
  });
}

TEST(Templates, MachinesComputeWhatTheyStandFor) {
  constexpr uint64_t kSeed = 20261124;
  RecordProperty("seed", std::to_string(kSeed));
  using Settings = std::vector<std::pair<std::string, std::string>>;
  for (const Settings& shape :
       {Settings{{"M", "8"}, {"N", "8"}}, {{"M", "3"}, {"N", "5"}}, {{"M", "8"}, {"N", "24"}}}) {
    const Result<acg::Machine> machine = acg::load_machine("genesys", shape);
    ASSERT_TRUE(machine) << render(machine.error());
    size_t run = 0;
    for (uint64_t index = 0; run < 25; ++index) {
      const runtime::RandomLayer layer = runtime::random_layer(kSeed, index, *machine);
      if (!has_template(layer.graph)) continue;
      ++run;
      SCOPED_TRACE("layer " + std::to_string(index) + "\n" + compiler::srdfg::print(layer.graph));
      const Result<acg::Program> program = compiler::compile_graph(layer.graph, *machine, "random");
      ASSERT_TRUE(program) << render(program.error());
      const auto expected = compiler::reference::evaluate(layer.graph, inputs_of(layer));
      ASSERT_TRUE(expected) << render(expected.error());
      for (const std::string backend : {"systemc", "interpret"}) {
        const Result<runtime::Session> session = runtime::Session::open(*program, backend);
        ASSERT_TRUE(session) << render(session.error());
        const auto result = session->run(layer.inputs);
        ASSERT_TRUE(result) << render(result.error());
        EXPECT_EQ(result->outputs.at(0).bytes, expected->begin()->second.bytes) << backend;
      }
    }
  }
}

}  // namespace
}  // namespace covenant
