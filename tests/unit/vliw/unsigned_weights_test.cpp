// Products with unsigned weights: which layers become so, and what stands in front of them.
#include "compiler/families/vliw/unsigned_weights.h"

#include <gtest/gtest.h>
#include <tuple>

#include "acg/lang/load.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/families/vliw/narrow_inputs.h"
#include "compiler/layers/layers.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

Network network_of(const char* layer, const acg::Machine& machine) {
  return *make_layers(benchmark_graph(*benchmark_layer(layer)), machine, {});
}

std::vector<std::string> operations(const Network& network) {
  std::vector<std::string> result;
  for (const NetworkLayer& layer : network.layers) result.push_back(layer.operation);
  return result;
}

TEST(UnsignedWeights, OfARowOneSum) {
  const Network before = network_of("DLRM/FC2", testing::hvx());
  Network network = before;
  network = with_unsigned_weights(std::move(network), testing::hvx());
  ASSERT_EQ(operations(network), (std::vector<std::string>{"gemm_sums", "gemm_sums_unsigned"}));
  const NetworkLayer &sums = network.layers[0], &product = network.layers[1];
  EXPECT_EQ(sums.layer.name, "DLRM/FC2/sums");
  EXPECT_EQ(sums.activations.at("y"), product.activations.at("r"));
  EXPECT_EQ(sums.macs, 0U) << "of the model there are no more products than before";
  const std::vector<uint8_t>& is = product.constants.at("w").data;
  const std::vector<uint8_t>& was = before.layers[0].constants.at("w").data;
  ASSERT_EQ(is.size(), was.size());
  for (size_t i = 0; i < is.size(); ++i) ASSERT_EQ(is[i], static_cast<int8_t>(was[i]) + 128);
  for (const uint8_t weight : sums.constants.at("w").data) ASSERT_EQ(weight, 128);
}

TEST(UnsignedWeights, OfWindowsPixelByPixelWhereThatIsLess) {
  Network many = network_of("ResNet50/CONV2", testing::hvx());
  many = with_unsigned_weights(std::move(many), testing::hvx());
  EXPECT_EQ(operations(many), (std::vector<std::string>{"conv_sums", "window_sums", "conv_sums_unsigned"}));
  Network single = network_of("InceptionV3/CONV1", testing::hvx());
  single = with_unsigned_weights(std::move(single), testing::hvx());
  EXPECT_EQ(operations(single), operations(network_of("InceptionV3/CONV1", testing::hvx())));
}

/// Windows of 7 x 7 pixels of a word, two apart: rows of 7 pixels, at each of the 229 rows that windows meet, and of
/// these 7 each.
TEST(UnsignedWeights, OfWindowsRowByRowWhereThatIsLeast) {
  Network few = network_of("ResNet50/CONV1", testing::hvx());
  few = with_unsigned_weights(std::move(few), testing::hvx());
  ASSERT_EQ(operations(few), (std::vector<std::string>{"conv_sums", "window_sums", "conv_sums_unsigned"}));
  const auto of = [&](size_t layer, const char* name) {
    return std::get<int64_t>(few.layers[layer].layer.params.at(name));
  };
  EXPECT_EQ(few.layers[0].layer.name, "ResNet50/CONV1/rows");
  for (const auto& [name, rows, sums] :
       {std::tuple{"KH", 1, 7}, {"KW", 7, 1}, {"SH", 1, 2}, {"SW", 2, 1}, {"OH", 229, 112}, {"OW", 112, 112}}) {
    EXPECT_EQ(of(0, name), rows) << name;
    EXPECT_EQ(of(1, name), sums) << name;
  }
  EXPECT_EQ(of(1, "IH"), 229);
  EXPECT_EQ(of(1, "IW"), 112);
}

TEST(UnsignedWeights, NotForOneVectorOfOutputsNorElsewhere) {
  Network one = network_of("DLRM/FC4", testing::hvx());
  one = with_unsigned_weights(std::move(one), testing::hvx());
  EXPECT_EQ(operations(one), (std::vector<std::string>{"gemm_sums"}));
  const acg::Machine genesys = *acg::load_machine("genesys");
  const Network before = network_of("ResNet50/CONV2", genesys);
  Network after = before;
  after = with_unsigned_weights(std::move(after), genesys);
  EXPECT_EQ(after, before);
}

TEST(NarrowInputs, HaveWholeWordsOfChannels) {
  Network network = network_of("ResNet50/CONV1", testing::hvx());
  network = with_narrow_inputs(std::move(network), testing::hvx());
  EXPECT_EQ(channels_in_memory(network.activations[network.inputs.at(0).activation].storage), 4U);
}

}  // namespace
}  // namespace covenant::compiler::vliw
