/// Networks with unusual storages: dense channels between layers, and views of one another. On the SystemC model and in
/// the interpreter, compared with the reference operators.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "acg/program/program_file.h"
#include "compiler/binding/read_network.h"
#include "compiler/driver/pipeline.h"
#include "compiler/layers/layers.h"
#include "compiler/network/parse.h"
#include "compiler/network/print.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using compiler::srdfg::Graph;

acg::Machine machine_of(const std::string& spec) {
  const Result<acg::Machine> machine = acg::load_machine(spec);
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

compiler::reference::Tensor expected_output(const Graph& graph, const runtime::Tensor& input) {
  compiler::reference::Tensors inputs;
  inputs[input.name] = {input.dtype, input.shape, input.bytes};
  const auto made = compiler::reference::evaluate(graph, inputs);
  check(static_cast<bool>(made), "the reference operators know the graph");
  return made->begin()->second;
}

runtime::RunResult run(const acg::Program& program, const runtime::Tensor& input, const std::string& backend) {
  const Result<runtime::Session> session = runtime::Session::open(program, backend);
  check(static_cast<bool>(session), session ? "" : render(session.error()));
  Result<runtime::RunResult> result = session->run({input}, {});
  check(static_cast<bool>(result), result ? "" : render(result.error()));
  return std::move(*result);
}

/// Compiles, runs on both backends, compares every byte; cycles of the blocks, by layer.
std::map<std::string, uint64_t> cycles_of(const Graph& graph, const std::string& spec, bool interprets) {
  const acg::Machine machine = machine_of(spec);
  compiler::CompileOptions options;
  options.fusion = false;
  const Result<acg::Program> program = compiler::compile_graph(graph, machine, "storage", options);
  check(static_cast<bool>(program), program ? "" : render(program.error()));
  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), 5);
  const runtime::RunResult result = run(*program, input, "systemc");
  const std::vector<uint8_t> expected = expected_output(graph, input).bytes;
  EXPECT_EQ(result.outputs.at(0).bytes, expected);
  if (interprets) {
    EXPECT_EQ(run(*program, input, "interpret").outputs.at(0).bytes, expected);
  }
  std::map<std::string, uint64_t> cycles;
  for (const auto& block : result.cost.statistics.blocks) cycles[block.layer] = block.cycles;
  return cycles;
}

/// MobileNetV3/CONV2 of Table 2, quantised: 16 channels in, on 64 rows and lanes.
TEST(Storage, SixteenChannelsBetweenLayersCostWhatTheyCostAlone) {
  for (const uint64_t size : {uint64_t{28}, uint64_t{112}}) {
    SCOPED_TRACE("images of " + std::to_string(size));
    test::GraphMaker alone(3, DType::kU8);
    const Graph one = alone.finish(alone.conv(alone.input({1, 16, size, size}), 64, 3, 1, 1));
    const uint64_t cycles_alone = cycles_of(one, "genesys:09", size < 100).at("conv0");

    test::GraphMaker between(4, DType::kU8);
    const test::ValueId stem = between.conv(between.input({1, 3, 2 * size, 2 * size}), 16, 3, 2, 1);
    const Graph three = between.finish(between.conv(between.conv(stem, 64, 3, 1, 1), 8, 1, 1, 0));
    const std::map<std::string, uint64_t> cycles = cycles_of(three, "genesys:09", size < 100);
    EXPECT_LE(cycles.at("conv1") * 10, cycles_alone * 11) << cycles.at("conv1") << " against " << cycles_alone;
    RecordProperty("alone", std::to_string(cycles_alone));
    RecordProperty("between", std::to_string(cycles.at("conv1")));
  }
}

/// Random chains of narrow layers, with residuals, pools and strides.
TEST(Storage, NarrowNetworksGiveTheSameBytes) {
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    const auto size = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
    test::ValueId x = maker.input({size(1, 2), size(1, 4), size(6, 13), size(6, 13)});
    const auto channels = [&] { return uint64_t{1} << size(1, 4); };
    for (int i = 0; i < 3; ++i) {
      const uint64_t kernel = 1 + 2 * size(0, 1);
      const auto pad = static_cast<int64_t>(kernel / 2);
      const test::ValueId y = maker.conv(x, channels(), kernel, maker.draw(1, 2), pad);
      const uint64_t width = maker.graph().get(y).shape[1];
      x = y;
      if (maker.draw(0, 2) == 0) x = maker.add(maker.conv(y, width, 3, 1, 1), y);
      if (maker.draw(0, 3) == 0) x = maker.max_pool(x, 3, 1, 1);
    }
    if (maker.draw(0, 1) == 0) x = maker.mean(x);
    const std::vector<std::string> machines{"genesys:16x16", "genesys:8x8", "genesys:09"};
    cycles_of(maker.finish(x), machines[seed % machines.size()], true);
  }
}

using compiler::ConstantTensor;
using compiler::Network;
using compiler::NetworkLayer;

/// Half of the last dimension.
ConstantTensor half_of(const ConstantTensor& tensor, uint64_t element_bytes, bool is_second) {
  ConstantTensor half{tensor.shape, {}};
  half.shape.back() /= 2;
  const uint64_t row = half.shape.back() * element_bytes;
  for (uint64_t at = is_second ? row : 0; at < tensor.data.size(); at += 2 * row) {
    const auto first = tensor.data.begin() + static_cast<std::ptrdiff_t>(at);
    half.data.insert(half.data.end(), first, first + static_cast<std::ptrdiff_t>(row));
  }
  return half;
}

/// Layer 0 as two layers, each making half of its output's channels: views of the tensor that layer 1 reads whole.
Network in_halves(const Network& network) {
  Network result = network;
  const size_t whole = network.layers[0].activations.at("y");
  result.layers.erase(result.layers.begin());
  for (const bool is_second : {true, false}) {
    NetworkLayer half = network.layers[0];
    half.layer.name += is_second ? "_right" : "_left";
    for (const auto& [name, bytes] : {std::pair{"w", 1}, {"b", 4}, {"s", 4}}) {
      half.constants[name] = half_of(half.constants.at(name), static_cast<uint64_t>(bytes), is_second);
    }
    compiler::Activation part = network.activations[whole];
    part.name = half.layer.name;
    part.shape[1] /= 2;
    half.layer.params["OC"] = static_cast<int64_t>(part.shape[1]);
    compiler::StorageDimension& channels = part.storage.dimensions[1];
    channels.size = part.shape[1];
    if (is_second) part.storage.offset += channels.size * channels.strides[0].stride;
    if (!is_second) channels.after = 0;
    half.activations["y"] = result.activations.size();
    result.activations.push_back(part);
    result.layers.insert(result.layers.begin(), half);
  }
  return result;
}

/// The reference knows one convolution: the two that the text speaks of make the same tensor, half each.
TEST(Storage, TwoLayersWriteTheHalvesOfOneTensor) {
  for (const std::string spec : {"genesys:09", "genesys:16x16", "genesys:8x8"}) {
    SCOPED_TRACE(spec);
    test::GraphMaker maker(9, DType::kU8);
    const Graph graph = maker.finish(maker.conv(maker.conv(maker.input({1, 8, 6, 7}), 64, 3, 1, 1), 16, 3, 1, 1));
    const acg::Machine machine = machine_of(spec);
    const auto network = compiler::make_layers(graph, machine);
    ASSERT_TRUE(network);
    const std::string text = print(in_halves(*network));
    const auto read = compiler::read_network(text, "halves", machine);
    ASSERT_TRUE(read) << render(read.error());
    EXPECT_EQ(print(*read), text);
    const Result<acg::Program> program = compiler::compile_network(*read, machine);
    ASSERT_TRUE(program) << render(program.error());
    EXPECT_EQ(program->blocks.size(), 3U);
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), 5);
    const std::vector<uint8_t> expected = expected_output(graph, input).bytes;
    EXPECT_EQ(run(*program, input, "systemc").outputs.at(0).bytes, expected);
    EXPECT_EQ(run(*program, input, "interpret").outputs.at(0).bytes, expected);
  }
}

/// Storages of the network as it is chosen, printed and read back: the same program.
TEST(Storage, ChosenNetworksGoThroughTheirText) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::GraphMaker maker(seed, DType::kU8);
    const test::ValueId x = maker.conv(maker.input({1, 3, 12, 12}), uint64_t{2} << maker.draw(0, 3), 3, 2, 1);
    const Graph graph = maker.finish(maker.conv(maker.conv(x, 8, 3, 1, 1), 4, 1, 1, 0));
    const acg::Machine machine = machine_of(seed % 2 == 0 ? "genesys:16x16" : "genesys:09");
    std::string text;
    compiler::CompileOptions options;
    options.after_stage = [&](std::string_view stage, const compiler::StageText& made) {
      if (stage == "network") text = made.whole();
    };
    const Result<acg::Program> program = compiler::compile_graph(graph, machine, "chain", options);
    ASSERT_TRUE(program) << render(program.error());
    const auto read = compiler::read_network(text, "chain", machine);
    ASSERT_TRUE(read) << render(read.error()) << text;
    const Result<acg::Program> again = compiler::compile_network(*read, machine);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(acg::write_program(*again), acg::write_program(*program));
  }
}

/// The first convolution would have rows of its input lie in pairs; of 13 rows half a pair is left.
TEST(Storage, OneInputOfConvolutionsAndLanes) {
  test::GraphMaker maker(11, DType::kU8);
  const compiler::srdfg::ValueId x = maker.input({1, 3, 13, 12});
  const compiler::srdfg::ValueId direct = maker.conv(x, 8, 3, 2, 1);
  const Graph graph = maker.finish(maker.add(direct, maker.conv(maker.clip(x), 8, 3, 2, 1)));
  for (const char* spec : {"genesys:8x8", "genesys:8x24", "genesys:20x12"}) {
    SCOPED_TRACE(spec);
    cycles_of(graph, spec, true);
  }
}

}  // namespace
}  // namespace covenant
