/// Random graphs in which layers that compute stand between movements, on machines of several shapes: SystemC model,
/// interpreter and reference operators give the same bytes.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using compiler::reference::Requantization;
using test::Graph;
using test::GraphMaker;
using test::ValueId;
using Settings = std::vector<std::pair<std::string, std::string>>;
using Shape = std::vector<uint64_t>;

constexpr uint64_t kMostElements = 2000;

const std::vector<Settings>& machines() {
  static const std::vector<Settings> all{
      {{"M", "8"}, {"N", "8"}}, {{"M", "4"}, {"N", "6"}, {"axi", "64"}}, {{"M", "3"}, {"N", "16"}}};
  return all;
}

/// A graph that grows by what its last value allows; earlier values of its shape are read again.
class Mover {
 public:
  /// `pad`: of windows, which are then larger than a pixel.
  Mover(uint32_t seed, DType dtype, int64_t most_channels = 12, int64_t pad = 0)
      : maker_(seed, dtype), most_channels_(most_channels), pad_(pad) {}

  Graph run() {
    last_ = maker_.conv(maker_.input({1, size(9), size(6) + 2, size(6) + 2}), size(most_channels_), 1, 1, 0);
    for (int64_t steps = maker_.draw(2, 6); steps > 0; --steps) {
      made_.push_back(last_);
      last_ = maker_.draw(0, 2) == 0 ? computed() : moved();
    }
    return maker_.finish(last_);
  }

 private:
  uint64_t size(int64_t most) { return static_cast<uint64_t>(maker_.draw(1, most)); }
  const Shape& shape(ValueId id) { return maker_.graph().get(id).shape; }

  ValueId computed() {
    switch (maker_.draw(0, 4)) {
      case 0:
        return maker_.clip(last_);
      case 1:
        return maker_.add(last_, alike(false));
      case 2:
        return maker_.max_pool(last_, 2 * pad_ + 1, 1, pad_);
      default:
        return maker_.conv(last_, size(most_channels_), static_cast<uint64_t>(2 * pad_ + 1), 1, pad_);
    }
  }

  ValueId moved() {
    switch (maker_.draw(0, 5)) {
      case 0: {
        std::vector<int64_t> permutation{0, 1, 2, 3};
        std::swap(permutation[1], permutation[static_cast<size_t>(maker_.draw(1, 3))]);
        return maker_.transpose(last_, permutation);
      }
      case 1:
        return slice();
      case 2:
        return repeat();
      case 3:
        return maker_.concat(last_, alike(true), maker_.draw(1, 3));
      case 4:
        return maker_.pad(last_, {0, 0, maker_.draw(0, 2), 0}, {0, maker_.draw(0, 2), 0, maker_.draw(0, 2)});
      default:
        return regrouped();
    }
  }

  /// A value of the same shape, and if need be of the same quantisation: one that is there, or a new one.
  ValueId alike(bool quantized) {
    for (const ValueId id : made_) {
      const bool fits = shape(id) == shape(last_) &&
                        (!quantized || maker_.graph().get(id).quantization == maker_.graph().get(last_).quantization);
      if (fits && maker_.draw(0, 1) == 0) return id;
    }
    const ValueId made = maker_.conv(last_, shape(last_)[1], 1, 1, 0);
    if (quantized) maker_.graph().values[made.value].quantization = maker_.graph().get(last_).quantization;
    return made;
  }

  ValueId slice() {
    std::vector<int64_t> starts(4, 0);
    std::vector<int64_t> steps(4, 1);
    Shape to = shape(last_);
    for (size_t d = 1; d < 4; ++d) {
      starts[d] = maker_.draw(0, static_cast<int64_t>(to[d]) - 1);
      steps[d] = maker_.draw(1, 2);
      to[d] = size((static_cast<int64_t>(to[d]) - starts[d] + steps[d] - 1) / steps[d]);
    }
    return maker_.slice(last_, starts, steps, to);
  }

  ValueId repeat() {
    const bool is_large = compiler::srdfg::element_count(shape(last_)) > kMostElements / 4;
    return maker_.repeat(last_, {1, 1, is_large ? 1 : maker_.draw(1, 2), is_large ? 1 : maker_.draw(1, 2)});
  }

  /// Channels in two groups, shuffled.
  ValueId regrouped() {
    const Shape from = shape(last_);
    if (from[1] % 2 != 0) return maker_.reshape(last_, {from[0], from[1] * from[2], 1, from[3]});
    const ValueId parts = maker_.reshape(last_, {from[0], 2, from[1] / 2, from[2], from[3]});
    return maker_.reshape(maker_.transpose(parts, {0, 2, 1, 3, 4}), from);
  }

  GraphMaker maker_;
  int64_t most_channels_, pad_;
  ValueId last_{};
  std::vector<ValueId> made_;
};

acg::Machine loaded(const std::string& name, const Settings& settings = {}) {
  const Result<acg::Machine> machine = acg::load_machine(name, settings);
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

acg::Program compiled(const Graph& graph, const acg::Machine& machine) {
  const Result<acg::Program> program = compiler::compile_graph(graph, machine, "random");
  check(static_cast<bool>(program), program ? "" : render(program.error()));
  return *program;
}

void expect_same_everywhere(const Graph& graph, const acg::Machine& machine, uint32_t seed) {
  const Status verified = compiler::operators::verify_normalized(graph);
  ASSERT_TRUE(verified) << render(verified.error());
  const acg::Program program = compiled(graph, machine);
  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), seed + 1);
  compiler::reference::Tensors inputs;
  inputs[input.name] = {input.dtype, input.shape, input.bytes};
  const auto expected = compiler::reference::evaluate(graph, inputs, acg::requantization(machine));
  ASSERT_TRUE(expected) << render(expected.error());
  for (const std::string backend : {"systemc", "interpret"}) {
    const Result<runtime::Session> session = runtime::Session::open(program, backend);
    ASSERT_TRUE(session) << render(session.error());
    const Result<runtime::RunResult> result = session->run({input}, {{}, true});
    ASSERT_TRUE(result) << render(result.error());
    EXPECT_EQ(result->outputs.at(0).bytes, expected->begin()->second.bytes) << backend;
  }
}

TEST(RandomMovements, GiveTheSameBytesEverywhere) {
  uint32_t seed = 21000;
  for (const Settings& settings : machines()) {
    for (int i = 0; i < 60; ++i, ++seed) {
      SCOPED_TRACE("N " + settings[1].second + ", seed " + std::to_string(seed));
      expect_same_everywhere(Mover(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8).run(), loaded("genesys", settings),
                             seed);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// Layers that write whole vectors, most of which are past the last channel.
TEST(RandomMovements, GiveTheSameBytesWhereVectorsAreWrittenWhole) {
  const acg::Machine machine = loaded("hvx");
  for (uint32_t seed = 22000; seed < 22040; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mover mover(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8, seed % 4 < 2 ? 12 : 140, seed % 3 / 2);
    expect_same_everywhere(mover.run(), machine, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Rows become columns beside a tensor that stays as it is.
Graph turned(uint32_t seed, const Shape& shape) {
  GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
  const ValueId input = maker.input(shape);
  const ValueId moved = maker.transpose(maker.clip(input), {0, 2, 1});
  const ValueId beside = maker.clip(maker.reshape(input, {shape[0], shape[2], shape[1]}));
  return maker.finish(maker.add(beside, moved));
}

bool has_product(const acg::Program& program) {
  return std::ranges::find(program.blocks, "transpose", &acg::Block::operation) != program.blocks.end();
}

TEST(RandomMovements, TensorsAreTurnedByProducts) {
  const std::vector<Settings> arrays{
      {{"M", "8"}, {"N", "8"}}, {{"M", "16"}, {"N", "16"}}, {{"M", "9"}, {"N", "20"}, {"axi", "64"}}};
  size_t by_products = 0;
  uint32_t seed = 23000;
  for (const Settings& settings : arrays) {
    const acg::Machine machine = loaded("genesys", settings);
    for (int i = 0; i < 15; ++i, ++seed) {
      SCOPED_TRACE("N " + settings[1].second + ", seed " + std::to_string(seed));
      std::mt19937 random(seed);
      const auto drawn = [&](uint64_t least, uint64_t most) { return least + random() % (most + 1 - least); };
      const Graph graph = turned(seed, {drawn(1, 3), drawn(2, 70), drawn(2, 70)});
      expect_same_everywhere(graph, machine, seed);
      by_products += has_product(compiled(graph, machine)) ? 1 : 0;
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(by_products, 15U) << "hardly any was turned by products";
}

/// Two layers take longer to begin with than one.
TEST(Movements, SmallTensorsAreTurnedElementByElement) {
  const acg::Machine machine = loaded("genesys", {{"M", "16"}, {"N", "16"}});
  EXPECT_FALSE(has_product(compiled(turned(8, {1, 5, 6}), machine)));
  EXPECT_FALSE(has_product(compiled(turned(8, {1, 12, 24}), machine))) << "one could, but takes more cycles";
  EXPECT_TRUE(has_product(compiled(turned(8, {1, 64, 64}), machine)));
}

/// In a concat along columns the pixels of a part are in one row only line by line.
TEST(Movements, ASumGoesIntoAConcatOfColumns) {
  GraphMaker maker(5, DType::kI8);
  const ValueId image = maker.conv(maker.input({1, 9, 3, 6}), 8, 1, 1, 0);
  const ValueId sum = maker.add(image, image);
  const ValueId other = maker.conv(sum, 8, 1, 1, 0);
  maker.graph().values[other.value].quantization = maker.graph().get(sum).quantization;
  expect_same_everywhere(maker.finish(maker.clip(maker.concat(sum, other, 3))), loaded("genesys", machines()[0]), 5);
}

/// A layer that writes past the end of a part may not overwrite a part that was made before it.
TEST(Movements, APartIsMadeBeforeTheOneInFrontOfIt) {
  GraphMaker maker(6, DType::kU8);
  const ValueId image = maker.input({1, 9, 3, 6});
  const ValueId second = maker.conv(image, 20, 1, 1, 0);
  const ValueId first = maker.conv(image, 20, 1, 1, 0);
  maker.graph().values[first.value].quantization = maker.graph().get(second).quantization;
  expect_same_everywhere(maker.finish(maker.conv(maker.concat(first, second, 1), 8, 1, 1, 0)), loaded("hvx"), 6);
}

TEST(Movements, ChannelsBeginWithinAWord) {
  GraphMaker maker(7, DType::kU8);
  const ValueId image = maker.conv(maker.input({1, 9, 3, 6}), 40, 1, 1, 0);
  const ValueId part = maker.slice(image, {0, 3, 0, 0}, {1, 1, 1, 1}, {1, 30, 3, 6});
  expect_same_everywhere(maker.finish(maker.conv(part, 8, 1, 1, 0)), loaded("hvx"), 7);
}

}  // namespace
}  // namespace covenant
