/// Groups that a machine wants merged, and the model's own.
#include "compiler/layers/groups.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "compiler/network/layer_params.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

/// The layer of a convolution with `groups` groups of `inputs` and `outputs` channels.
NetworkLayer convolution(const std::string& machine, uint64_t groups, uint64_t inputs, uint64_t outputs) {
  test::GraphMaker maker(1, DType::kI8);
  const test::ValueId y = maker.conv(maker.input({2, groups * inputs, 5, 4}), groups * outputs, 3, 1, 1);
  srdfg::Node& conv = maker.graph().nodes.back();
  srdfg::Value& weights = maker.graph().values[conv.inputs[1].value];
  weights.shape[1] = inputs;
  weights.data.resize(groups * outputs * inputs * 9);
  conv.attributes["group"] = static_cast<int64_t>(groups);
  const srdfg::Graph graph = maker.finish(y);
  return test::taken(make_layers(graph, test::taken(acg::load_machine(machine)))).layers.front();
}

TEST(Groups, ThoseOfTheModelComeBack) {
  for (const char* machine : {"genesys:8x8", "genesys:03", "genesys:8x24", "dnnweaver"}) {
    for (const uint64_t groups : {2U, 3U, 7U, 16U, 40U}) {
      for (const auto& [inputs, outputs] : {std::pair<uint64_t, uint64_t>{1, 1}, {1, 3}, {4, 2}, {8, 8}}) {
        SCOPED_TRACE(std::string(machine) + ", groups " + std::to_string(groups));
        const NetworkLayer made = convolution(machine, groups, inputs, outputs);
        const NetworkLayer apart = with_groups_apart(made);
        if (count(made, "IC") == inputs) {
          EXPECT_EQ(apart, made);
          continue;
        }
        EXPECT_EQ(apart.operation, "conv_grouped");
        EXPECT_EQ(count(apart, "G"), groups);
        EXPECT_EQ(count(apart, "IC"), inputs);
        EXPECT_EQ(count(apart, "OC"), outputs);
      }
    }
  }
}

/// A convolution of all channels, with weights or sums that the layer reads besides, has no groups.
TEST(Groups, OthersStayAsTheyAre) {
  const NetworkLayer whole = convolution("genesys:03", 1, 24, 40);
  EXPECT_EQ(with_groups_apart(whole), whole);
  NetworkLayer shifted = convolution("genesys:03", 20, 1, 1);
  EXPECT_NE(with_groups_apart(shifted), shifted);
  shifted.operation = "conv_unsigned";
  EXPECT_EQ(with_groups_apart(shifted), shifted);
}

}  // namespace
}  // namespace covenant::compiler
