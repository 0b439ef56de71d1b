/// Random machines: compiled random layers, with searched schedules and with edited, unlikely ones, and random
/// programs, both models in lock step.
///
/// COVENANT_SEED draws other machines; COVENANT_FIRST and COVENANT_MACHINES select some of them.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "fuzz/random_machine.h"
#include "offchip/make_model.h"
#include "runtime/session/image.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/pipeline/edited_schedule.h"
#include "tests/support/refusals.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

constexpr uint64_t kLayers = 20, kPrograms = 40;
// Percent. Programs take no account of how small a buffer is.
const std::map<std::string, uint64_t> kRefusedLayers{{"CDL0040", 3}, {"CDL0051", 3}, {"CDL0052", 3}, {"CDL0053", 3},
                                                     {"CDL0054", 3}, {"CDL0060", 3}, {"GEN0005", 3}};
/// The bias memory of some machines has no room for the tiles of most programs.
const std::map<std::string, uint64_t> kRefusedPrograms{{"SIM0030", 40}};

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Without COVENANT_MACHINES: small ones whose lanes are half, twice, six and seven times the columns; 5 has a memory
/// on the way and latencies of edges, the last a second systolic array.
std::vector<uint64_t> chosen_machines() {
  if (std::getenv("COVENANT_MACHINES") == nullptr) return {3, 4, 5, 6, 7};
  std::vector<uint64_t> machines(number("COVENANT_MACHINES", 0));
  std::iota(machines.begin(), machines.end(), number("COVENANT_FIRST", 0));
  return machines;
}

TEST(RandomMachines, LayersAndProgramsInLockStep) {
  const uint64_t seed = number("COVENANT_SEED", 7);
  test::Refusals layers_drawn;
  test::Refusals programs_drawn;
  for (const uint64_t m : chosen_machines()) {
    SCOPED_TRACE(fmt::format("seed {} machine {}", seed, m));
    const acg::Machine machine = runtime::random_machine(seed, m).machine;
    const Model model = model_of(machine);
    std::mt19937 draws(static_cast<uint32_t>(seed + m));
    uint64_t layers = 0;
    uint64_t edited = 0;
    uint64_t programs = 0;
    for (uint64_t l = 0; l < kLayers; ++l) {
      SCOPED_TRACE(fmt::format("layer {}", l));
      const runtime::RandomLayer layer = runtime::random_layer(seed, m * kLayers + l, machine);
      const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
      if (!program) {
        layers_drawn.refused(program.error());
        continue;
      }
      const Outcome outcome = lockstep(model, *program, *runtime::image_of(*program, layer.inputs));
      ASSERT_EQ(outcome, Outcome::kSame) << layer.graph.name;
      layers_drawn.compared();
      ++layers;
      // The same layer with an edited schedule.
      compiler::CompileOptions options;
      options.schedules = test::edited(test::searched_schedules(layer.graph, machine), draws);
      const auto other = compiler::compile_graph(layer.graph, machine, layer.graph.name, options);
      if (!other) continue;  // these tiles do not suit it
      ASSERT_EQ(lockstep(model, *other, *runtime::image_of(*other, layer.inputs)), Outcome::kSame) << "edited schedule";
      ++edited;
    }
    for (uint64_t p = 0; p < kPrograms && RandomProgram::suits(machine); ++p) {
      SCOPED_TRACE(fmt::format("program {}", p));
      RandomProgram random(machine, seed * 1'000'003 + m * kPrograms + p);
      const acg::Program program = random.program();
      Diagnostic reason;
      const Outcome outcome = lockstep(model, program, random.image(), &reason);
      ASSERT_NE(outcome, Outcome::kDifferent);
      if (outcome == Outcome::kRefused) programs_drawn.refused(reason);
      if (outcome == Outcome::kRefused) continue;
      programs_drawn.compared();
      ++programs;
    }
    fmt::print("seed {} machine {}: {} layers, {} with edited schedules, {} programs\n", seed, m, layers, edited,
               programs);
    EXPECT_GT(edited, 0U);
  }
  layers_drawn.expect_within(kRefusedLayers);
  programs_drawn.expect_within(kRefusedPrograms);
}

/// Machines with off-chip memories of their own for weights or words are among those with COVENANT_MACHINES.
TEST(RandomMachines, LayersWhateverTheMemory) {
  const uint64_t seed = number("COVENANT_SEED", 7);
  const std::vector<std::string> memories = offchip::memory_names();
  test::Refusals layers_drawn;
  for (const uint64_t m : chosen_machines()) {
    const acg::Machine machine = runtime::random_machine(seed, m).machine;
    const Model model = model_of(machine);
    for (uint64_t l = 0; l < kLayers; ++l) {
      const runtime::RandomLayer layer = runtime::random_layer(seed, m * kLayers + l, machine);
      const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
      if (!program) {
        layers_drawn.refused(program.error());
        continue;
      }
      const std::vector<uint8_t> image = *runtime::image_of(*program, layer.inputs);
      for (const std::string& memory : memories) {
        SCOPED_TRACE(fmt::format("seed {} machine {} layer {} memory {}", seed, m, l, memory));
        ASSERT_EQ(lockstep(model, *program, image, nullptr, memory), Outcome::kSame) << layer.graph.name;
      }
      layers_drawn.compared();
    }
  }
  layers_drawn.expect_within(kRefusedLayers);
}

}  // namespace
}  // namespace covenant::rtl
