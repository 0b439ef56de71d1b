/// Every way to do a convolution gives the same bytes: in the interpreter, and as words on the SystemC model.
#include "compiler/lowerings/conv_rows.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/driver/pipeline.h"
#include "compiler/layers/layers.h"
#include "compiler/lowerings/makers.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using compiler::srdfg::Graph;
using Settings = std::vector<std::pair<std::string, std::string>>;

acg::Machine machine_of(const std::string& name, const Settings& settings = {}) {
  const Result<acg::Machine> machine = acg::load_machine(name, settings);
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

std::vector<compiler::Lowering> lowerings(const compiler::Network& network, size_t index, const acg::Machine& machine) {
  return lowerings_of(compiler::all_makers(), network, compiler::TensorUses(network), index, machine);
}

/// Returns the names of the lowerings there were.
std::vector<std::string> expect_all(const Graph& graph, const acg::Machine& machine, uint32_t seed) {
  const auto network = compiler::make_layers(graph, machine);
  check(static_cast<bool>(network), "a convolution has layers");
  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), seed);
  compiler::reference::Tensors inputs;
  inputs[input.name] = {input.dtype, input.shape, input.bytes};
  const auto expected = compiler::reference::evaluate(graph, inputs);
  check(static_cast<bool>(expected), "the reference operators know convolutions");
  std::vector<std::string> names;
  for (const compiler::Lowering& way : lowerings(*network, 0, machine)) {
    SCOPED_TRACE(way.name);
    names.push_back(way.name);
    compiler::CompileOptions options;
    options.lowering = way.name;
    const Result<acg::Program> program = compiler::compile_graph(graph, machine, "conv", options);
    EXPECT_TRUE(program) << render(program.error());
    if (!program) continue;
    EXPECT_EQ(program->blocks[0].operation, way.operation);
    for (const std::string backend : {"interpret", "systemc"}) {
      const Result<runtime::Session> session = runtime::Session::open(*program, backend);
      EXPECT_TRUE(session) << render(session.error());
      const Result<runtime::RunResult> result = session->run({input}, {});
      EXPECT_TRUE(result) << backend << ": " << render(result.error());
      const bool is_same = result && result->outputs.at(0).bytes == expected->begin()->second.bytes;
      EXPECT_TRUE(is_same) << backend;
    }
  }
  return names;
}

TEST(ConvRows, OfBenchmarkLayersGiveTheSameSums) {
  for (const std::string name : {"InceptionV3/CONV1", "MobileNetV3/CONV1", "MobileNetV3/CONV2", "ResNet50/CONV1"}) {
    SCOPED_TRACE(name);
    const compiler::BenchmarkLayer layer =
        cropped(*compiler::benchmark_layer(name), {.output_rows = 6, .output_columns = 9});
    for (const std::string machine : {"dnnweaver", "genesys:07", "genesys:8x8"}) {
      SCOPED_TRACE(machine);
      const std::vector<std::string> ways = expect_all(benchmark_graph(layer), machine_of(machine), 3);
      EXPECT_GE(ways.size(), 2U);
      const bool by_two = std::find(ways.begin(), ways.end(), "rows by 2") != ways.end();
      EXPECT_EQ(by_two, layer.stride == 2);
    }
  }
}

/// Quantised, with zero points that pads must hold, strides and pads of all kinds, arrays that are not square.
TEST(ConvRows, OfRandomQuantizedConvolutionsGiveTheSameBytes) {
  const std::vector<Settings> machines{{{"M", "8"}, {"N", "8"}}, {{"M", "20"}, {"N", "12"}}, {{"M", "5"}, {"N", "16"}}};
  size_t grouped = 0;
  size_t by_rows = 0;
  for (uint32_t seed = 1; seed <= 45; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    const auto size = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
    const test::ValueId x = maker.input({size(1, 2), size(1, 5), size(5, 12), size(5, 12)});
    const uint64_t kernel = size(1, 4);
    const int64_t pad = maker.draw(0, static_cast<int64_t>(kernel) - 1);
    const Graph graph = maker.finish(maker.conv(x, size(1, 8), kernel, maker.draw(1, 4), pad, maker.draw(0, 1) == 1));
    for (const std::string& way : expect_all(graph, machine_of("genesys", machines[seed % machines.size()]), seed)) {
      grouped += way.ends_with("outputs") ? 1 : 0;
      by_rows += way.starts_with("rows by") ? 1 : 0;
    }
  }
  EXPECT_GT(grouped, 5U) << "several outputs in one vector were hardly tried";
  EXPECT_GT(by_rows, 10U) << "several rows in one vector were hardly tried";
}

/// Windows are read of whole pixels, of which some channels have weights.
TEST(ConvRows, OfSomeChannelsOfATensorGiveTheSameBytes) {
  const acg::Machine machine = machine_of("genesys");
  for (const int64_t first : {0, 2, 4}) {
    SCOPED_TRACE(first);
    test::GraphMaker maker(7, DType::kU8);
    const test::ValueId all = maker.conv(maker.input({1, 3, 9, 11}), 7, 3, 1, 1);
    const test::ValueId part = maker.slice(all, {0, first, 0, 0}, {1, 1, 1, 1}, {1, 3, 9, 11});
    const Graph graph = maker.finish(maker.conv(part, 5, 3, 1, 1));
    const Result<acg::Program> program = compiler::compile_graph(graph, machine, "part");
    ASSERT_TRUE(program);
    EXPECT_EQ(program->blocks.back().operation, "conv_rows");
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), 5);
    compiler::reference::Tensors inputs;
    inputs[input.name] = {input.dtype, input.shape, input.bytes};
    const auto expected = compiler::reference::evaluate(graph, inputs);
    const Result<runtime::Session> session = runtime::Session::open(*program, "systemc");
    ASSERT_TRUE(session && expected);
    const Result<runtime::RunResult> result = session->run({input}, {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outputs.at(0).bytes, expected->begin()->second.bytes);
  }
}

/// Between layers a lowering requires storages of its tensors; only rows of the host's input are grouped.
TEST(ConvRows, ALayerBetweenOthersSaysHowItsTensorsMustLie) {
  test::GraphMaker maker(1, DType::kU8);
  const test::ValueId x = maker.input({1, 3, 8, 8});
  const Graph graph = maker.finish(maker.conv(maker.conv(x, 4, 3, 2, 1), 4, 3, 2, 1));
  const acg::Machine machine = machine_of("genesys");
  const auto network = compiler::make_layers(graph, machine);
  ASSERT_TRUE(network);
  EXPECT_EQ(lowerings(*network, 0, machine).size(), 7U);  // plain, by 1 or 2 rows, of 1, 2 or 4 outputs
  const std::vector<compiler::Lowering> ways = lowerings(*network, 1, machine);
  ASSERT_EQ(ways.size(), 4U);
  EXPECT_TRUE(ways[0].storages.empty());
  for (size_t i = 1; i < ways.size(); ++i) {
    EXPECT_FALSE(missing_storages(*network, network->layers[1], ways[i]).empty()) << ways[i].name;
    EXPECT_TRUE(ways[i].storages.at("x").is_filled) << "the layer before writes no pads";
  }
}

/// 16 lanes have room for 3 outputs of 5 channels: vectors need not be full.
TEST(ConvRows, AVectorHoldsAsManyOutputsAsItHasRoomFor) {
  test::GraphMaker maker(1, DType::kU8);
  const Graph graph = maker.finish(maker.conv(maker.input({1, 5, 8, 8}), 5, 3, 1, 1));
  const acg::Machine machine = machine_of("genesys");
  const auto network = compiler::make_layers(graph, machine);
  ASSERT_TRUE(network);
  std::vector<std::string> names;
  for (const compiler::Lowering& one : lowerings(*network, 0, machine)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"plain", "rows", "rows of 2 outputs", "rows of 3 outputs"}));
}

/// A tensor that a gemm reads flattened stays as it is: the rows of the weights follow it.
TEST(ConvRows, AFlattenedTensorKeepsItsStorage) {
  test::GraphMaker maker(1, DType::kU8);
  const test::ValueId y = maker.conv(maker.input({1, 8, 6, 6}), 4, 3, 1, 1);
  const Graph graph = maker.finish(maker.gemm(maker.flatten(y), 10));
  const acg::Machine machine = machine_of("genesys");
  const auto network = compiler::make_layers(graph, machine);
  ASSERT_TRUE(network);
  EXPECT_FALSE(compiler::TensorUses(*network).has_free_storage(network->layers[0].activations.at("y")));
  EXPECT_EQ(lowerings(*network, 0, machine).size(), 2U);
}

}  // namespace
}  // namespace covenant
