/// Random producers with random elementwise consumers after them, on random machines: fused or not, on the SystemC
/// model and in the interpreter, the outputs are the same bytes; and what the cost model prefers does take fewer
/// cycles, be it one layer or two. COVENANT_SEED chooses others.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_elements.h"
#include "fuzz/random_machine.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/refusals.h"

namespace covenant {
namespace {

using test::Graph;
using test::GraphMaker;
using test::ValueId;

/// An operator of a user's: stored values limited from below.
compiler::codelet::Codelet floor_codelet() {
  const auto parsed = compiler::codelet::parse(
      "cdlt floor_at implements \"FloorAt\" {\n"
      "  P=param(); C=param(); LOWEST=param();\n"
      "  x=inp([P,C],null,null);\n"
      "  y=out([P,C],null,null);\n"
      "  loop p(P) { loop c(C) { y[p,c]=compute(null,\"MAX\",x[p,c],LOWEST); } }\n"
      "}\n",
      "floor_at.cdlt");
  check(static_cast<bool>(parsed), "the test's codelet is one");
  return *parsed;
}

ValueId producer(GraphMaker& maker, ValueId x) {
  const std::vector<uint64_t> shape = maker.graph().get(x).shape;
  if (shape.size() == 2) return maker.gemm(x, shape[1]);
  switch (maker.draw(0, 5)) {
    case 0:
      return maker.clip(x);
    case 1:
      return maker.max_pool(x, 3, 1, 1);
    default: {
      const auto kernel = static_cast<uint64_t>(maker.draw(0, 1) * 2 + 1);
      return maker.conv(x, shape[1], kernel, 1, static_cast<int64_t>(kernel / 2), maker.draw(0, 1) == 1);
    }
  }
}

uint64_t given_seed() {
  const char* given = std::getenv("COVENANT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

/// A producer that keeps its input's shape, and one or two elementwise layers: one may add the input again.
Graph random_pair(GraphMaker& maker) {
  const auto channels = static_cast<uint64_t>(maker.draw(1, 40));
  const auto size = [&] { return static_cast<uint64_t>(maker.draw(1, 9)); };
  const bool is_image = maker.draw(0, 3) > 0;
  const ValueId x = maker.input(is_image ? std::vector<uint64_t>{size() > 7 ? 2U : 1U, channels, size(), size()}
                                         : std::vector<uint64_t>{size(), channels});
  ValueId last = producer(maker, x);
  for (int64_t more = maker.draw(1, 2); more > 0; --more) {
    switch (maker.draw(0, 3)) {
      case 0:
        last = maker.clip(last);
        break;
      case 1:
        last = maker.declared("floor_at", {last});
        break;
      case 2:
        last = maker.add(x, last);
        break;
      default:
        last = maker.add(last, maker.draw(0, 2) == 0 ? last : x);
    }
  }
  return maker.finish(last);
}

/// Views between a producer and the limits on its result.
enum class Views : uint8_t {
  kWhole,    ///< all of it under another shape
  kOutput,   ///< the same, and the model gives a third shape of it
  kShifted,  ///< as many elements, begun one pixel earlier: within padding
};

Graph pair_with_views(GraphMaker& maker, Views views) {
  const auto size = [&] { return static_cast<uint64_t>(maker.draw(2, 9)); };
  const auto channels = static_cast<uint64_t>(maker.draw(1, 40));
  if (views == Views::kShifted) {
    const std::vector<uint64_t> shape{1, channels, size(), size()};
    const ValueId made = maker.conv(maker.input(shape), channels, 1, 1, 0, false);
    return maker.finish(
        maker.clip(maker.slice(maker.pad(made, {0, 0, 0, 1}, {0, 0, 0, 0}), {0, 0, 0, 0}, {1, 1, 1, 1}, shape)));
  }
  const uint64_t rows = size();
  const ValueId made = maker.gemm(maker.input({rows, channels}), size() * 3);
  const uint64_t columns = maker.graph().get(made).shape[1];
  if (views == Views::kOutput) maker.finish(maker.reshape(made, {1, 1, rows, columns}));
  return maker.finish(maker.clip(maker.reshape(made, {1, rows, columns})));
}

struct Made {
  std::vector<runtime::Tensor> outputs;
  uint64_t cycles = 0;
};

Made run_on(const std::string& backend, const acg::Program& program, const runtime::Tensor& input) {
  const Result<runtime::Session> session = runtime::Session::open(program, backend);
  check(static_cast<bool>(session), session ? "" : render(session.error()));
  const Result<runtime::RunResult> result = session->run({input}, {});
  check(static_cast<bool>(result), result ? "" : render(result.error()));
  return {result->outputs, result->cost.cycles};
}

TEST(FusedPairs, GiveTheSameBytesInFewerCycles) {
  const uint64_t seed = given_seed();
  uint64_t fused_graphs = 0;
  uint64_t faster = 0;
  test::Refusals drawn;
  uint64_t cycles_fused = 0;
  uint64_t cycles_apart = 0;
  for (uint64_t i = 0; i < 120; ++i) {
    SCOPED_TRACE(fmt::format("COVENANT_SEED={} graph {}", seed, i));
    const acg::Machine machine = runtime::random_machine(seed, i / 6).machine;
    GraphMaker maker(static_cast<uint32_t>(seed * 1000 + i), runtime::element_of(machine, i % 2 == 1));
    const Graph graph = random_pair(maker);
    compiler::CompileOptions options;
    options.codelets = {floor_codelet()};
    const Result<acg::Program> fused = compiler::compile_graph(graph, machine, "fused", options);
    options.fusion = false;
    const Result<acg::Program> apart = compiler::compile_graph(graph, machine, "apart", options);
    if (!apart) {
      drawn.refused(apart.error());
      continue;
    }
    drawn.compared();
    ASSERT_TRUE(fused) << render(fused.error());
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), static_cast<uint32_t>(i));
    const Made expected = run_on("interpret", *apart, input);
    const Made together = run_on("systemc", *fused, input);
    const Made one_by_one = run_on("systemc", *apart, input);
    EXPECT_EQ(run_on("interpret", *fused, input).outputs, expected.outputs);
    EXPECT_EQ(together.outputs, expected.outputs);
    EXPECT_EQ(one_by_one.outputs, expected.outputs);
    if (fused->blocks.size() == apart->blocks.size()) continue;
    ++fused_graphs;
    faster += together.cycles < one_by_one.cycles ? 1 : 0;
    cycles_fused += together.cycles;
    cycles_apart += one_by_one.cycles;
    if (HasFailure()) break;
  }
  fmt::print("seed {}: {} of 120 graphs fused, {} of these faster, {} -> {} cycles\n", seed, fused_graphs, faster,
             cycles_apart, cycles_fused);
  drawn.expect_within({{"CDL0040", 5}, {"CDL0051", 1}});  // percent
  EXPECT_GE(fused_graphs, 40U);
  EXPECT_GE(faster * 20, fused_graphs * 19) << "the cost model prefers what is slower";
}

/// A tensor with views is fused away only if a single layer reads all of it and the host reads none of it.
TEST(FusedPairs, GoThroughViewsOfTheWholeTensor) {
  const uint64_t seed = given_seed();
  std::map<Views, uint64_t> fused_graphs;
  for (uint64_t i = 0; i < 90; ++i) {
    SCOPED_TRACE(fmt::format("COVENANT_SEED={} graph {}", seed, i));
    const acg::Machine machine = runtime::random_machine(seed, i / 6).machine;
    GraphMaker maker(static_cast<uint32_t>(seed * 1000 + i), runtime::element_of(machine, false));
    const auto views = static_cast<Views>(i % 3);
    const Graph graph = pair_with_views(maker, views);
    compiler::CompileOptions options;
    const Result<acg::Program> fused = compiler::compile_graph(graph, machine, "fused", options);
    options.fusion = false;
    const Result<acg::Program> apart = compiler::compile_graph(graph, machine, "apart", options);
    if (!apart) continue;  // the machine has no such operation
    ASSERT_TRUE(fused) << render(fused.error());
    const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), static_cast<uint32_t>(i));
    const std::vector<runtime::Tensor> expected = run_on("interpret", *apart, input).outputs;
    ASSERT_EQ(run_on("systemc", *fused, input).outputs, expected);
    fused_graphs[views] += fused->blocks.size() < apart->blocks.size() ? 1 : 0;
  }
  EXPECT_GE(fused_graphs[Views::kWhole], 15U);
  EXPECT_EQ(fused_graphs[Views::kOutput], 0U);
}

/// Vector memories and weight buffers from a few units on. Where one tensor more makes a tile small, the weights of a
/// convolution are fetched more often.
acg::Machine drawn_machine(GraphMaker& maker) {
  const auto power = [&](int64_t lowest, int64_t highest) {
    return std::to_string(int64_t{1} << maker.draw(lowest, highest));
  };
  const Result<acg::Machine> machine = acg::load_machine(
      "genesys",
      {{"M", power(2, 4)}, {"N", power(2, 4)}, {"vector_depth", power(1, 5)}, {"weight_depth", power(2, 6)}});
  check(static_cast<bool>(machine), machine ? "" : render(machine.error()));
  return *machine;
}

/// SystemC cycles of a graph whose convolution and addition are compiled with `options`, without values; nothing if
/// that is impossible.
std::optional<uint64_t> cycles_of(const Graph& graph, const acg::Machine& machine,
                                  const compiler::CompileOptions& options, size_t layers) {
  const Result<acg::Program> program = compiler::compile_graph(graph, machine, "pair", options);
  if (!program) return std::nullopt;
  check(layers == 0 || program->blocks.size() == layers, "what is asked for is done");
  const Result<runtime::Session> session = runtime::Session::open(*program, "systemc");
  check(static_cast<bool>(session), session ? "" : render(session.error()));
  runtime::SessionOptions timing;
  timing.device.values = false;
  return session->run({test::random_input(graph.get(graph.inputs[0]), 1)}, timing)->cost.cycles;
}

TEST(FusedPairs, OneLayerOrTwoAsIsFaster) {
  const uint64_t seed = given_seed();
  uint64_t one_is_faster = 0;
  uint64_t two_are_faster = 0;
  double most = 1;
  for (uint64_t i = 0; i < 40; ++i) {
    SCOPED_TRACE(fmt::format("COVENANT_SEED={} pair {}", seed, i));
    GraphMaker maker(static_cast<uint32_t>(seed * 1000 + i), DType::kI8);
    const acg::Machine machine = drawn_machine(maker);
    const auto channels = static_cast<uint64_t>(maker.draw(8, 64));
    const auto size = static_cast<uint64_t>(maker.draw(4, 9));
    const ValueId x = maker.input({1, channels, size, size});
    const auto kernel = static_cast<uint64_t>(maker.draw(0, 1) * 2 + 1);
    const Graph graph =
        maker.finish(maker.add(maker.conv(x, channels, kernel, 1, static_cast<int64_t>(kernel / 2)), x));
    compiler::LayerSchedule schedule;
    schedule.layer = "conv0+add1";
    schedule.lowering = "plain";
    const auto one = cycles_of(graph, machine, {.schedules = {schedule}}, 1);
    const auto two = cycles_of(graph, machine, {.fusion = false}, 2);
    if (!one || !two) continue;
    const double chosen = static_cast<double>(cycles_of(graph, machine, {}, 0).value());
    (*one < *two ? one_is_faster : two_are_faster) += 1;
    most = std::max(most, chosen / static_cast<double>(std::min(*one, *two)));
    EXPECT_LE(chosen, 1.08 * static_cast<double>(std::min(*one, *two))) << *one << " as one, " << *two << " as two";
  }
  fmt::print(
      "seed {}: one layer is faster {} times, two are {} times; what is chosen takes at most {:.3f} of the less\n",
      seed, one_is_faster, two_are_faster, most);
  EXPECT_GE(one_is_faster, 8U);
  EXPECT_GE(two_are_faster, 2U);
}

}  // namespace
}  // namespace covenant
