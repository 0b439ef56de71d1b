/// Statistics and trace out of records: those that the SystemC model counts while it runs.
#include "runtime/statistics_from_records.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "runtime/image.h"
#include "sim/simulate.h"

namespace covenant::runtime {
namespace {

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.error()));
  return std::move(*result);
}

void expect_counted_again(const acg::Machine& machine) {
  const acg::Program program =
      value_of(compiler::compile(COVENANT_SOURCE_DIR "/examples/01_digits/digits_qdq.onnx", machine));
  std::vector<uint8_t> memory = initial_image(program);
  const sim::SimulateResult counted = value_of(sim::simulate(program, memory, {.records = true, .trace = true}));
  std::vector<rtl::BlockTimes> times;
  for (const sim::BlockStatistics& block : counted.statistics.blocks) times.push_back({block.start, block.done});
  const StatisticsFromRecords again = statistics_from_records(program, counted.records, times);
  sim::Statistics expected = counted.statistics;  // what records say nothing about is not there
  expected.accesses.clear();
  expected.offchip.clear();
  expected.operations.clear();
  expected.block_accesses.clear();
  expected.block_offchip.clear();
  EXPECT_EQ(sim::to_json(again.statistics), sim::to_json(expected));
  EXPECT_TRUE(trace_of(program, counted.records, again) == counted.trace);
}

acg::Machine genesys(const std::vector<std::pair<std::string, std::string>>& settings) {
  return value_of(acg::load_machine("genesys", settings));
}

TEST(StatisticsFromRecords, IsWhatTheModelCounts) {
  expect_counted_again(genesys({{"M", "3"}, {"N", "4"}}));
  expect_counted_again(genesys({{"M", "16"}, {"N", "16"}}));
  expect_counted_again(genesys({{"M", "5"}, {"N", "2"}, {"axi", "32"}, {"dram_latency", "1"}}));
}

TEST(StatisticsFromRecords, KnowsSharedBuses) {
  acg::Machine machine = genesys({{"M", "8"}, {"N", "8"}});
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (engine.edge) machine.edges[*engine.edge].bus = "memory";
  }
  expect_counted_again(machine);
}

}  // namespace
}  // namespace covenant::runtime
