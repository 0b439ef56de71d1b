/// The cost model against the SystemC model: cycles of every benchmark layer and of every layer of the digits models.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/benchmarks/bound.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/driver/pipeline.h"
#include "runtime/session/session.h"
#include "tests/support/folders.h"

namespace covenant {
namespace {

acg::Machine machine_of(const std::string& name) {
  const Result<acg::Machine> machine = acg::load_machine(name, {});
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

/// Cycles of a program, without its values.
Result<runtime::RunResult> cycles_of(const acg::Program& program) {
  const Result<runtime::Session> session = runtime::Session::open(program, "systemc");
  if (!session) return session.error();
  std::vector<runtime::Tensor> inputs;
  for (const acg::TensorBinding& input : program.inputs) {
    const DType dtype = input.host_quantizes ? DType::kF32 : input.dtype;
    const uint64_t elements = std::accumulate(input.shape.begin(), input.shape.end(), uint64_t{1}, std::multiplies<>());
    inputs.push_back({input.name, dtype, input.shape, std::vector<uint8_t>(elements * bytes(dtype))});
  }
  runtime::SessionOptions options;
  options.device.values = false;
  return session->run(inputs, options);
}

/// Predictions against what was simulated, as factors.
class Errors {
 public:
  /// Each is off by at most `limit`.
  explicit Errors(double limit) : limit_(std::log(limit)) {}

  void add(const std::string& what, uint64_t predicted, uint64_t simulated) {
    const double error = std::abs(std::log(static_cast<double>(predicted) / static_cast<double>(simulated)));
    EXPECT_LE(error, limit_) << what << ": " << predicted << ", not " << simulated;
    sum_ += error;
    ++rows_;
  }
  size_t rows() const { return rows_; }
  double sum() const { return sum_; }
  double mean() const { return std::exp(sum_ / static_cast<double>(rows_)); }

 private:
  double limit_ = 0;
  double sum_ = 0;
  size_t rows_ = 0;
};

uint64_t words_of(const acg::Program& program) {
  uint64_t words = 0;
  for (const acg::Block& block : program.blocks) words += block.words;
  return words;
}

/// Beside the prediction, the bound: nothing can be faster.
void compare_benchmark_layers(const acg::Machine& machine, const std::string& name, Errors& errors) {
  for (const compiler::BenchmarkLayer& layer : compiler::benchmark_layers()) {
    const auto explained = compiler::explain_benchmark(layer.name, machine);
    ASSERT_TRUE(explained) << render(explained.error());
    const Result<acg::Program> program = compiler::compile_layer(layer.name, machine);
    ASSERT_TRUE(program) << render(program.error());
    const Result<runtime::RunResult> result = cycles_of(*program);
    ASSERT_TRUE(result) << render(result.error());
    const compiler::Prediction& best = explained->alternatives.at(0).search.value().simulated.at(0).prediction;
    errors.add(layer.name + " on " + name, best.cycles, result->cost.cycles);
    EXPECT_LE(bound_of(layer, machine, words_of(*program)).cycles, result->cost.cycles) << layer.name << " on " << name;
  }
}

/// A layer of a model runs as predicted once its words are there: they are fetched while the layer before it runs.
void compare_digits_layers(const std::string& model, const acg::Machine& machine, const std::string& name,
                           Errors& errors) {
  const std::string path = source_folder() + "/examples/01_digits/" + model + ".onnx";
  compiler::CompileOptions options;
  options.fusion = false;  // an explanation is for one layer
  const Result<acg::Program> program = compiler::compile(path, machine, options);
  ASSERT_TRUE(program) << render(program.error());
  const Result<runtime::RunResult> result = cycles_of(*program);
  ASSERT_TRUE(result) << render(result.error());
  for (const sim::BlockStatistics& block : result->cost.statistics.blocks) {
    const auto explained = compiler::explain_model(path, machine, block.layer, options);
    ASSERT_TRUE(explained) << render(explained.error());
    const compiler::Prediction& best = explained->alternatives.at(0).search.value().simulated.at(0).prediction;
    errors.add(fmt::format("{} {} on {}", model, block.layer, name), best.cycles - best.fetch,
               block.done - block.start);
  }
}

void expect_near(const std::vector<std::pair<std::string, acg::Machine>>& machines) {
  Errors benchmarks(1.15);
  Errors digits(1.25);
  for (const auto& [name, machine] : machines) {
    compare_benchmark_layers(machine, name, benchmarks);
    for (const std::string model : {"digits_qdq", "digits_qoperator"}) {
      compare_digits_layers(model, machine, name, digits);
    }
  }
  EXPECT_EQ(benchmarks.rows(), 17 * machines.size());
  EXPECT_EQ(digits.rows(), 2 * 8 * machines.size());
  EXPECT_LE(benchmarks.mean(), 1.02);
  EXPECT_LE(digits.mean(), 1.10);
  EXPECT_LE((benchmarks.sum() + digits.sum()) / static_cast<double>(benchmarks.rows() + digits.rows()), std::log(1.08));
}

TEST(CostModel, IsNearTheSimulatedCyclesOfEveryLayer) {
  std::vector<std::pair<std::string, acg::Machine>> machines;
  for (const std::string name : {"dnnweaver", "genesys:16x16", "genesys:03", "genesys:07"}) {
    machines.emplace_back(name, machine_of(name));
  }
  expect_near(machines);
}

/// The machine with these edges of off-chip memory on one bus; none: all but that of the words.
acg::Machine sharing(acg::Machine machine, const std::string& bus, const std::vector<std::string>& edges) {
  size_t found = 0;
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (!engine.edge || (!edges.empty() && std::find(edges.begin(), edges.end(), engine.name) == edges.end())) continue;
    machine.edges[*engine.edge].bus = bus;
    ++found;
  }
  check(edges.empty() ? found > 1 : found == edges.size(), "a bus of edges that the machine has not");
  return machine;
}

TEST(CostModel, IsNearTheSimulatedCyclesWhereEdgesShareBuses) {
  const acg::Machine two = sharing(machine_of("genesys:16x16"), "loads", {"DRAM->IBUF", "DRAM->WBUF"});
  expect_near({{"dnnweaver with one bus", sharing(machine_of("dnnweaver"), "memory", {})},
               {"genesys:16x16 with two buses", sharing(two, "sums", {"DRAM->BBUF", "OBUF->DRAM"})},
               {"genesys:03 with one bus", sharing(machine_of("genesys:03"), "memory", {})},
               {"genesys:07 with inputs and sums on a bus",
                sharing(machine_of("genesys:07"), "both", {"DRAM->IBUF", "OBUF->DRAM"})}});
}

/// Waits of a transfer for another one's burst: the prediction depends on the machine's bursts as its cycles do.
TEST(CostModel, FollowsTheLengthOfBursts) {
  const auto bursts = [](uint32_t beats) {
    acg::Machine machine = sharing(machine_of("genesys:16x16"), "memory", {});
    for (acg::Edge& edge : machine.edges) edge.burst = beats;
    return machine;
  };
  expect_near({{"bursts of 1", bursts(1)}, {"bursts of 256", bursts(256)}});
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
