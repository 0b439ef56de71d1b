/// Layers with a cut loop on the SystemC model: the bytes of the interpreter and of the reference, the cycles that the
/// cost model says, and fewer of them than the best schedule without a cut takes.
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

#include "acg/lang/load.h"
#include "compiler/choose.h"
#include "compiler/codegen/program.h"
#include "compiler/passes/double_buffer.h"
#include "compiler/passes/tile.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/verify.h"
#include "runtime/session.h"
#include "tests/support/pipeline/random_graph.h"

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

/// The layer as `schedule` says, simulated: its cycles, after a look at its bytes.
uint64_t cycles_of(const compiler::Network& network, const acg::Machine& machine, ScheduleSearch search,
                   const Schedule& schedule, const compiler::codelet::Codelet& packed, const Graph& graph,
                   uint32_t seed) {
  search.played = {schedule};
  const Result<compiler::codelet::Codelet> scheduled =
      compiler::double_buffer(compiler::tile_as(packed, machine, search), machine);
  EXPECT_TRUE(scheduled) << render(scheduled.error());
  const Result<acg::Program> program = compiler::codegen::make_program(network, {*scheduled}, machine, "part");
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
  for (const Schedule& schedule : search.played) {
    if (!schedule.cut) return schedule;
  }
  throw std::logic_error("every search has plain schedules");
}

double error_of(const Schedule& schedule, uint64_t cycles) {
  return std::abs(std::log(static_cast<double>(schedule.prediction.cycles) / static_cast<double>(cycles)));
}

TEST(Parts, OfRandomLayersAreFasterAsPredicted) {
  int cut_layers = 0;
  double errors = 0;
  double won = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
    const acg::Machine machine = machine_of(maker);
    const Graph graph = graph_of(maker);
    const Result<compiler::Network> network = compiler::make_layers(graph, machine);
    ASSERT_TRUE(network) << render(network.error());
    const Result<compiler::codelet::Codelet> packed = compiler::packed_codelet(network->layers.at(0), machine);
    if (!packed) continue;
    const Result<ScheduleSearch> search = compiler::schedules(*packed, machine);
    if (!search || !search->played.front().cut) continue;
    const Schedule& cut = search->played.front();
    const Schedule& plain = best_plain(*search);
    const uint64_t with = cycles_of(*network, machine, *search, cut, *packed, graph, seed);
    const uint64_t without = cycles_of(*network, machine, *search, plain, *packed, graph, seed);
    EXPECT_LT(with, without);
    // Of small elementwise layers the model says too much, cut or not.
    EXPECT_LE(error_of(cut, with), error_of(plain, without) + 0.05);
    ++cut_layers;
    errors += error_of(cut, with);
    won += std::log(static_cast<double>(without) / static_cast<double>(with));
  }
  EXPECT_GE(cut_layers, 40);
  EXPECT_LE(std::exp(errors / cut_layers), 1.03);
  EXPECT_GE(std::exp(won / cut_layers), 1.1);
}

}  // namespace
}  // namespace covenant
