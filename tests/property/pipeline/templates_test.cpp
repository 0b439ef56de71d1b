/// The nodes by which templates replace softmax, matmul and layer_norm compute the same: node by node in the reference
/// operators, and on machines of several shapes.
#include "compiler/operators/templates.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/parse.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "fuzz/random_layer.h"
#include "runtime/session/session.h"

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
    const compiler::srdfg::Graph finer = compiler::operators::expand_templates(layer.graph);
    if (finer == layer.graph) continue;
    ++expanded;
    const Status verified = compiler::operators::verify_normalized(finer);
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

/// The values that the reference gives the operands of a node, its params aside.
std::vector<const compiler::reference::Tensor*> operands_of(const compiler::srdfg::Graph& graph,
                                                            const compiler::srdfg::Node& node,
                                                            const compiler::reference::Tensors& tensors) {
  std::vector<const compiler::reference::Tensor*> operands;
  for (const compiler::srdfg::ValueId id : node.inputs) {
    const compiler::srdfg::Value& value = graph.get(id);
    if (value.modifier != compiler::srdfg::Modifier::kParam) operands.push_back(&tensors.at(value.name));
  }
  return operands;
}

TEST(Templates, AreBodiesThatComputeWhatTheirNodesDo) {
  const Result<acg::Machine> machine = acg::load_machine("genesys:8x8", {});
  ASSERT_TRUE(machine) << render(machine.error());
  constexpr uint64_t kSeed = 20261127;
  RecordProperty("seed", std::to_string(kSeed));
  size_t bodies = 0;
  for (uint64_t index = 0; index < 1000; ++index) {
    const runtime::RandomLayer layer = runtime::random_layer(kSeed, index, *machine);
    const compiler::srdfg::Graph graph = compiler::operators::with_bodies(layer.graph);
    if (graph == layer.graph) continue;
    SCOPED_TRACE("layer " + std::to_string(index) + "\n" + compiler::srdfg::print(graph));
    const Status verified = compiler::operators::verify_normalized(graph);
    ASSERT_TRUE(verified) << render(verified.error());
    const Result<compiler::srdfg::Graph> read = compiler::srdfg::parse(compiler::srdfg::print(graph));
    ASSERT_TRUE(read) << render(read.error());
    EXPECT_EQ(*read, graph);
    auto made = compiler::reference::evaluate_all(graph, inputs_of(layer));
    ASSERT_TRUE(made) << render(made.error());
    made->merge(inputs_of(layer));
    for (const compiler::srdfg::Node& node : graph.nodes) {
      if (node.body.empty()) continue;
      ++bodies;
      const auto by_body = compiler::reference::evaluate_body(graph, node, operands_of(graph, node, *made));
      ASSERT_EQ(by_body.size(), 1U);
      EXPECT_EQ(by_body[0], made->at(graph.get(node.outputs[0]).name)) << node.name;
    }
  }
  EXPECT_GT(bodies, 20U);
}

bool has_template(const compiler::srdfg::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const compiler::srdfg::Node& node) {
    return node.operation == "matmul" || node.operation == "layer_norm" || node.operation == "softmax";
  });
}

void expect_the_same(const runtime::RandomLayer& layer, const acg::Machine& machine) {
  const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, "random");
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
      expect_the_same(layer, *machine);
    }
  }
}

/// softmax(a b) c, of which a part of each row is normalised, with gains of columns, then of rows: products next to a
/// softmax, rows that end within a tile, a zero point whose opposite is no signed byte, rows without room past their
/// end.
runtime::RandomLayer attention() {
  using namespace compiler::srdfg;
  runtime::RandomLayer layer;
  Graph& graph = layer.graph;
  graph.name = "attention";
  const auto add = [&](const std::string& name, std::vector<uint64_t> shape, Modifier modifier, int32_t zero_point) {
    graph.values.push_back({name, DType::kI8, std::move(shape), modifier, Quantization{{0.03F}, {zero_point}, -1}, {}});
    return ValueId{static_cast<uint32_t>(graph.values.size() - 1)};
  };
  const auto input = [&](const std::string& name, std::vector<uint64_t> shape, int32_t zero_point) {
    runtime::Tensor& tensor = layer.inputs.emplace_back(runtime::Tensor{name, DType::kI8, shape, {}});
    for (uint64_t i = 0; i < element_count(shape); ++i) tensor.bytes.push_back(static_cast<uint8_t>(i * 37 + i / 7));
    graph.inputs.push_back(add(name, std::move(shape), Modifier::kInput, zero_point));
    return graph.inputs.back();
  };
  const auto node = [&](const char* operation, std::vector<ValueId> inputs, std::vector<uint64_t> shape,
                        std::map<std::string, Attribute> attributes, int32_t zero_point, bool clamps = true) {
    if (clamps) attributes.insert({{"lowest", int64_t{-128}}, {"highest", int64_t{127}}});
    const ValueId made = add(std::string(operation) + std::to_string(graph.nodes.size()), std::move(shape),
                             Modifier::kState, zero_point);
    const std::string name = "node" + std::to_string(graph.nodes.size());
    graph.nodes.push_back({name, operation, std::move(attributes), std::move(inputs), {made}, {}});
    return made;
  };
  const auto reals = [&](const std::string& name, const std::vector<uint64_t>& shape, float first) {
    Value value{name, DType::kF32, shape, Modifier::kParam, std::nullopt, {}};
    value.data.resize(element_count(shape) * sizeof(float));
    for (size_t i = 0; i < element_count(shape); ++i) {
      const float real = first + 0.125F * static_cast<float>(i);
      std::memcpy(&value.data[i * sizeof(float)], &real, sizeof(float));
    }
    graph.values.push_back(std::move(value));
    return ValueId{static_cast<uint32_t>(graph.values.size() - 1)};
  };
  const ValueId a = input("a", {2, 5, 7}, -128);
  const ValueId b = input("b", {2, 7, 9}, 3);
  const ValueId c = input("c", {2, 9, 11}, -128);
  const ValueId scores = node("matmul", {a, b}, {2, 5, 9}, {}, 4);
  const ValueId shares = node("softmax", {scores}, {2, 5, 9}, {{"axis", int64_t{2}}}, -128);
  const ValueId mixed = node("matmul", {shares, c}, {2, 5, 11}, {}, -100);
  using List = std::vector<int64_t>;
  const ValueId part =
      node("slice", {mixed}, {2, 5, 7}, {{"starts", List{0, 0, 2}}, {"steps", List{1, 1, 1}}}, -100, false);
  const ValueId rows = node("reshape", {part}, {1, 10, 7}, {}, -100, false);
  const auto normalised = [&](ValueId x, const std::vector<uint64_t>& numbers) {
    return node("layer_norm", {x, reals("gains", numbers, 0.5F), reals("offsets", numbers, -0.25F)}, {1, 10, 7},
                {{"epsilon", 1e-5}}, 0);
  };
  const ValueId y = normalised(normalised(rows, {7}), {10, 1});
  graph.values[y.value].modifier = Modifier::kOutput;
  graph.outputs = {y};
  return layer;
}

/// The nodes of a graph as the body of one, of an operation that no table knows: a component.
compiler::srdfg::Graph as_component(const compiler::srdfg::Graph& inner) {
  using namespace compiler::srdfg;
  Graph graph;
  graph.name = "outer";
  Node node{"attention", "Attention", {{"heads", int64_t{2}}}, {}, {}, {inner}};
  for (const ValueId id : inner.inputs) {
    node.inputs.push_back({static_cast<uint32_t>(graph.values.size())});
    graph.values.push_back(inner.get(id));
  }
  graph.inputs = node.inputs;
  node.outputs = {{static_cast<uint32_t>(graph.values.size())}};
  graph.values.push_back(inner.get(inner.outputs[0]));
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  return graph;
}

TEST(Templates, MachinesComputeComponents) {
  runtime::RandomLayer layer = attention();
  const auto expected = compiler::reference::evaluate(layer.graph, inputs_of(layer));
  layer.graph = as_component(layer.graph);
  const Status verified = compiler::operators::verify_normalized(layer.graph);
  ASSERT_TRUE(verified) << render(verified.error());
  const auto made = compiler::reference::evaluate(layer.graph, inputs_of(layer));
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(*made, *expected);
  expect_the_same(layer, *acg::load_machine("genesys:8x8", {}));
}

TEST(Templates, MachinesComputeAttention) {
  const runtime::RandomLayer layer = attention();
  const Status verified = compiler::operators::verify_normalized(layer.graph);
  ASSERT_TRUE(verified) << render(verified.error());
  for (const char* shape : {"8x8", "8x24", "20x12"}) {
    SCOPED_TRACE(shape);
    expect_the_same(layer, *acg::load_machine(std::string("genesys:") + shape, {}));
  }
}

}  // namespace
}  // namespace covenant
