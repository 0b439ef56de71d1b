/// Fast kernels give the bytes of the reference operators: of operators drawn at random, with all vector instructions
/// that this processor has and with none, in both ways of scaling.
#include "compiler/values/plan.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/parse.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "compiler/values/layout.h"
#include "tests/property/values/random_node.h"
#include "tests/support/seed.h"

namespace covenant::compiler::values {
namespace {

using reference::Requantization;
using reference::Tensor;
using reference::Tensors;

/// Elements of an input for `images` images: bytes, or reals around ties and beyond the ends.
std::vector<uint8_t> drawn_input(test::RandomGraphs& random, const srdfg::Value& value, size_t images) {
  const size_t count = images * srdfg::element_count(value.shape);
  if (value.dtype != DType::kF32) return random.elements(value.dtype, count);
  std::vector<float> elements;
  for (size_t i = 0; i < count; ++i) elements.push_back(static_cast<float>(random.drawn(-2000, 2000)) / 16);
  std::vector<uint8_t> bytes(count * sizeof(float));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// Image `index` of a stack.
Tensor image_of(const srdfg::Value& value, const std::vector<uint8_t>& stack, size_t index) {
  const size_t size = size_of(value);
  const auto first = stack.begin() + static_cast<std::ptrdiff_t>(index * size);
  return {value.dtype, value.shape, {first, first + static_cast<std::ptrdiff_t>(size)}};
}

struct Case {
  srdfg::Graph graph;
  size_t images;
  std::map<std::string, std::vector<uint8_t>> inputs;
};

/// For every output, the images one after the other.
std::map<std::string, std::vector<uint8_t>> expected_of(const Case& one, Requantization how) {
  std::map<std::string, std::vector<uint8_t>> expected;
  for (size_t index = 0; index < one.images; ++index) {
    Tensors inputs;
    for (const srdfg::ValueId id : one.graph.inputs) {
      const srdfg::Value& value = one.graph.get(id);
      inputs[value.name] = image_of(value, one.inputs.at(value.name), index);
    }
    const Result<Tensors> made = reference::evaluate(one.graph, inputs, how);
    if (!made) throw std::runtime_error(render(made.error()));
    for (const auto& [name, tensor] : *made) {
      expected[name].insert(expected[name].end(), tensor.bytes.begin(), tensor.bytes.end());
    }
  }
  return expected;
}

std::map<std::string, std::vector<uint8_t>> made_by(const Plan& plan, const Case& one) {
  std::map<std::string, Stack> given;
  for (const auto& [name, bytes] : one.inputs) given[name] = bytes;
  std::map<std::string, std::vector<uint8_t>> made;
  std::map<std::string, MutableStack> stacks;
  for (const srdfg::ValueId id : one.graph.outputs) {
    const srdfg::Value& value = one.graph.get(id);
    made[value.name].resize(one.images * size_of(value));
    stacks[value.name] = made[value.name];
  }
  plan.run(one.images, given, stacks, 2);
  return made;
}

/// Now and then the sums of the node are made in fewer than 32 bits.
void draw_accumulator(test::RandomGraphs& random, srdfg::Node& node) {
  if ((node.operation != "conv" && node.operation != "gemm" && node.operation != "matmul") || random.drawn(0, 1) == 0) {
    return;
  }
  node.attributes[srdfg::kAccumulator] = random.drawn(8, 31);
  if (node.operation != "matmul") return;
  if (random.drawn(0, 3) != 0) node.attributes[srdfg::kZeroPointApart] = random.drawn(-128, 127);
  if (random.drawn(0, 1) != 0) node.attributes[srdfg::kTurned] = int64_t{1};
}

class RandomOperators : public testing::TestWithParam<const char*> {};

TEST_P(RandomOperators, GiveTheBytesOfTheReference) {
  const std::string operation = GetParam();
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials; ++trial) {
    const uint64_t seed = test::seed() * 1000 + static_cast<uint64_t>(trial);
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    test::RandomGraphs random(seed);
    Case one{random.of(operation), static_cast<size_t>(random.drawn(1, 3)), {}};
    draw_accumulator(random, one.graph.nodes.at(0));
    for (const srdfg::ValueId id : one.graph.inputs) {
      const srdfg::Value& value = one.graph.get(id);
      one.inputs[value.name] = drawn_input(random, value, one.images);
    }
    for (const auto& [how, called] : kRequantizations) {
      const auto expected = expected_of(one, how);
      for (const SimdName& entry : kSimdNames) {
        if (!has(entry.simd)) continue;
        const Result<Plan> plan = Plan::make(one.graph, {.how = how, .simd = entry.simd});
        ASSERT_TRUE(plan) << render(plan.error());
        EXPECT_EQ(plan->exact_nodes(), std::vector<std::string>{}) << "no fast kernel";
        ASSERT_EQ(made_by(*plan, one), expected) << entry.name << ", " << called << "\n" << srdfg::print(one.graph);
      }
    }
  }
}

/// Two clips in a row: the second is given other bytes than those that the first one makes.
TEST(Plan, NodesAreGivenWhatIsSaid) {
  const Result<srdfg::Graph> graph = srdfg::parse(R"(srdfg "g" {
    value %0 "x" u8 [1,4] input scales=[0x1p0] zero_points=[0];
    value %1 "y" u8 [1,4] state scales=[0x1p0] zero_points=[0];
    value %2 "z" u8 [1,4] output scales=[0x1p0] zero_points=[0];
    inputs %0; outputs %2;
    node "a" clip(%0) -> (%1) { highest=100; lowest=10; }
    node "b" clip(%1) -> (%2) { highest=90; lowest=0; }
  })");
  ASSERT_TRUE(graph) << render(graph.error());
  const Result<Plan> plan = Plan::make(*graph);
  ASSERT_TRUE(plan) << render(plan.error());
  const std::vector<uint8_t> x{0, 50, 95, 200};
  const std::vector<uint8_t> other{1, 2, 3, 255};
  std::vector<uint8_t> y(4);
  std::vector<uint8_t> z(4);
  plan->run(1, {{"x", x}}, {{"y", y}, {"z", z}}, 1);
  EXPECT_EQ(y, (std::vector<uint8_t>{10, 50, 95, 100}));
  EXPECT_EQ(z, (std::vector<uint8_t>{10, 50, 90, 90}));
  plan->run(1, {{"x", x}, {"y", other}}, {{"y", y}, {"z", z}}, 1);
  EXPECT_EQ(y, (std::vector<uint8_t>{10, 50, 95, 100}));
  EXPECT_EQ(z, (std::vector<uint8_t>{1, 2, 3, 90}));
}

INSTANTIATE_TEST_SUITE_P(All, RandomOperators,
                         testing::Values("conv", "gemm", "matmul", "max_pool", "average_pool", "global_average_pool",
                                         "add", "mul", "sub", "div", "max", "min", "lookup", "clip", "quantize",
                                         "dequantize", "softmax", "reshape", "transpose", "slice", "repeat", "pad",
                                         "concat"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace covenant::compiler::values
