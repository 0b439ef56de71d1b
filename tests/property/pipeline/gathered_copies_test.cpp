/// Which copies gather, as schedules wish and as cycles decide; the SystemC model gives the bytes of the reference
/// operators in every way.
#include <algorithm>
#include <gtest/gtest.h>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "compiler/schedule/parse.h"
#include "runtime/session/session.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using test::Graph;
using test::GraphMaker;
using test::taken;
using test::ValueId;

const acg::Machine& machine() {
  static const acg::Machine made = taken(acg::load_machine("genesys", {{"M", "64"}, {"N", "64"}}));
  return made;
}

/// Channels in two groups, shuffled before a convolution; the layer that shuffles is called as its tensor is.
struct Shuffle {
  Graph graph;
  std::string layer;
};

Shuffle shuffle() {
  GraphMaker maker(5, DType::kI8);
  const ValueId x = maker.clip(maker.input({1, 48, 12, 12}));
  const ValueId parts = maker.reshape(x, {1, 2, 24, 12, 12});
  const ValueId mixed = maker.reshape(maker.transpose(parts, {0, 2, 1, 3, 4}), {1, 48, 12, 12});
  Graph graph = maker.finish(maker.conv(mixed, 16, 1, 1, 0));
  std::string layer = graph.get(mixed).name + "_copy";
  return {std::move(graph), std::move(layer)};
}

/// Pixels of few channels, each several times, added to themselves: a copy and its reader may become one layer.
Graph repeated(uint64_t channels, int64_t times) {
  GraphMaker maker(6, DType::kU8);
  const ValueId x = maker.clip(maker.input({1, channels, 20, 20}));
  const ValueId many = maker.repeat(x, {1, 1, times, times});
  return maker.finish(maker.add(many, many));
}

struct Ran {
  uint64_t cycles = 0;
  bool has_copy = false;
  bool is_fused = false;  ///< the copy, with its reader
};

/// Compiles a graph with a schedule for one layer, or none, and runs it.
Ran run(const Graph& graph, const std::string& layer = "", const std::string& lowering = "") {
  compiler::CompileOptions options;
  if (!layer.empty()) {
    const std::string text = "layer \"" + layer + "\" { lowering \"" + lowering + "\"; }";
    options.schedules = taken(compiler::parse_schedules(text, "test.schedule"));
  }
  const Result<acg::Program> program = compiler::compile_graph(graph, machine(), "gathers", options);
  check(static_cast<bool>(program), program ? "" : render(program.error()));
  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), 9);
  const Result<runtime::Session> session = runtime::Session::open(*program, "systemc");
  const runtime::RunResult result = taken(session->run({input}, {}));
  const auto expected = taken(compiler::reference::evaluate(
      graph, {{input.name, {input.dtype, input.shape, input.bytes}}}, acg::requantization(machine())));
  EXPECT_EQ(result.outputs.at(0).bytes, expected.begin()->second.bytes) << lowering;
  const auto has = [&](const std::string& operation) {
    return std::ranges::find(program->blocks, operation, &acg::Block::operation) != program->blocks.end();
  };
  return {result.cost.statistics.cycles, has("copy"), has("copy+add")};
}

TEST(GatheredCopies, AreDoneAsSchedulesSay) {
  const auto [graph, layer] = shuffle();
  const Ran best = run(graph);
  EXPECT_FALSE(best.has_copy);
  const Ran one = run(graph, layer, "rows of 48 as 1 vector of 48");
  EXPECT_EQ(one.cycles, best.cycles);
  const Ran two = run(graph, layer, "rows of 48 as 2 vectors of 24");
  EXPECT_FALSE(two.has_copy);
  EXPECT_GT(two.cycles, best.cycles);
  const Ran plain = run(graph, layer, "plain");
  EXPECT_TRUE(plain.has_copy);
  EXPECT_GT(plain.cycles, two.cycles);
}

/// A product that gathers does not become one layer with its reader, a copy may: the fewest cycles decide. A copy with
/// a schedule of its own stays by itself.
TEST(GatheredCopies, StayCopiesWhereTheyAreFused) {
  size_t gathered = 0, fused = 0;
  for (const uint64_t channels : {4, 16, 24}) {
    for (const int64_t times : {2, 4, 8}) {
      SCOPED_TRACE(std::to_string(channels) + " channels, " + std::to_string(times) + " times");
      const Graph graph = repeated(channels, times);
      const std::string layer = graph.get(graph.nodes.at(1).outputs.at(0)).name + "_copy";
      const Ran best = run(graph), plain = run(graph, layer, "plain");
      EXPECT_LE(best.cycles, plain.cycles);
      fused += best.is_fused ? 1 : 0;
      gathered += best.is_fused || best.has_copy ? 0 : 1;
    }
  }
  EXPECT_GT(fused, 0U);
  EXPECT_GT(gathered, 0U);
}

/// Without fusion, too, a copy takes the form with the fewest cycles.
TEST(GatheredCopies, NeedNoFusion) {
  const auto [graph, layer] = shuffle();
  compiler::CompileOptions options;
  options.fusion = false;
  const Result<acg::Program> program = compiler::compile_graph(graph, machine(), "gathers", options);
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(std::ranges::find(program->blocks, "copy", &acg::Block::operation), program->blocks.end());
}

}  // namespace
}  // namespace covenant
