/// Orders of dimensions that spare copies: of inputs, of what works lane by lane, and of concats.
#include "compiler/layers/axis_orders.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

using test::GraphMaker;
using test::ValueId;
using Order = std::vector<size_t>;

const acg::Machine& machine() {
  static const acg::Machine kMachine = test::taken(acg::load_machine("genesys:8x8"));
  return kMachine;
}

size_t copies(const srdfg::Graph& graph) {
  const Network network = test::taken(make_layers(graph, machine()));
  return static_cast<size_t>(std::ranges::count(network.layers, "copy", &NetworkLayer::operation));
}

TEST(AxisOrders, AnImageHasItsChannelsLast) {
  GraphMaker maker(1, DType::kU8);
  const ValueId x = maker.input({1, 6, 4, 5});
  const srdfg::Graph graph = maker.finish(maker.conv(x, 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).best_for(x), (Order{0, 2, 3, 1}));
}

TEST(AxisOrders, AnInputThatIsTurnedLiesAsItIsRead) {
  GraphMaker maker(2, DType::kU8);
  const ValueId x = maker.input({1, 4, 6, 5});
  const srdfg::Graph graph = maker.finish(maker.conv(maker.transpose(x, {0, 2, 1, 3}), 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).best_for(x), (Order{0, 1, 3, 2}));
  EXPECT_EQ(copies(graph), 0U);
}

/// A sequence [N,C,L] becomes an image of one row.
TEST(AxisOrders, AnInputThatIsReshapedLiesAsItIsRead) {
  GraphMaker maker(3, DType::kU8);
  const ValueId x = maker.input({1, 6, 20});
  const srdfg::Graph graph = maker.finish(maker.conv(maker.reshape(x, {1, 6, 1, 20}), 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).best_for(x), (Order{0, 2, 1}));
  EXPECT_EQ(copies(graph), 0U);
}

/// One of two readers copies whatever the order: then it is the usual one.
TEST(AxisOrders, ReadersThatDisagree) {
  GraphMaker maker(4, DType::kU8);
  const ValueId x = maker.input({1, 6, 6, 5});
  const ValueId turned = maker.transpose(x, {0, 2, 1, 3});
  const ValueId sum = maker.add(maker.conv(x, 4, 1, 1, 0), maker.conv(turned, 4, 1, 1, 0));
  const srdfg::Graph graph = maker.finish(sum);
  const AxisOrders orders(graph, machine());
  EXPECT_EQ(orders.best_for(x), (Order{0, 2, 3, 1}));
  EXPECT_EQ(orders.copied_by_readers(x, {0, 2, 3, 1}), 6U * 6 * 5);
  EXPECT_EQ(orders.copied_by_readers(x, {0, 1, 3, 2}), 6U * 6 * 5);
  EXPECT_EQ(copies(graph), 1U);
}

TEST(AxisOrders, RowsOfWhichOneReaderWantsColumns) {
  GraphMaker maker(9, DType::kU8);
  const ValueId x = maker.input({6, 6});
  const srdfg::Graph graph = maker.finish(maker.add(maker.gemm(x, 4), maker.gemm(maker.transpose(x, {1, 0}), 4)));
  EXPECT_EQ(AxisOrders(graph, machine()).best_for(x), (Order{0, 1}));
}

/// Two readers that want the same order share one copy.
TEST(AxisOrders, ACopyServesAllThatWantIt) {
  GraphMaker maker(5, DType::kU8);
  const ValueId x = maker.input({1, 6, 6, 5});
  const ValueId sum = maker.add(maker.conv(x, 4, 1, 1, 0), maker.conv(x, 4, 1, 1, 0));
  const srdfg::Graph graph = maker.finish(sum);
  EXPECT_EQ(AxisOrders(graph, machine()).copied_by_readers(x, {0, 1, 3, 2}), 6U * 6 * 5);
}

/// A sum lies as that operand does whose order its reader wants, first or second.
TEST(AxisOrders, ASumLiesAsItsReaderWants) {
  for (const bool is_first : {false, true}) {
    GraphMaker maker(6, DType::kU8);
    const ValueId image = maker.conv(maker.input({1, 6, 6, 5}), 6, 1, 1, 0);
    const ValueId turned = maker.transpose(maker.conv(maker.input({1, 6, 6, 5}), 6, 1, 1, 0), {0, 2, 1, 3});
    const ValueId sum = is_first ? maker.add(image, turned) : maker.add(turned, image);
    const ValueId left = maker.conv(sum, 4, 1, 1, 0);
    EXPECT_EQ(copies(maker.finish(maker.add(left, maker.conv(maker.clip(sum), 4, 1, 1, 0)))), 1U);
  }
}

/// Parts that any order suits are joined in the one in which the whole is read.
TEST(AxisOrders, AConcatLiesAsItIsRead) {
  GraphMaker maker(7, DType::kU8);
  const ValueId x = maker.input({1, 4, 6, 5});
  const ValueId whole = maker.concat(maker.clip(x), x, 3);
  const srdfg::Graph graph = maker.finish(maker.conv(maker.transpose(whole, {0, 2, 1, 3}), 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).of_concat(whole), (Order{0, 1, 3, 2}));
}

/// A product makes an image, which is copied into a concat that is none in memory. The other part is made there.
TEST(AxisOrders, AProductIsCopiedIntoAConcatThatIsTurned) {
  GraphMaker maker(10, DType::kU8);
  const ValueId x = maker.clip(maker.input({1, 6, 6, 5}));
  const ValueId made = maker.conv(maker.input({1, 6, 6, 5}), 2, 1, 1, 0);
  maker.graph().values[made.value].quantization = maker.graph().get(x).quantization;
  const ValueId whole = maker.concat(x, made, 1);
  const srdfg::Graph graph = maker.finish(maker.conv(maker.transpose(whole, {0, 2, 1, 3}), 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).of_concat(whole), (Order{0, 1, 3, 2}));
  EXPECT_EQ(copies(graph), 1U);
}

/// Products make images: as many of their elements as the readers would copy would have to be turned.
TEST(AxisOrders, AConcatOfProductsHasItsChannelsLast) {
  GraphMaker maker(8, DType::kU8);
  const ValueId x = maker.input({1, 6, 6, 5});
  const ValueId made = maker.conv(x, 6, 1, 1, 0);
  const ValueId whole = maker.concat(made, made, 3);
  const srdfg::Graph graph = maker.finish(maker.conv(maker.transpose(whole, {0, 2, 1, 3}), 4, 1, 1, 0));
  EXPECT_EQ(AxisOrders(graph, machine()).of_concat(whole), (Order{0, 2, 3, 1}));
}

}  // namespace
}  // namespace covenant::compiler
