/// Copies as products that gather give the bytes of the reference operators, whatever lies around their tensors.
#include "compiler/layers/gathered_copies.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "compiler/meaning/interpret_layers.h"
#include "compiler/srdfg/print.h"
#include "tests/property/lowerings/copies.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::ValueId;
using test::arrays_for_copies;
using test::GraphMaker;
using test::inputs_of;
using test::is_copy;
using Shape = std::vector<uint64_t>;

uint64_t drawn(GraphMaker& maker, int64_t most) { return static_cast<uint64_t>(maker.draw(1, most)); }

/// Channels in groups, those of one group apart from each other: beside a tensor that lies in the usual order.
Graph shuffled(GraphMaker& maker, uint64_t groups, uint64_t channels, uint64_t rows = 6, uint64_t columns = 6) {
  const ValueId x = maker.clip(maker.input({1, groups * channels, rows, columns}));
  const ValueId split = maker.reshape(x, {1, groups, channels, rows, columns});
  const ValueId turned = maker.transpose(split, {0, 2, 1, 3, 4});
  return maker.finish(maker.add(maker.reshape(turned, {1, groups * channels, rows, columns}), x));
}

Graph shuffled(GraphMaker& maker) {
  const uint64_t groups = drawn(maker, 6), channels = drawn(maker, 8), rows = drawn(maker, 5),
                 columns = drawn(maker, 5);
  return shuffled(maker, groups, channels, rows, columns);
}

/// Pixels of few channels, each of them several times.
Graph repeated(GraphMaker& maker) {
  const ValueId x = maker.clip(maker.input({1, drawn(maker, 4), drawn(maker, 5), drawn(maker, 5)}));
  return maker.finish(maker.clip(maker.repeat(x, {1, 1, maker.draw(1, 3), maker.draw(2, 4)})));
}

/// Dimensions in any order.
Graph turned(GraphMaker& maker, uint32_t seed) {
  Shape shape(static_cast<size_t>(maker.draw(2, 5)));
  for (uint64_t& size : shape) size = drawn(maker, 9);
  std::vector<int64_t> permutation(shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::ranges::shuffle(permutation, std::mt19937(seed));
  const ValueId x = maker.clip(maker.input(shape));
  const ValueId moved = maker.transpose(x, permutation);
  return maker.finish(maker.add(maker.clip(maker.reshape(x, maker.graph().get(moved).shape)), moved));
}

/// The network with a product in the place of layer `index`.
Network gathered(const Network& network, size_t index, const Gather& way, const acg::Machine& machine) {
  Network made = network;
  TakenNames names = names_in(network);
  made.layers[index] = gathered_copy(made, network.layers[index], way, machine, names);
  return made;
}

TEST(GatheredCopies, GiveTheBytesOfTheReference) {
  size_t checked = 0, several = 0, long_rows = 0;
  for (uint32_t trial = 0; trial < 240; ++trial) {
    const uint32_t seed = static_cast<uint32_t>(test::seed()) * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const acg::Machine& machine = arrays_for_copies()[trial % arrays_for_copies().size()];
    GraphMaker maker(seed, trial % 2 == 0 ? DType::kU8 : DType::kI8);
    const Graph graph = trial % 5 < 2 ? shuffled(maker) : trial % 5 < 4 ? repeated(maker) : turned(maker, seed);
    const reference::Tensors inputs = inputs_of(graph, seed);
    const reference::Tensors expected = test::taken(reference::evaluate(graph, inputs));
    const Network network = test::taken(make_layers(graph, machine));
    for (size_t i = 0; i < network.layers.size(); ++i) {
      if (!is_copy(network.layers[i])) continue;
      for (const Gather& way : gathers(network, network.layers[i], machine)) {
        const Network made = gathered(network, i, way, machine);
        ASSERT_EQ(test::taken(interpret_layers(made, machine, inputs)), expected)
            << name_of(way) << srdfg::print(graph);
        for (const CopyLoop& loop : way.outer) EXPECT_TRUE(loop.in_x == 0 || loop.in_x >= row_of(way)) << name_of(way);
        ++checked;
        several += way.vectors.count > 1 ? 1 : 0;
        long_rows += row_of(way) > 16 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(checked, 100U) << "hardly any was checked";
  EXPECT_GT(several, 20U) << "rows hardly ever made several vectors";
  EXPECT_GT(long_rows, 20U) << "rows hardly ever took several steps";
}

/// The ways of the only copy of a graph.
std::vector<std::string> ways_of(const Graph& graph, const acg::Machine& machine) {
  const Network network = test::taken(make_layers(graph, machine));
  std::vector<std::string> names;
  for (const NetworkLayer& layer : network.layers) {
    if (!is_copy(layer)) continue;
    for (const Gather& way : gathers(network, layer, machine)) names.push_back(name_of(way));
  }
  return names;
}

/// A pixel of 8 lanes is one vector, of one row; one of 16 channels is two vectors of it.
TEST(GatheredCopies, MakeWholeVectorsOfAPixel) {
  GraphMaker narrow(1, DType::kI8);
  EXPECT_EQ(ways_of(shuffled(narrow, 2, 4), arrays_for_copies()[0]).front(), "rows of 8 as 1 vector of 8");
  GraphMaker wide(2, DType::kI8);
  const std::vector<std::string> ways = ways_of(shuffled(wide, 2, 8), arrays_for_copies()[0]);
  EXPECT_NE(std::ranges::find(ways, "rows of 16 as 2 vectors of 8"), ways.end());
}

/// Vectors that are moved as they are, and machines without products.
TEST(GatheredCopies, OtherCopiesStayAsTheyAre) {
  GraphMaker rows(3, DType::kI8);
  const ValueId x = rows.clip(rows.input({6, 32, 32}));
  const Graph moved = rows.finish(rows.add(rows.clip(rows.reshape(x, {32, 6, 32})), rows.transpose(x, {1, 0, 2})));
  EXPECT_EQ(ways_of(moved, arrays_for_copies()[0]), std::vector<std::string>{});
  GraphMaker others(4, DType::kI8);
  EXPECT_EQ(ways_of(shuffled(others, 2, 64), test::taken(acg::load_machine("hvx"))), std::vector<std::string>{});
}

}  // namespace
}  // namespace covenant::compiler
