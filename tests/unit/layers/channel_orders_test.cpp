/// Channels in the order of the movement after them: the reference operators give the same values before and after.
#include "compiler/layers/channel_orders.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/print.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::ValueId;
using test::GraphMaker;

const acg::Machine& machine() {
  static const acg::Machine loaded = test::taken(acg::load_machine("genesys:8x8"));
  return loaded;
}

/// A convolution whose outputs of a group see the inputs of that group.
ValueId grouped(GraphMaker& maker, ValueId x, uint64_t outputs, uint64_t kernel, uint64_t groups) {
  const ValueId y = maker.conv(x, outputs, kernel, 1, static_cast<int64_t>(kernel / 2));
  if (groups == 1) return y;
  srdfg::Node& conv = maker.graph().nodes.back();
  srdfg::Value& weights = maker.graph().values[conv.inputs[1].value];
  weights.shape[1] /= groups;
  weights.data.resize(weights.data.size() / groups);
  conv.attributes["group"] = static_cast<int64_t>(groups);
  return y;
}

/// Its dimensions [N,a,b,C,H,W], turned and joined. `permutation` and `shape` say what moves where.
ValueId moved(GraphMaker& maker, ValueId x, const std::vector<uint64_t>& split, const std::vector<int64_t>& permutation,
              const std::vector<uint64_t>& shape) {
  return maker.reshape(maker.transpose(maker.reshape(x, split), permutation), shape);
}

size_t count(const Graph& graph, const std::string& operation) {
  return static_cast<size_t>(std::ranges::count(graph.nodes, operation, &srdfg::Node::operation));
}

/// Bytes of the outputs for random inputs.
reference::Tensors outputs(const Graph& graph, uint32_t seed) {
  reference::Tensors inputs;
  for (const ValueId id : graph.inputs) {
    const runtime::Tensor drawn = test::random_input(graph.get(id), seed);
    inputs[drawn.name] = {drawn.dtype, drawn.shape, drawn.bytes};
  }
  return test::taken(reference::evaluate(graph, inputs));
}

Graph ordered(const Graph& graph, uint32_t seed) {
  Graph made = with_channel_orders(graph, machine());
  const Status normal = operators::verify_normalized(made);
  EXPECT_TRUE(normal) << render(normal.error()) << srdfg::print(made);
  EXPECT_EQ(outputs(made, seed), outputs(graph, seed)) << srdfg::print(graph) << srdfg::print(made);
  return made;
}

TEST(ChannelOrders, AShuffleIsTheOrderOfWeights) {
  for (uint32_t trial = 0; trial < 60; ++trial) {
    const uint32_t seed = static_cast<uint32_t>(test::seed()) * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    GraphMaker maker(seed, trial % 2 == 0 ? DType::kU8 : DType::kI8);
    const auto drawn = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
    const std::vector<uint64_t> factors{drawn(2, 4), drawn(2, 5), drawn(1, 3)};
    const uint64_t channels = factors[0] * factors[1] * factors[2], height = drawn(2, 5), width = drawn(2, 5);
    const uint64_t groups = trial % 3 == 0 ? factors[0] : 1;
    const ValueId x = maker.input({1 + trial % 2, groups * drawn(1, 3), height, width});
    ValueId y = grouped(maker, x, channels, trial % 4 == 0 ? 3 : 1, groups);
    if (trial % 5 == 0) y = maker.clip(y);
    std::vector<int64_t> turned{1, 2, 3};
    std::ranges::shuffle(turned, std::mt19937(seed));
    const uint64_t batch = maker.graph().get(y).shape[0];
    std::vector<uint64_t> split{batch, factors[0], factors[1], factors[2], height, width};
    std::vector<int64_t> permutation{0, turned[0], turned[1], turned[2], 4, 5};
    if (trial % 7 == 0) {  // pixels in one dimension
      split = {batch, factors[0], factors[1], factors[2], height * width};
      permutation.pop_back();
    }
    y = moved(maker, y, split, permutation, {batch, channels, height, width});
    const Graph graph = maker.finish(maker.clip(y));
    const Graph made = ordered(graph, seed);
    const size_t left = std::ranges::is_sorted(turned) ? 1 : 0;
    EXPECT_TRUE(groups > 1 || count(made, "transpose") == left) << srdfg::print(made);
  }
}

TEST(ChannelOrders, DepthToSpaceMovesRunsOfChannels) {
  for (uint32_t trial = 0; trial < 30; ++trial) {
    const uint32_t seed = static_cast<uint32_t>(test::seed()) * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    GraphMaker maker(seed, DType::kI8);
    const auto drawn = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
    const uint64_t channels = drawn(2, 5), rows = drawn(1, 3), columns = drawn(2, 3), height = drawn(2, 4);
    ValueId y = maker.conv(maker.input({1, 3, height, 4}), channels * rows * columns, 3, 1, 1);
    y = moved(maker, y, {1, channels, rows, columns, height, 4}, {0, 1, 4, 2, 5, 3},
              {1, channels, height * rows, 4 * columns});
    const Graph made = ordered(maker.finish(maker.clip(y)), seed);
    ASSERT_EQ(count(made, "transpose"), 1U);
    const auto turn = std::ranges::find(made.nodes, "transpose", &srdfg::Node::operation);
    EXPECT_EQ(made.get(turn->inputs[0]).shape, (std::vector<uint64_t>{1, rows, columns, channels, height, 4}));
    EXPECT_EQ(srdfg::integers_attribute(*turn, "permutation"), (std::vector<int64_t>{0, 3, 4, 1, 5, 2}));
  }
}

/// Each of these is left as it is.
TEST(ChannelOrders, ChannelsThatOthersSeeAreLeftAlone) {
  GraphMaker maker(7, DType::kU8);
  const ValueId y = maker.conv(maker.input({1, 3, 4, 4}), 6, 1, 1, 0);
  const ValueId shuffled = moved(maker, y, {1, 2, 3, 4, 4}, {0, 2, 1, 3, 4}, {1, 6, 4, 4});
  const Graph both = maker.finish(maker.add(y, shuffled));
  EXPECT_EQ(with_channel_orders(both, machine()), both);

  GraphMaker pooled(8, DType::kU8);
  const ValueId pool = pooled.max_pool(pooled.input({1, 6, 4, 4}), 2, 2, 0);
  const Graph other = pooled.finish(moved(pooled, pool, {1, 2, 3, 2, 2}, {0, 2, 1, 3, 4}, {1, 6, 2, 2}));
  EXPECT_EQ(with_channel_orders(other, machine()), other);

  GraphMaker rows(9, DType::kU8);
  const ValueId image = rows.conv(rows.input({1, 3, 4, 4}), 6, 1, 1, 0);
  const Graph turned = rows.finish(moved(rows, image, {1, 2, 3, 4, 4}, {0, 2, 1, 4, 3}, {1, 6, 4, 4}));
  EXPECT_EQ(outputs(with_channel_orders(turned, machine()), 9), outputs(turned, 9));
}

/// 8 groups of 8 channels are whole vectors: a convolution of all 64 would take 64 steps a pixel in the place of 8, and
/// a copy moves 64 elements. 2 groups of 12 are merged anyway.
TEST(ChannelOrders, GroupsAreMergedWhereThatCostsLessThanACopy) {
  const auto made = [](uint64_t channels, uint64_t groups) {
    GraphMaker maker(10, DType::kI8);
    const ValueId y = grouped(maker, maker.input({1, channels, 4, 4}), channels, 1, groups);
    const ValueId moved_channels =
        moved(maker, y, {1, groups, channels / groups, 4, 4}, {0, 2, 1, 3, 4}, {1, channels, 4, 4});
    return count(ordered(maker.finish(maker.clip(moved_channels)), 10), "transpose");
  };
  EXPECT_EQ(made(64, 8), 0U);
  EXPECT_EQ(made(72, 9), 1U);
  EXPECT_EQ(made(24, 2), 0U);
}

}  // namespace
}  // namespace covenant::compiler
