/// The search against all there is: every valid tiling of twenty small layers in every order and every lowering is
/// pinned and simulated; what the search takes is next to the best of them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "acg/lang/load.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/choice/choose.h"
#include "compiler/driver/pipeline.h"
#include "compiler/layers/layers.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/print.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using test::GraphMaker;
using test::ValueId;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A layer that can be tried whole.
struct Small {
  std::string name;
  Graph graph;
};

acg::Machine machine_of(const std::string& name, const Settings& settings) {
  const Result<acg::Machine> machine = acg::load_machine(name, settings);
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

/// Cycles do not depend on values: they are not computed.
std::optional<uint64_t> simulated(const Graph& graph, const acg::Machine& machine, const CompileOptions& options) {
  const Result<acg::Program> program = compile_graph(graph, machine, "small", options);
  if (!program) {
    ADD_FAILURE() << render(program.error());
    return std::nullopt;
  }
  const Result<runtime::Session> session = runtime::Session::open(*program, "systemc");
  runtime::SessionOptions timing;
  timing.device.values = false;
  std::vector<runtime::Tensor> inputs;
  for (const ValueId id : graph.inputs) inputs.push_back(test::random_input(graph.get(id), 1));
  const Result<runtime::RunResult> result = session->run(inputs, timing);
  EXPECT_TRUE(result) << render(result.error());
  return result->cost.cycles;
}

/// All orders of the shared loops that are split; the others keep their places.
std::vector<std::vector<size_t>> orders(const TileProblem& problem, const Tiling& tiling) {
  std::vector<size_t> split;
  for (size_t i = 0; i < problem.shared; ++i) {
    if (tiling[i] < problem.loops[i].trips) split.push_back(i);
  }
  const std::vector<size_t> places = split;
  std::vector<std::vector<size_t>> result;
  do {
    std::vector<size_t> order(problem.shared);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = 0; i < places.size(); ++i) order[places[i]] = split[i];
    result.push_back(order);
  } while (std::next_permutation(split.begin(), split.end()));
  return result;
}

/// The alternatives tried for one layer.
struct Tried {
  uint64_t schedules = 0;
  uint64_t best = std::numeric_limits<uint64_t>::max();
  std::string best_is;
};

void try_all(const Small& layer, const acg::Machine& machine, const NetworkLayer& way, Tried& tried) {
  const auto packed = packed_codelet(way, machine);
  ASSERT_TRUE(packed) << render(packed.error());
  const auto found = test::schedules(*packed, machine);
  ASSERT_TRUE(found) << render(found.error());
  const test::ValidTilings every = test::valid_tilings(found->problem, machine, {.remainders = true});
  EXPECT_EQ(every.stop, StopReason::kComplete);
  for (const Tiling& tiling : every.valid) {
    for (const std::vector<size_t>& order : orders(found->problem, tiling)) {
      LayerSchedule pinned = schedule_of({found->problem, {{tiling, order, {}}}});
      pinned.layer = way.layer.name;
      pinned.lowering = way.lowering;
      pinned.note.clear();
      CompileOptions options;
      options.schedules = {pinned};
      const std::optional<uint64_t> cycles = simulated(layer.graph, machine, options);
      if (!cycles) return;
      ++tried.schedules;
      if (*cycles >= tried.best) continue;
      tried.best = *cycles;
      tried.best_is = print_schedules("", {pinned});
    }
  }
}

/// `more` times as large where it makes the space larger.
std::vector<Small> small_layers(uint64_t more) {
  std::vector<Small> layers;
  const auto add = [&](const std::string& name, const auto& make) {
    GraphMaker maker(1, layers.size() % 2 == 0 ? DType::kU8 : DType::kI8);
    const ValueId y = make(maker);
    layers.push_back({name, maker.finish(y)});
  };
  add("conv 3x3", [&](GraphMaker& m) { return m.conv(m.input({1, 8, 6 * more, 6}), 8, 3, 1, 1); });
  add("conv 3x3, stride 2", [&](GraphMaker& m) { return m.conv(m.input({1, 8, 9 * more, 9}), 8, 3, 2, 1); });
  add("conv 1x1", [&](GraphMaker& m) { return m.conv(m.input({1, 12, 7 * more, 6}), 16, 1, 1, 0); });
  add("conv 5x5 of an image", [&](GraphMaker& m) { return m.conv(m.input({1, 3, 8, 8}), 8 * more, 5, 1, 0); });
  add("gemm", [&](GraphMaker& m) { return m.gemm(m.input({12, 40}), 24 * more); });
  add("gemm of one row", [&](GraphMaker& m) { return m.gemm(m.input({1, 96}), 60 * more); });
  add("max pool", [&](GraphMaker& m) { return m.max_pool(m.input({1, 16, 12, 12 * more}), 2, 2, 0); });
  add("add", [&](GraphMaker& m) {
    const ValueId x = m.input({1, 12, 6, 7 * more});
    return m.add(x, x);
  });
  return layers;
}

const std::vector<acg::Machine>& machines() {
  static const std::vector<acg::Machine> all{
      machine_of("genesys", {{"M", "4"},
                             {"N", "4"},
                             {"axi", "32"},
                             {"input_depth", "64"},
                             {"weight_depth", "16"},
                             {"output_depth", "24"},
                             {"vector_depth", "40"},
                             {"bias_depth", "4"}}),
      machine_of("genesys:8x8", {{"input_depth", "128"}, {"weight_depth", "32"}, {"output_depth", "32"}}),
      machine_of("dnnweaver", {})};
  return all;
}

Tried tried_whole(const Small& layer, const acg::Machine& machine) {
  const auto network = make_layers(layer.graph, machine);
  check(static_cast<bool>(network), "a small layer is a layer");
  Tried tried;
  for (const Lowering& one : lowerings_of(all_makers(), *network, TensorUses(*network), 0, machine)) {
    try_all(layer, machine, lowered(network->layers[0], one), tried);
  }
  return tried;
}

/// True if the search splits a loop: such schedules are not among those that are tried.
bool has_split(const Small& layer, const acg::Machine& machine) {
  const stream::StreamCostModel model(machine);
  LayerSearch search(model);
  const std::vector<Alternative> all = alternatives(*make_layers(layer.graph, machine), 0, search);
  return all.front().search.value().simulated.front().split.has_value();
}

/// Within 5 % in the geometric mean; a split is better than all without one. COVENANT_FULL=1 tries larger layers.
TEST(SearchedSchedules, AreNextToTheBestOfAll) {
  double logarithms = 0;
  double worst = 0;
  std::string worst_is;
  size_t layers = 0;
  uint64_t all = 0;
  for (const acg::Machine& machine : machines()) {
    for (const Small& layer : small_layers(std::getenv("COVENANT_FULL") != nullptr ? 2 : 1)) {
      SCOPED_TRACE(layer.name + " on " + machine.name);
      const Tried tried = tried_whole(layer, machine);
      const std::optional<uint64_t> searched = simulated(layer.graph, machine, {});
      ASSERT_TRUE(searched && tried.schedules > 0);
      const bool split = has_split(layer, machine);
      if (split) {
        EXPECT_LT(*searched, tried.best) << "a split has lost";
      } else {
        EXPECT_GE(*searched, tried.best) << "the search has taken what was not tried";
      }
      const double ratio = static_cast<double>(*searched) / static_cast<double>(std::min(tried.best, *searched));
      std::printf("%-9s  %-20s  %5lu schedules, best %5lu cycles, searched %5lu%s: %.3f\n", machine.name.c_str(),
                  layer.name.c_str(), tried.schedules, tried.best, *searched, split ? " (split)" : "", ratio);
      logarithms += std::log(ratio);
      all += tried.schedules;
      ++layers;
      if (ratio <= worst) continue;
      worst = ratio;
      worst_is = layer.name + " on " + machine.name + ", where the best is\n" + tried.best_is;
    }
  }
  const double mean = std::exp(logarithms / static_cast<double>(layers));
  std::printf("%zu layers, %lu schedules: %.4f in the geometric mean, at worst %.3f: %s\n", layers, all, mean, worst,
              worst_is.c_str());
  EXPECT_GE(layers, 20U);
  EXPECT_LE(mean, 1.05);
}

}  // namespace
}  // namespace covenant::compiler
