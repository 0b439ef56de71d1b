/// Layers with a split loop on the SystemC model: they have the bytes of the interpreter and of the reference, and the
/// cycles that the cost model predicts, fewer than the best schedule without a split.
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>

#include "acg/lang/load.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/choice/choose.h"
#include "compiler/layers/layers.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/families/stream/program.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/reference/evaluate.h"
#include "compiler/schedule/parse.h"
#include "compiler/schedule/pinned.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/pair_machine.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/pipeline/searched.h"

namespace covenant {
namespace {

using compiler::Schedule;
using compiler::ScheduleSearch;
using test::Graph;
using test::GraphMaker;

acg::Machine machine_of(GraphMaker& maker) {
  const std::string depth = std::to_string(maker.draw(16, 72));
  const Result<acg::Machine> machine = acg::load_machine("genesys", {{"M", std::to_string(maker.draw(2, 8))},
                                                                     {"N", std::to_string(maker.draw(2, 6))},
                                                                     {"axi", "32"},
                                                                     {"input_depth", depth},
                                                                     {"weight_depth", depth},
                                                                     {"bias_depth", depth},
                                                                     {"output_depth", depth},
                                                                     {"vector_depth", depth}});
  EXPECT_TRUE(machine);
  return *machine;
}

Graph graph_of(GraphMaker& maker) {
  const auto draw = [&](int64_t lowest, int64_t highest) { return static_cast<uint64_t>(maker.draw(lowest, highest)); };
  const auto image = [&] { return maker.input({1, draw(1, 40), draw(3, 12), draw(3, 12)}); };
  switch (maker.draw(0, 4)) {
    case 0:
      return maker.finish(maker.gemm(maker.input({draw(1, 9), draw(4, 90)}), draw(8, 90)));
    case 1:
      return maker.finish(maker.clip(image()));
    case 2:
      return maker.finish(maker.max_pool(image(), 3, 1, 1));
    case 3:
      return maker.finish(maker.mean(image()));
    default:
      return maker.finish(maker.conv(image(), draw(3, 60), draw(1, 3), 1, 0));
  }
}

/// Simulates the layer with `schedule` and checks its bytes. Returns its cycles.
uint64_t cycles_of(const compiler::Network& network, const acg::Machine& machine, const ScheduleSearch& search,
                   const Schedule& schedule, const compiler::codelet::Codelet& packed, const Graph& graph,
                   uint32_t seed) {
  const auto mined = compiler::strip_mine(packed, machine, compiler::parts_of(search.problem, schedule));
  const Result<compiler::codelet::Codelet> scheduled =
      compiler::stream::double_buffer(compiler::hoist(compiler::insert_transfers(mined, machine)), machine);
  EXPECT_TRUE(scheduled) << render(scheduled.error());
  const Result<acg::Program> program = compiler::stream::make_program(network, {*scheduled}, machine, "part");
  EXPECT_TRUE(program) << render(program.error());
  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), seed);
  const compiler::reference::Tensors inputs{{input.name, {input.dtype, input.shape, input.bytes}}};
  const auto expected = compiler::reference::evaluate_all(graph, inputs);
  EXPECT_TRUE(expected);
  uint64_t cycles = 0;
  for (const std::string backend : {"interpret", "systemc"}) {
    const Result<runtime::Session> session = runtime::Session::open(*program, backend);
    EXPECT_TRUE(session) << render(session.error());
    const Result<runtime::RunResult> result = session->run({input});
    EXPECT_TRUE(result) << render(result.error());
    EXPECT_EQ(result->outputs.at(0).bytes, expected->at(graph.get(graph.outputs[0]).name).bytes) << backend;
    cycles = result->cost.cycles;
  }
  return cycles;
}

const Schedule& best_plain(const ScheduleSearch& search) {
  for (const Schedule& schedule : search.simulated) {
    if (!schedule.split) return schedule;
  }
  throw std::logic_error("every search has plain schedules");
}

double error_of(const Schedule& schedule, uint64_t cycles) {
  return std::abs(std::log(static_cast<double>(schedule.prediction.cycles) / static_cast<double>(cycles)));
}

/// A layer on a machine, with its schedules and their cycles on the SystemC model.
class Layer {
 public:
  Layer(const acg::Machine& machine, const Graph& graph, uint32_t seed)
      : machine_(machine), graph_(graph), seed_(seed) {
    Result<compiler::Network> network = compiler::make_layers(graph, machine);
    if (!network) throw std::runtime_error(render(network.error()));
    network_ = std::move(*network);
    const Result<compiler::codelet::Codelet> packed = compiler::packed_codelet(network_.layers.at(0), machine);
    if (!packed) return;
    packed_ = *packed;
    const Result<ScheduleSearch> found = test::schedules(packed_, machine);
    if (found) search = *found;
  }

  uint64_t cycles(const Schedule& schedule) const {
    return cycles_of(network_, machine_, search.value(), schedule, packed_, graph_, seed_);
  }

  /// Cycles of the layer with the split in `text`, a schedule.
  uint64_t cycles_as(const std::string& text) const {
    const auto chosen = compiler::parse_schedules("layer \"a\" { lowering \"plain\"; " + text + " }", "");
    EXPECT_TRUE(chosen) << render(chosen.error());
    const Result<ScheduleSearch> found = test::schedules(packed_, machine_, {.remainders = true}, &chosen->at(0));
    EXPECT_TRUE(found) << render(found.error());
    return cycles(found->simulated.at(0));
  }

  /// The cheapest of all schedules.
  const Schedule& best() const { return search.value().simulated.front(); }
  /// The cheapest without a split.
  const Schedule& plain() const { return best_plain(search.value()); }
  bool has_split() const { return search && best().split; }
  /// The nodes of the second part are others.
  bool is_parallel() const {
    return has_split() &&
           compiler::nodes_of(best().split.value().problem) != compiler::nodes_of(search.value().problem);
  }

  std::optional<ScheduleSearch> search;  ///< none if the machine cannot do the layer

 private:
  const acg::Machine& machine_;
  const Graph& graph_;
  uint32_t seed_;
  compiler::Network network_;
  compiler::codelet::Codelet packed_;
};

/// The gain of splits over many layers.
struct Worth {
  int layers = 0;
  double errors = 0;
  double won = 0;

  void add(const Layer& layer) {
    const Schedule& split = layer.best();
    const Schedule& plain = layer.plain();
    const uint64_t with = layer.cycles(split);
    const uint64_t without = layer.cycles(plain);
    EXPECT_LE(with, without + without / 50);
    // For small elementwise layers the model predicts too much, split or not.
    EXPECT_LE(error_of(split, with), error_of(plain, without) + 0.08);
    ++layers;
    errors += error_of(split, with);
    won += std::log(static_cast<double>(without) / static_cast<double>(with));
  }
  void expect(int least_layers, double least_won, double most_error) const {
    EXPECT_GE(layers, least_layers);
    EXPECT_LE(std::exp(errors / layers), most_error);
    EXPECT_GE(std::exp(won / layers), least_won);
    std::printf("%d layers, error %.4f, won %.3f\n", layers, std::exp(errors / layers), std::exp(won / layers));
  }
};

TEST(Parts, OfRandomLayersAreFasterAsPredicted) {
  Worth worth;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    const acg::Machine machine = machine_of(maker);
    const Graph graph = graph_of(maker);
    const Layer layer(machine, graph, seed);
    if (layer.has_split()) worth.add(layer);
  }
  worth.expect(40, 1.1, 1.03);
}

TEST(Parts, OnNodesOfTheirOwnAreFasterAsPredicted) {
  Worth elementwise;
  Worth arrays;
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    const auto draw = [&](int64_t lowest, int64_t highest) { return static_cast<int>(maker.draw(lowest, highest)); };
    const int count = 1 + draw(0, 1);
    const int slow = draw(0, 1) == 1 ? 32 : 0;
    const acg::Machine machine = test::pair_machine({draw(2, 8), draw(2, 6), count, 2, 64, slow, draw(24, 90), 1024});
    const Graph graph = graph_of(maker);
    const Layer layer(machine, graph, seed);
    if (!layer.is_parallel()) continue;
    (layer.search.value().problem.nests.front().compute.capability == "GEMM" ? arrays : elementwise).add(layer);
  }
  elementwise.expect(20, 1.3, 1.12);
  arrays.expect(10, 1.3, 1.03);
}

/// Three ways to do what tiles leave over, and each is taken for some layer: padding where a remainder loop of the same
/// tiles would win a few cycles, a remainder loop and a second node where they win.
TEST(Parts, TheCheapestWayIsTaken) {
  const test::PairSizes sizes{4, 4, 1, 1, 32, 0, 40, 1024};
  const acg::Machine one = test::pair_machine(sizes);
  int padded = 0;
  for (uint64_t width = 9; width < 30; ++width) {
    GraphMaker maker(3, DType::kU8);
    const Graph graph = maker.finish(maker.clip(maker.input({1, 4, 7, width})));
    const Layer layer(one, graph, 3);
    ASSERT_TRUE(layer.search);
    const Schedule& best = layer.best();
    const compiler::TileLoop& loop = layer.search->problem.loops.at(0);
    const int64_t size = best.tiling.at(0);
    if (layer.has_split() || loop.trips % size == 0) continue;
    const int64_t at = loop.trips / size * size;
    const uint64_t split = layer.cycles_as("tile p " + std::to_string(size) + "; split p at " + std::to_string(at) +
                                           " { tile p " + std::to_string(loop.trips - at) + "; }");
    ++padded;
    EXPECT_LE(layer.cycles(best), split + split / 25) << "7 x " << width << " pixels, tiles of " << size;
  }
  EXPECT_GT(padded, 0);
  int remainders = 0;
  const acg::Machine tight = test::pair_machine({8, 4, 1, 1, 128, 0, 12, 1024});
  for (uint64_t outputs = 12; outputs < 40; outputs += 8) {
    GraphMaker maker(3, DType::kU8);
    const Graph graph = maker.finish(maker.gemm(maker.input({2, 200}), outputs));
    const Layer layer(tight, graph, 3);
    ASSERT_TRUE(layer.search);
    if (!layer.has_split()) continue;
    ++remainders;
    EXPECT_LT(layer.cycles(layer.best()), layer.cycles(layer.plain())) << outputs;
  }
  EXPECT_GT(remainders, 0);
  test::PairSizes two = sizes;
  two.simds = 2;
  const acg::Machine pair = test::pair_machine(two);
  GraphMaker maker(3, DType::kU8);
  const Graph graph = maker.finish(maker.clip(maker.input({1, 4, 7, 23})));
  const Layer layer(pair, graph, 3);
  ASSERT_TRUE(layer.is_parallel());
  const uint64_t together = layer.cycles(layer.best());
  EXPECT_LT(together * 10, layer.cycles(layer.plain()) * 8) << "a fifth at least is saved";
  EXPECT_LT(together, layer.cycles_as("split p at 80 {}")) << "one after the other on one node";
}

}  // namespace
}  // namespace covenant
