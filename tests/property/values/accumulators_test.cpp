/// A machine's accumulators have the same effect on an operator as on its parts.
#include "compiler/layers/accumulators.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/fit_elements.h"
#include "compiler/operators/templates.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "tests/property/values/random_node.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

using reference::Tensors;
using srdfg::Graph;

acg::Machine machine(int64_t accumulator) {
  const auto text = fmt::format("{}", accumulator);
  Result<acg::Machine> made = acg::load_machine("genesys:8x8", {{"accumulator", text}});
  EXPECT_TRUE(made) << render(made.error());
  return *std::move(made);
}

Tensors evaluated(const Graph& graph, const acg::Machine& where, const Tensors& inputs) {
  const Result<Graph> ready = with_accumulators(graph, where);
  EXPECT_TRUE(ready) << render(ready.error());
  const Result<Tensors> outputs = reference::evaluate(*ready, inputs);
  EXPECT_TRUE(outputs) << render(outputs.error());
  return outputs ? *outputs : Tensors{};
}

/// A softmax of the product turns it around.
Graph with_softmax(Graph graph) {
  const srdfg::ValueId product = graph.outputs.at(0);
  srdfg::Value made = graph.get(product);
  graph.values[product.value].modifier = srdfg::Modifier::kState;
  made.name += "/softmax";
  graph.values.push_back(made);
  graph.outputs = {{static_cast<uint32_t>(graph.values.size() - 1)}};
  graph.nodes.push_back({.name = "softmax",
                         .operation = "softmax",
                         .attributes = {{"axis", static_cast<int64_t>(made.shape.size()) - 1},
                                        {"lowest", int64_t{lowest(made.dtype)}},
                                        {"highest", int64_t{highest(made.dtype)}}},
                         .inputs = {product},
                         .outputs = graph.outputs,
                         .body = {}});
  return graph;
}

TEST(Accumulators, OfAMatmulAndOfItsParts) {
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    test::RandomGraphs random(test::seed() * 1000 + static_cast<uint64_t>(trial));
    Graph graph = random.of("matmul");
    if (trial % 2 != 0) graph = with_softmax(std::move(graph));
    const acg::Machine where = machine(random.drawn(16, 32));
    Tensors inputs, fitted_inputs;
    const Result<Graph> fitted = fit_elements(graph, where);
    ASSERT_TRUE(fitted) << render(fitted.error());
    for (const srdfg::ValueId id : graph.inputs) {
      const srdfg::Value& value = graph.get(id);
      const auto bytes = random.elements(value.dtype, srdfg::element_count(value.shape));
      inputs[value.name] = {value.dtype, value.shape, bytes};
      fitted_inputs[value.name] = {fitted->get(id).dtype, value.shape, bytes};  // elements have bytes of their own
    }
    const std::string output = graph.get(graph.outputs.at(0)).name;
    const Tensors whole = evaluated(graph, where, inputs);
    const Tensors parts = evaluated(operators::expand_templates(*fitted), where, fitted_inputs);
    ASSERT_EQ(whole.at(output).bytes, parts.at(output).bytes) << srdfg::print(graph);
  }
}

TEST(Accumulators, OfALayerNormAndOfItsParts) {
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    test::RandomGraphs random(test::seed() * 1000 + static_cast<uint64_t>(trial));
    const auto count = static_cast<uint64_t>(random.drawn(1, 900));  // sums of squares beyond 16 bits
    const DType dtype = random.drawn(0, 1) == 0 ? DType::kI8 : DType::kU8;
    const auto zero_point = static_cast<int32_t>(random.drawn(lowest(dtype), highest(dtype)));
    Graph graph{.name = "norm"};
    const std::vector<uint64_t> shape{1, 3, count};
    graph.values = {{.name = "x", .dtype = dtype, .shape = shape, .modifier = srdfg::Modifier::kInput}};
    graph.values[0].quantization = srdfg::Quantization{{0.05F}, {zero_point}, -1};
    for (const char* name : {"gains", "offsets"}) {
      graph.values.push_back({.name = name,
                              .dtype = DType::kF32,
                              .shape = {count},
                              .modifier = srdfg::Modifier::kParam,
                              .data = std::vector<uint8_t>(count * 4, uint8_t{0x3e})});
    }
    graph.values.push_back(graph.values[0]);
    graph.values[3].name = "y";
    graph.values[3].modifier = srdfg::Modifier::kOutput;
    graph.inputs = {{0}};
    graph.outputs = {{3}};
    graph.nodes.push_back(
        {.name = "norm",
         .operation = "layer_norm",
         .attributes = {{"epsilon", 1e-5}, {"lowest", int64_t{lowest(dtype)}}, {"highest", int64_t{highest(dtype)}}},
         .inputs = {{0}, {1}, {2}},
         .outputs = {{3}},
         .body = {}});
    const acg::Machine where = machine(random.drawn(16, 20));
    const Tensors inputs{{"x", {dtype, shape, random.elements(dtype, 3 * count)}}};
    const Tensors whole = evaluated(graph, where, inputs);
    const Tensors parts = evaluated(operators::expand_templates(graph), where, inputs);
    ASSERT_EQ(whole.at("y").bytes, parts.at("y").bytes);
  }
}

TEST(Accumulators, OfAWordSayNothing) {
  test::RandomGraphs random(1);
  const Graph graph = random.of("conv");
  const Result<Graph> same = with_accumulators(graph, machine(32));
  ASSERT_TRUE(same);
  EXPECT_EQ(srdfg::print(*same), srdfg::print(graph));
  const Result<Graph> narrow = with_accumulators(graph, machine(20));
  ASSERT_TRUE(narrow);
  EXPECT_EQ(srdfg::accumulator_bits(narrow->nodes[0]), 20U);
}

}  // namespace
}  // namespace covenant::compiler
