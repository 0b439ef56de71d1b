/// Normalisations of groups of channels: on machines as the reference operators do them on rows, whatever divides what.
#include "compiler/operators/channel_norms.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/operators/templates.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "runtime/session/session.h"

namespace covenant {
namespace {

using namespace compiler::srdfg;
using Shape = std::vector<uint64_t>;

/// An image that is reshaped to rows, one for each group of channels; these are normalised and reshaped again.
struct Normalised {
  Graph graph;
  runtime::Tensor image;
};

class Maker {
 public:
  explicit Maker(std::mt19937_64& random) : random_(random) {}

  /// With a reshape more on both sides if `has_detour`.
  Normalised make(const Shape& image, uint64_t groups, bool has_detour) {
    const DType dtype = below(2) == 0 ? DType::kI8 : DType::kU8;
    const ValueId x = add("x", dtype, image, Modifier::kInput);
    made_.graph.inputs = {x};
    const uint64_t length = image[1] / groups * image[2] * image[3];
    ValueId rows = has_detour ? reshape(x, {image[0], groups * length}) : x;
    rows = reshape(rows, {image[0], groups, length});
    const ValueId even = add("even", dtype, {image[0], groups, length}, Modifier::kState);
    const std::vector<ValueId> inputs{rows, numbers("gains", groups), numbers("offsets", groups)};
    made_.graph.nodes.push_back({"norm",
                                 "layer_norm",
                                 {{"epsilon", 1e-3}, {"lowest", lowest(dtype)}, {"highest", highest(dtype)}},
                                 inputs,
                                 {even},
                                 {}});
    ValueId y = has_detour ? reshape(even, {image[0], groups * length}) : even;
    y = reshape(y, image);
    made_.graph.values[y.value].modifier = Modifier::kOutput;
    made_.graph.outputs = {y};
    made_.graph.name = "normalised";
    made_.image = {"x", dtype, image, {}};
    for (uint64_t i = 0; i < element_count(image); ++i) made_.image.bytes.push_back(static_cast<uint8_t>(below(256)));
    return std::move(made_);
  }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }

  ValueId add(const std::string& name, DType dtype, Shape shape, Modifier modifier) {
    const auto zero_point = static_cast<int32_t>(lowest(dtype) + static_cast<int64_t>(below(256)));
    made_.graph.values.push_back(
        {name, dtype, std::move(shape), modifier, Quantization{{0.03F}, {zero_point}, -1}, {}});
    return {static_cast<uint32_t>(made_.graph.values.size() - 1)};
  }

  ValueId reshape(ValueId from, Shape shape) {
    Value value = made_.graph.get(from);
    const size_t number = made_.graph.nodes.size();
    value.name = "moved" + std::to_string(number);
    value.shape = std::move(shape);
    value.modifier = Modifier::kState;
    made_.graph.values.push_back(std::move(value));
    const ValueId made{static_cast<uint32_t>(made_.graph.values.size() - 1)};
    made_.graph.nodes.push_back({"reshape" + std::to_string(number), "reshape", {}, {from}, {made}, {}});
    return made;
  }

  ValueId numbers(const std::string& name, uint64_t groups) {
    Value value{name, DType::kF32, {groups, 1}, Modifier::kParam, std::nullopt, {}};
    for (uint64_t i = 0; i < groups; ++i) {
      const float number = static_cast<float>(below(64)) / 32.0F - 1.0F;
      uint8_t bytes[sizeof number];
      std::memcpy(bytes, &number, sizeof number);
      value.data.insert(value.data.end(), bytes, bytes + sizeof number);
    }
    made_.graph.values.push_back(std::move(value));
    return {static_cast<uint32_t>(made_.graph.values.size() - 1)};
  }

  std::mt19937_64& random_;
  Normalised made_;
};

bool is_by_channels(const acg::Program& program) {
  return std::ranges::any_of(program.blocks, [](const acg::Block& block) {
    return block.operation.find("channel_sums") != std::string::npos;
  });
}

TEST(ChannelNorms, MachinesMakeWhatRowsAre) {
  constexpr uint64_t kSeed = 20261128;
  RecordProperty("seed", std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  using Settings = std::vector<std::pair<std::string, std::string>>;
  size_t by_channels = 0;
  for (const Settings& settings :
       {Settings{{"M", "8"}, {"N", "8"}}, {{"M", "3"}, {"N", "5"}}, {{"M", "8"}, {"N", "24"}}}) {
    const Result<acg::Machine> machine = acg::load_machine("genesys", settings);
    ASSERT_TRUE(machine) << render(machine.error());
    for (int i = 0; i < 16; ++i) {
      const uint64_t groups = 1 + random() % 7;
      const Shape image{1 + random() % 2, groups * (1 + random() % 8), 1 + random() % 6, 1 + random() % 9};
      const Normalised drawn = Maker(random).make(image, groups, i % 3 == 0);
      SCOPED_TRACE(print(drawn.graph));
      const Result<acg::Program> program = compiler::compile_graph(drawn.graph, *machine, "drawn");
      ASSERT_TRUE(program) << render(program.error());
      by_channels += is_by_channels(*program) ? 1 : 0;
      const auto expected = compiler::reference::evaluate(
          drawn.graph, {{"x", {drawn.image.dtype, drawn.image.shape, drawn.image.bytes}}});
      ASSERT_TRUE(expected) << render(expected.error());
      for (const std::string backend : {"systemc", "interpret"}) {
        const Result<runtime::Session> session = runtime::Session::open(*program, backend);
        ASSERT_TRUE(session) << render(session.error());
        const auto result = session->run({drawn.image});
        ASSERT_TRUE(result) << render(result.error());
        EXPECT_EQ(result->outputs.at(0).bytes, expected->begin()->second.bytes) << backend;
      }
    }
  }
  EXPECT_GT(by_channels, 30U) << "few of 48 were done by channels";
}

/// The graph with the image in the place of rows, node by node down to its parts.
TEST(ChannelNorms, ComputeWhatRowsDo) {
  constexpr uint64_t kSeed = 20261129;
  RecordProperty("seed", std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 60; ++i) {
    const uint64_t groups = 1 + random() % 5;
    const Shape image{1 + random() % 3, groups * (2 + random() % 4), 1 + random() % 5, 1 + random() % 5};
    const Normalised drawn = Maker(random).make(image, groups, i % 2 == 0);
    const Graph by_channels = compiler::operators::with_channel_norms(drawn.graph, {.fewest = 2});
    SCOPED_TRACE(print(by_channels));
    EXPECT_EQ(by_channels.nodes.size(), 1U);
    const compiler::reference::Tensors inputs{{"x", {drawn.image.dtype, drawn.image.shape, drawn.image.bytes}}};
    const auto expected = compiler::reference::evaluate(drawn.graph, inputs);
    ASSERT_TRUE(expected);
    for (const Graph& graph : {by_channels, compiler::operators::expand_templates(by_channels)}) {
      const Status verified = compiler::operators::verify_normalized(graph);
      ASSERT_TRUE(verified) << render(verified.error());
      const auto made = compiler::reference::evaluate(graph, inputs);
      ASSERT_TRUE(made) << render(made.error());
      EXPECT_EQ(*made, *expected);
    }
  }
}

/// Few channels, wide groups, rows that something else reads, another image after than before, no groups of channels.
TEST(ChannelNorms, OthersStayRows) {
  std::mt19937_64 random(1);
  const auto stays = [](const Graph& graph) {
    return compiler::operators::with_channel_norms(graph, {.fewest = 6, .widest = 3}) == graph;
  };
  const Normalised whole = Maker(random).make({1, 12, 3, 5}, 4, false);
  EXPECT_FALSE(stays(whole.graph));
  EXPECT_FALSE(stays(Maker(random).make({1, 6, 3, 5}, 2, false).graph));
  EXPECT_TRUE(stays(Maker(random).make({1, 5, 3, 5}, 5, false).graph));
  EXPECT_TRUE(stays(Maker(random).make({1, 12, 3, 5}, 3, false).graph));
  Graph read = whole.graph;
  read.outputs.push_back(read.nodes[1].outputs[0]);
  read.values[read.outputs.back().value].modifier = Modifier::kOutput;
  EXPECT_TRUE(stays(read));
  Graph turned = whole.graph;
  turned.values[turned.outputs[0].value].shape = {1, 12, 5, 3};
  EXPECT_TRUE(stays(turned));
  Graph cut = whole.graph;
  for (const ValueId id : {cut.inputs[0], cut.outputs[0]}) cut.values[id.value].shape = {1, 6, 6, 5};
  EXPECT_TRUE(stays(cut)) << "4 rows of 6 channels";
}

}  // namespace
}  // namespace covenant
