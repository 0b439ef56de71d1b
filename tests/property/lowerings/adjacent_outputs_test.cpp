/// Several adjacent outputs at once give the bytes of the reference operators, whatever the windows.
#include "compiler/lowerings/adjacent_outputs.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "compiler/lowerings/verify.h"
#include "compiler/meaning/check_meaning.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

std::vector<Lowering> lowerings(const Network& network, const acg::Machine& machine) {
  return adjacent_output_lowerings(network, TensorUses(network), 0, machine);
}

srdfg::Graph drawn(uint64_t seed) {
  test::GraphMaker maker(static_cast<uint32_t>(seed), seed % 2 == 0 ? DType::kU8 : DType::kI8);
  const auto size = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
  const test::ValueId x = maker.input({size(1, 2), size(1, 9), size(4, 8), size(4, 12)});
  const uint64_t kernel = size(1, 4);
  const int64_t pad = maker.draw(0, static_cast<int64_t>(kernel) - 1);
  srdfg::Graph graph = maker.finish(maker.conv(x, size(1, 4), kernel, maker.draw(1, 4), pad, maker.draw(0, 1) == 1));
  // Taps of a kernel of one are nowhere else when they are further apart.
  if (kernel == 1 && seed % 4 == 0) graph.nodes[0].attributes["dilations"] = std::vector<int64_t>{1, 2};
  return graph;
}

TEST(AdjacentOutputs, GiveTheSameBytes) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", {{"M", "8"}, {"N", "12"}});
  ASSERT_TRUE(machine);
  size_t strided = 0;
  for (uint64_t trial = 0; trial < 200; ++trial) {
    const uint64_t seed = test::seed() * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const srdfg::Graph graph = drawn(seed);
    const Result<Network> network = make_layers(graph, *machine);
    ASSERT_TRUE(network);
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), static_cast<uint32_t>(seed));
    const reference::Tensors inputs{{input.name, {input.dtype, input.shape, input.bytes}}};
    for (const Lowering& one : lowerings(*network, *machine)) {
      SCOPED_TRACE(one.name);
      ASSERT_TRUE(verify_lowering(one, *network, 0, *machine));
      const auto difference = check_meaning(one, *network, 0, graph, *machine, inputs);
      ASSERT_TRUE(difference) << render(difference.error());
      ASSERT_FALSE(difference->has_value()) << "byte " << (*difference)->byte;
      strided += std::get<int64_t>(network->layers[0].layer.params.at("SW")) > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(strided, 30U) << "hardly any windows were several columns apart";
}

/// A vector of packets is 32 sums: 16 channels leave room for a neighbour's.
TEST(AdjacentOutputs, ShareAVectorOfSums) {
  const Result<acg::Machine> machine = acg::load_machine("hvx", {});
  ASSERT_TRUE(machine);
  for (const uint64_t channels : {16U, 32U}) {
    test::GraphMaker maker(1, DType::kU8);
    const srdfg::Graph graph = maker.finish(maker.conv(maker.input({1, 3, 16, 32}), channels, 3, 2, 1));
    const Result<Network> network = make_layers(graph, *machine);
    ASSERT_TRUE(network);
    std::vector<std::string> names;
    for (const Lowering& one : lowerings(*network, *machine)) names.push_back(one.name);
    EXPECT_EQ(names, channels == 16 ? std::vector<std::string>{"2 outputs"} : std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace covenant::compiler
