/// Explanations of a layer list the pairs whose fusion was considered.
#include "compiler/driver/explain.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using compiler::FusionVerdict;

TEST(Explanation, NamesThePairsOfTheLayerAndNoOthers) {
  const Result<acg::Machine> machine = acg::load_machine("genesys:8x8");
  ASSERT_TRUE(machine) << render(machine.error());
  test::GraphMaker maker(1, DType::kU8);
  test::ValueId x = maker.max_pool(maker.conv(maker.input({1, 8, 4, 4}), 8, 1, 1, 0), 2, 2, 0);
  x = maker.max_pool(maker.conv(x, 8, 1, 1, 0), 2, 2, 0);
  const test::Graph graph = maker.finish(x);
  for (const compiler::srdfg::Node& node : graph.nodes) {
    const auto explained = compiler::explain_layer(graph, *machine, node.name);
    ASSERT_TRUE(explained) << render(explained.error());
    EXPECT_FALSE(explained->fusions.empty()) << node.name;
    for (const FusionVerdict& verdict : explained->fusions) {
      EXPECT_NE(std::find(verdict.layers.begin(), verdict.layers.end(), node.name), verdict.layers.end())
          << node.name << ": " << verdict.producer << " with " << verdict.consumer;
    }
  }
}

}  // namespace
}  // namespace covenant
