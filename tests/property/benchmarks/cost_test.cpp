/// The cost model against the SystemC model: cycles of every benchmark layer on four machines.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/benchmarks/layer_graph.h"
#include "runtime/session.h"

namespace covenant {
namespace {

TEST(CostModel, IsNearTheSimulatedCyclesOfEveryLayer) {
  double errors = 0;
  int rows = 0;
  for (const std::string name : {"dnnweaver", "genesys:16x16", "genesys:03", "genesys:07"}) {
    const Result<acg::Machine> machine = acg::load_machine(name, {});
    ASSERT_TRUE(machine);
    for (const compiler::BenchmarkLayer& layer : compiler::benchmark_layers()) {
      const auto explained = compiler::explain_benchmark(layer.name, *machine);
      ASSERT_TRUE(explained) << render(explained.error());
      const compiler::ScheduleSearch& search = explained->alternatives.at(0).search.value();
      const Result<acg::Program> program = compiler::compile_layer(layer.name, *machine);
      ASSERT_TRUE(program);
      const Result<runtime::Session> session = runtime::Session::open(*program, "systemc");
      ASSERT_TRUE(session);
      const runtime::Tensor input{
          "x", DType::kI8, program->inputs[0].shape,
          std::vector<uint8_t>(std::accumulate(program->inputs[0].shape.begin(), program->inputs[0].shape.end(),
                                               uint64_t{1}, std::multiplies<>()))};
      runtime::SessionOptions options;
      options.device.values = false;
      const Result<runtime::RunResult> result = session->run({input}, options);
      ASSERT_TRUE(result) << render(result.error());
      const auto predicted = static_cast<double>(search.played.at(0).prediction.cycles);
      const double error = std::abs(std::log(predicted / static_cast<double>(result->cost.cycles)));
      EXPECT_LE(error, std::log(1.15)) << layer.name << " on " << name << ": " << predicted << ", not "
                                       << result->cost.cycles;
      errors += error;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 4 * 17);
  EXPECT_LE(std::exp(errors / rows), 1.02);
}

TEST(CostModel, ALayerThatIsNotThereIsRefused) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", {});
  ASSERT_TRUE(machine);
  const auto layer = compiler::benchmark_layer("DLRM/FC4");
  ASSERT_TRUE(layer);
  const auto explained = compiler::explain_layer(benchmark_graph(*layer), *machine, "DLRM/FC5");
  ASSERT_FALSE(explained);
  EXPECT_EQ(explained.error().code, "GEN0041");
}

}  // namespace
}  // namespace covenant
