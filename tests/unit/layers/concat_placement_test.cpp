/// Layers that work lane by lane, in concats along each axis of an image.
#include "compiler/layers/concat_placement.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

/// Copies of a network that joins a sum with an input along `axis`.
size_t copies(int64_t axis) {
  test::GraphMaker maker(1, DType::kU8);
  const test::ValueId x = maker.input({1, 8, 4, 4});
  const test::ValueId sum = maker.add(x, x);
  maker.graph().values[sum.value].quantization = maker.graph().get(x).quantization;
  const srdfg::Graph graph = maker.finish(maker.clip(maker.concat(sum, x, axis)));
  const Network network = test::taken(make_layers(graph, test::taken(acg::load_machine("genesys:8x8"))));
  return static_cast<size_t>(std::ranges::count(network.layers, "copy", &NetworkLayer::operation));
}

/// The input is copied into the concat; the sum is made there, where its pixels are evenly spaced.
TEST(ConcatPlacement, LanesAreMadeInPlaceWhereTheyLieInOneRow) {
  EXPECT_EQ(copies(1), 1U);  // channels beside channels
  EXPECT_EQ(copies(2), 1U);  // rows after rows
  EXPECT_EQ(copies(3), 2U);  // parts of rows: two steps from one pixel to the next
}

}  // namespace
}  // namespace covenant::compiler
