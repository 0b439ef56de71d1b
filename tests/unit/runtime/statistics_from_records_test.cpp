/// Statistics and trace out of records: those that the SystemC model counts while it runs.
#include "sim/run/statistics_from_records.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "offchip/make_model.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"
#include "sim/trace/perfetto.h"
#include "tests/support/folders.h"

namespace covenant::runtime {
namespace {

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(render(result.error()));
  return std::move(*result);
}

void expect_counted_again(const acg::Machine& machine, const std::string& model = "fixed") {
  const acg::Program program =
      value_of<acg::Program>(compiler::compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine));
  std::vector<uint8_t> memory = initial_image(program);
  const sim::SimulateResult counted =
      value_of(sim::simulate(program, memory, {.records = true, .trace = true, .memory = model}));
  std::vector<sim::BlockTimes> times;
  for (const sim::BlockStatistics& block : counted.statistics.blocks) times.push_back({block.start, block.done});
  const sim::StatisticsFromRecords again = sim::statistics_from_records(program, counted.records, times);
  sim::Statistics expected = counted.statistics;  // statistics that cannot be derived from records are missing
  expected.memories.clear();
  expected.accesses.clear();
  expected.offchip.clear();
  expected.operations.clear();
  expected.block_accesses.clear();
  expected.block_offchip.clear();
  EXPECT_EQ(sim::to_json(again.statistics), sim::to_json(expected));
  // Records contain nothing about memories: their tracks come after all others.
  const std::string trace = sim::perfetto_trace(again.tracks, again.slices, again.flows);
  EXPECT_TRUE(counted.trace.starts_with(trace.substr(0, trace.rfind("\n]}"))));
  EXPECT_EQ(counted.trace == trace, model == "fixed");
}

acg::Machine genesys(const std::vector<std::pair<std::string, std::string>>& settings) {
  return value_of(acg::load_machine("genesys", settings));
}

TEST(StatisticsFromRecords, IsWhatTheModelCounts) {
  expect_counted_again(genesys({{"M", "3"}, {"N", "4"}}));
  expect_counted_again(genesys({{"M", "16"}, {"N", "16"}}));
  expect_counted_again(genesys({{"M", "5"}, {"N", "2"}, {"axi", "32"}, {"dram_latency", "1"}}));
}

TEST(StatisticsFromRecords, KnowsWhatWaitsForAMemory) {
  for (const std::string& memory : offchip::memory_names()) {
    expect_counted_again(genesys({{"M", "3"}, {"N", "4"}}), memory);
    expect_counted_again(genesys({{"M", "32"}, {"N", "32"}, {"axi", "256"}}), memory);
  }
}

TEST(StatisticsFromRecords, KnowsSharedBuses) {
  acg::Machine machine = genesys({{"M", "8"}, {"N", "8"}});
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (engine.edge) machine.edges[*engine.edge].bus = "memory";
  }
  for (const std::string& memory : offchip::memory_names()) expect_counted_again(machine, memory);
}

}  // namespace
}  // namespace covenant::runtime
