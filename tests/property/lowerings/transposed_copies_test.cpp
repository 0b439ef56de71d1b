/// Copies as products with permutations give the bytes of the reference operators, whatever lies around their tensors.
#include "compiler/layers/transposed_copies.h"

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

/// A tensor whose dimensions are turned, beside one that lies in the usual order.
Graph turned(GraphMaker& maker, ValueId seen, const std::vector<int64_t>& permutation) {
  const ValueId moved = maker.transpose(seen, permutation);
  const ValueId beside = maker.clip(maker.reshape(seen, maker.graph().get(moved).shape));
  return maker.finish(maker.add(beside, moved));
}

Graph turned(GraphMaker& maker, const Shape& shape, const std::vector<int64_t>& permutation) {
  return turned(maker, maker.clip(maker.input(shape)), permutation);
}

/// The tensor, every second of its elements along a dimension from some index on, or each of them twice.
ValueId seen(GraphMaker& maker, ValueId whole) {
  const Shape shape = maker.graph().get(whole).shape;
  const auto d = static_cast<size_t>(maker.draw(0, static_cast<int64_t>(shape.size()) - 1));
  std::vector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  Shape part = shape;
  switch (maker.draw(0, 3)) {
    case 0:
      steps[d] = 2;
      return maker.repeat(whole, steps);
    case 1:
      starts[d] = maker.draw(0, static_cast<int64_t>(shape[d]) - 1);
      steps[d] = maker.draw(1, 2);
      part[d] = 1 + (shape[d] - 1 - static_cast<uint64_t>(starts[d])) / static_cast<uint64_t>(steps[d]);
      return maker.slice(whole, starts, steps, part);
    default:
      return whole;
  }
}

/// The network with the layers of `transposed_copy` in the place of layer `index`.
Network split(const Network& network, size_t index, uint64_t run, const acg::Machine& machine) {
  Network made = network;
  TakenNames names = names_in(network);
  const std::vector<NetworkLayer> layers = transposed_copy(made, network.layers[index], run, machine, names);
  const auto at = made.layers.begin() + static_cast<std::ptrdiff_t>(index);
  made.layers.insert(made.layers.erase(at), layers.begin(), layers.end());
  return made;
}

TEST(TransposedCopies, GiveTheBytesOfTheReference) {
  size_t checked = 0, with_rest = 0;
  for (uint32_t trial = 0; trial < 150; ++trial) {
    const uint32_t seed = static_cast<uint32_t>(test::seed()) * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const acg::Machine& machine = arrays_for_copies()[trial % arrays_for_copies().size()];
    GraphMaker maker(seed, trial % 2 == 0 ? DType::kU8 : DType::kI8);
    Shape shape(static_cast<size_t>(maker.draw(2, 5)));
    for (uint64_t& size : shape) size = static_cast<uint64_t>(maker.draw(1, shape.size() < 4 ? 40 : 9));
    std::vector<int64_t> permutation(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::ranges::shuffle(permutation, std::mt19937(seed));
    const Graph graph = turned(maker, seen(maker, maker.clip(maker.input(shape))), permutation);
    const reference::Tensors inputs = inputs_of(graph, seed);
    const reference::Tensors expected = test::taken(reference::evaluate(graph, inputs));
    const Network network = test::taken(make_layers(graph, machine));
    for (size_t i = 0; i < network.layers.size(); ++i) {
      if (!is_copy(network.layers[i])) continue;
      for (const uint64_t run : run_lengths(network, network.layers[i], machine)) {
        const Network made = split(network, i, run, machine);
        ASSERT_EQ(test::taken(interpret_layers(made, machine, inputs)), expected)
            << "run " << run << srdfg::print(graph);
        ++checked;
        with_rest += made.layers.size() - network.layers.size() > 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(checked, 150U) << "hardly any was checked";
  EXPECT_GT(with_rest, 50U) << "runs and vectors hardly ever ended within a tensor";
}

/// Rows of one run that lie one after the other are tiles as they are: nothing is copied before the product.
TEST(TransposedCopies, RowsOfOneRunNeedNoCopyBefore) {
  GraphMaker maker(3, DType::kI8);
  const Graph graph = turned(maker, {5, 60, 6}, {0, 2, 1});
  const acg::Machine& machine = arrays_for_copies()[2];
  const Network network = test::taken(make_layers(graph, machine));
  const auto copy = std::ranges::find_if(network.layers, [&](const NetworkLayer& layer) {
    return is_copy(layer) && !run_lengths(network, layer, machine).empty();
  });
  ASSERT_NE(copy, network.layers.end());
  const auto index = static_cast<size_t>(copy - network.layers.begin());
  EXPECT_EQ(run_lengths(network, *copy, machine), (std::vector<uint64_t>{2, 4, 6}));
  const auto copies = [&](const Network& made) { return std::ranges::count_if(made.layers, is_copy); };
  EXPECT_EQ(copies(split(network, index, 6, machine)), copies(network) - 1);
  EXPECT_EQ(copies(split(network, index, 2, machine)), copies(network));
}

/// Vectors that are moved as they are, elements that no product takes, and machines without one.
TEST(TransposedCopies, OtherCopiesStayAsTheyAre) {
  const auto lengths = [](DType dtype, const acg::Machine& machine, const Shape& shape,
                          const std::vector<int64_t>& permutation) {
    GraphMaker maker(4, dtype);
    const Network network = test::taken(make_layers(turned(maker, shape, permutation), machine));
    size_t found = 0;
    for (const NetworkLayer& layer : network.layers) {
      if (is_copy(layer)) found += run_lengths(network, layer, machine).size();
    }
    return found;
  };
  EXPECT_GT(lengths(DType::kI8, arrays_for_copies()[0], {6, 32, 32}, {0, 2, 1}), 0U);
  EXPECT_EQ(lengths(DType::kI8, arrays_for_copies()[0], {6, 32, 32}, {1, 0, 2}), 0U);
  EXPECT_EQ(lengths(DType::kI8, test::taken(acg::load_machine("hvx")), {6, 128, 128}, {0, 2, 1}), 0U);
}

}  // namespace
}  // namespace covenant::compiler
