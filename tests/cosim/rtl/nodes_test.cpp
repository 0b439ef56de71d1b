/// Machines with two nodes of a kind: layers and programs that both share, in lock step.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/pipeline/pair_machine.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

/// Some pass or nest of one node is under way while one of the other is.
bool are_busy_at_once(const acg::Program& program, std::vector<uint8_t> memory, const std::string& one,
                      const std::string& other) {
  const auto first = acg::find_engine(acg::engines(program.machine), one);
  const auto second = acg::find_engine(acg::engines(program.machine), other);
  if (!first || !second) return false;
  const std::vector<acg::RetireRecord> records = sim::simulate(program, memory, {.records = true})->records;
  const auto is_work = [](const acg::RetireRecord& record) { return record.retire > record.issue + 1; };
  return std::any_of(records.begin(), records.end(), [&](const acg::RetireRecord& a) {
    return a.engine == *first && is_work(a) && std::any_of(records.begin(), records.end(), [&](const auto& b) {
             return b.engine == *second && is_work(b) && a.issue < b.retire && b.issue < a.retire;
           });
  });
}

struct Shares {
  int layers = 0;
  int arrays = 0;  ///< blocks that use both systolic arrays at once
  int simds = 0;   ///< blocks that use both SIMD arrays at once
};

Shares run_layers(const acg::Machine& machine, uint64_t seed, uint64_t count) {
  const Model model = model_of(machine);
  Shares shares;
  for (uint64_t l = 0; l < count; ++l) {
    SCOPED_TRACE(fmt::format("seed {} layer {}", seed, l));
    const runtime::RandomLayer layer = runtime::random_layer(seed, l, machine);
    const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (!program) continue;
    const std::vector<uint8_t> image = *runtime::image_of(*program, layer.inputs);
    EXPECT_EQ(lockstep(model, *program, image), Outcome::kSame) << layer.graph.name;
    ++shares.layers;
    shares.arrays += are_busy_at_once(*program, image, "SA1", "SA2") ? 1 : 0;
    shares.simds += are_busy_at_once(*program, image, "SIMD1", "SIMD2") ? 1 : 0;
  }
  fmt::print("{} layers, {} of them with both systolic arrays at once, {} with both SIMD arrays\n", shares.layers,
             shares.arrays, shares.simds);
  return shares;
}

TEST(TwoSimdArrays, RunLayersInLockStep) {
  const Shares shares = run_layers(test::pair_machine({3, 4, 1, 2, 64, 32, 64, 1024}), 7, 80);
  EXPECT_GE(shares.layers, 60);
  EXPECT_GE(shares.simds, 5);
}

TEST(TwoSystolicArrays, RunLayersInLockStep) {
  const Shares shares = run_layers(test::pair_machine({3, 4, 2, 2, 64, 32, 64, 1024}), 7, 80);
  EXPECT_GE(shares.layers, 60);
  EXPECT_GE(shares.arrays, 20);
}

/// Two arrays with a memory in common, chosen by `shares`.
void expect_common_memories_to_serve(bool test::PairSizes::* shares) {
  test::PairSizes sizes{3, 4, 2, 2, 64, 32, 64, 1024};
  sizes.*shares = true;
  const Shares found = run_layers(test::pair_machine(sizes), 7, 30);
  EXPECT_GE(found.layers, 20);
  EXPECT_GE(found.arrays, 5);
}

TEST(TwoSystolicArrays, ShareAWeightMemory) { expect_common_memories_to_serve(&test::PairSizes::shares_weights); }

TEST(TwoSystolicArrays, CrossBiasAndOutputMemories) { expect_common_memories_to_serve(&test::PairSizes::crosses_sums); }

}  // namespace
}  // namespace covenant::rtl
