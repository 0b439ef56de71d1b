/// Lowerings that no maker of the compiler has made: one that fits is chosen and compiled like any other, one that does
/// not fit is refused, and one that computes something else is found out.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/binding/read_network.h"
#include "compiler/driver/pipeline.h"
#include "compiler/layers/layers.h"
#include "compiler/library/library.h"
#include "compiler/lowerings/makers.h"
#include "compiler/lowerings/verify.h"
#include "compiler/meaning/check_meaning.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

using codelet::Expression;

const acg::Machine& machine() {
  static const acg::Machine loaded = *acg::load_machine("genesys:8x8");
  return loaded;
}

srdfg::Graph addition() {
  test::GraphMaker maker(1, DType::kU8);
  const test::ValueId x = maker.input({1, 8, 4, 4});
  return maker.finish(maker.add(x, x));
}

srdfg::Graph convolution() {
  test::GraphMaker maker(1, DType::kU8);
  return maker.finish(maker.conv(maker.input({1, 3, 8, 8}), 4, 3, 2, 1));
}

/// Additions by a codelet that is in no library.
std::vector<Lowering> own_additions(const Network& network, const TensorUses& /*uses*/, size_t index,
                                    const acg::Machine& /*machine*/) {
  const NetworkLayer& layer = network.layers[index];
  if (layer.operation != "add") return {};
  codelet::Codelet own = *library_codelet("add");
  own.name = "addition";
  return {{.name = "own", .maker = "test", .operation = "add", .codelet = own, .params = layer.layer.params}};
}

CompileOptions with_own() {
  CompileOptions options;
  options.makers = {plain_lowerings, own_additions};
  options.lowering = "own";
  return options;
}

TEST(HandedIn, ALoweringWithACodeletOfItsOwnIsCompiled) {
  const Result<acg::Program> own = compile_graph(addition(), machine(), "model", with_own());
  const Result<acg::Program> plain = compile_graph(addition(), machine(), "model");
  ASSERT_TRUE(own && plain);
  EXPECT_TRUE(*own == *plain) << "the codelets differ in their names alone";
}

TEST(HandedIn, ItsCodeletIsPartOfTheNetworksText) {
  const Result<std::string> text = emit_graph(addition(), machine(), "model", "network", with_own());
  ASSERT_TRUE(text) << render(text.error());
  EXPECT_NE(text->find("codelet \"cdlt addition"), std::string::npos) << *text;
  const Result<Network> network = read_network(*text, "text", machine());
  ASSERT_TRUE(network) << render(network.error());
  EXPECT_EQ(network->layers.at(0).lowering, "own");
  EXPECT_EQ(network->layers[0].codelet->name, "addition");
  EXPECT_TRUE(compile_network(*network, machine()));
}

/// One of a convolution by rows, which wants storages and packs its constants.
struct ByRows {
  srdfg::Graph graph = convolution();
  Network network = *make_layers(graph, machine());
  Lowering lowering = made();

  Lowering made() const {
    for (Lowering& one : lowerings_of(all_makers(), network, TensorUses(network), 0, machine())) {
      if (one.name == "rows by 2") return one;
    }
    fail("a stem with a stride of 2 has a lowering by two rows");
  }
  std::string refused() const {
    const Status fits = verify_lowering(lowering, network, 0, machine());
    return fits ? "" : fits.error().code;
  }
  std::optional<Difference> difference() const {
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), 1);
    const auto checked =
        check_meaning(lowering, network, 0, graph, machine(), {{input.name, {input.dtype, input.shape, input.bytes}}});
    check(static_cast<bool>(checked), "what fits can be checked");
    return *checked;
  }
};

TEST(HandedIn, WhatFitsAndMeansTheSameIsAccepted) {
  const ByRows one;
  EXPECT_EQ(one.refused(), "");
  EXPECT_EQ(one.difference(), std::nullopt);
}

TEST(HandedIn, WeightsOutOfTheirPlaceAreFoundOut) {
  ByRows one;
  std::swap(one.lowering.packings.at("w").indices[0], one.lowering.packings.at("w").indices[1]);
  EXPECT_EQ(one.refused(), "");
  EXPECT_NE(one.difference(), std::nullopt);
}

TEST(HandedIn, AStorageThatIsNotWhereTheCodeletReadsIsFoundOut) {
  ByRows one;
  one.lowering.storages.at("x").offset += 3;
  EXPECT_NE(one.difference(), std::nullopt);
}

TEST(HandedIn, WhatTheLayerHasNotIsRefused) {
  ByRows one;
  one.lowering.storages["z"] = one.lowering.storages.at("x");
  const Status fits = verify_lowering(one.lowering, one.network, 0, machine());
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, "NET0007");
  EXPECT_EQ(fits.error().offending, "z");
  one = {};
  one.lowering.packings["v"] = one.lowering.packings.at("w");
  EXPECT_EQ(one.refused(), "NET0007");
  one = {};
  one.lowering.packings.at("w").indices.pop_back();
  EXPECT_EQ(one.refused(), "NET0007");
  one = {};
  one.lowering.packings.at("w").indices[0] = Expression::variable("p0") * Expression::variable("p1");
  EXPECT_EQ(one.refused(), "NET0007");
  one = {};
  one.lowering.storages.at("x").dimensions.pop_back();
  EXPECT_EQ(one.refused(), "NET0007");
}

TEST(HandedIn, WhatDoesNotFitTheCodeletIsRefused) {
  ByRows one;
  one.lowering.packings.at("w").dimensions[0] = {7};
  EXPECT_EQ(one.refused(), "NET0004");
  one = {};
  one.lowering.storages.at("x").memory = "WBUF";
  EXPECT_EQ(one.refused(), "NET0002");
  one = {};
  one.lowering.operation = "convolve";
  EXPECT_EQ(one.refused(), "CDL0070");
  one = {};
  one.lowering.params.erase("R");
  EXPECT_EQ(one.refused(), "CDL0030");
}

}  // namespace
}  // namespace covenant::compiler
