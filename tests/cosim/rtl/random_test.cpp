/// Random programs on a fixed handful of machines: every retire record and every byte as the SystemC model has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "offchip/make_model.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/refusals.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

struct Case {
  const char* name;
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::pair<std::string, std::string>> buses = {};  ///< buses of engines, by name
  std::vector<std::pair<std::string, uint32_t>> bursts = {};    ///< bursts of engines, by name
};

class RandomPrograms : public ::testing::TestWithParam<Case> {};

acg::Machine machine_of(const Case& wanted) {
  auto machine = acg::load_machine("genesys", wanted.set);
  if (!machine) throw std::runtime_error(render(machine.error()));
  const std::vector<acg::Engine> engines = acg::engines(*machine);
  for (const auto& [engine, bus] : wanted.buses) {
    machine->edges[engines[acg::find_engine(engines, engine).value()].edge.value()].bus = bus;
  }
  for (const auto& [engine, burst] : wanted.bursts) {
    machine->edges[engines[acg::find_engine(engines, engine).value()].edge.value()].burst = burst;
  }
  return std::move(*machine);
}

/// `memory`: the model of off-chip memory on both sides.
void expect_same(const Case& wanted, uint64_t programs, const std::string& memory) {
  const uint64_t first_seed =
      std::getenv("COVENANT_SEED") != nullptr ? std::strtoull(std::getenv("COVENANT_SEED"), nullptr, 10) : 1;
  fmt::print("seed {}\n", first_seed);
  const acg::Machine machine = machine_of(wanted);
  const Model model = model_of(machine);
  test::Refusals drawn;
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " memory " << memory);
    RandomProgram random(machine, seed);
    const acg::Program program = random.program();
    Diagnostic reason;
    const Outcome outcome = lockstep(model, program, random.image(), &reason, memory);
    if (outcome == Outcome::kDifferent) return;
    if (outcome == Outcome::kRefused) {
      drawn.refused(reason);
    } else {
      drawn.compared();
    }
  }
  drawn.expect_within({});  // none
}

TEST_P(RandomPrograms, AgreeWithTheSystemCModel) { expect_same(GetParam(), 200, "fixed"); }

TEST_P(RandomPrograms, AgreeWhateverTheMemory) {
  for (const std::string& memory : offchip::memory_names()) expect_same(GetParam(), 40, memory);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomPrograms,
    ::testing::Values(
        Case{"Array3x4Bus128", {{"M", "3"}, {"N", "4"}}},
        Case{"Array5x2Bus32",
             {{"M", "5"}, {"N", "2"}, {"axi", "32"}, {"dram_latency", "1"}, {"axi_instruction", "32"}}},
        Case{"Array4x6Bus256",
             {{"M", "4"},
              {"N", "6"},
              {"axi", "256"},
              {"dram_latency", "13"},
              {"axi_instruction", "128"},
              {"vector_depth", "301"},
              {"weight_depth", "77"}}},
        Case{"FourBits4x6", {{"M", "4"}, {"N", "6"}, {"bits", "4"}, {"axi", "32"}}},
        Case{"FourBits6x2", {{"M", "6"}, {"N", "2"}, {"bits", "4"}, {"dram_latency", "5"}}},
        Case{"SumsOf16Bits3x4", {{"M", "3"}, {"N", "4"}, {"accumulator", "16"}, {"axi", "64"}}},
        Case{"SaturatingSumsOf16Bits4x2", {{"M", "4"}, {"N", "2"}, {"accumulator", "16"}, {"overflow", "saturate"}}},
        Case{"SaturatingSumsOf32Bits3x4", {{"M", "3"}, {"N", "4"}, {"bits", "16"}, {"overflow", "saturate"}}},
        Case{"SumsOf23Bits2x3", {{"M", "2"}, {"N", "3"}, {"bits", "16"}, {"accumulator", "23"}}},
        Case{"SixteenBits3x4", {{"M", "3"}, {"N", "4"}, {"bits", "16"}, {"axi", "64"}}},
        Case{"SixteenBits5x2", {{"M", "5"}, {"N", "2"}, {"bits", "16"}, {"axi_vector", "8"}}},
        Case{"FixedPoint3x4", {{"M", "3"}, {"N", "4"}, {"requant", "fixed"}}},
        Case{"Tflite3x4", {{"M", "3"}, {"N", "4"}, {"requant", "fixed_tflite"}}},
        Case{"TfliteSixteenBits4x2", {{"M", "4"}, {"N", "2"}, {"bits", "16"}, {"requant", "fixed_tflite"}}},
        Case{"FixedPointFourBits4x2", {{"M", "4"}, {"N", "2"}, {"bits", "4"}, {"requant", "fixed"}}},
        Case{"FixedPointSixteenBits5x3", {{"M", "5"}, {"N", "3"}, {"bits", "16"}, {"requant", "fixed"}}},
        Case{"OneBusOfAll",
             {{"M", "3"}, {"N", "4"}, {"axi", "32"}, {"axi_instruction", "64"}, {"dram_latency", "3"}},
             {{"DRAM->IBUF", "all"},
              {"DRAM->WBUF", "all"},
              {"DRAM->BBUF", "all"},
              {"DRAM->VMEM1", "all"},
              {"VMEM1->DRAM", "all"},
              {"DRAM->VMEM2", "all"},
              {"VMEM2->DRAM", "all"}}},
        Case{"TwoBuses",
             {{"M", "4"}, {"N", "3"}, {"axi", "64"}},
             {{"DRAM->IBUF", "in"},
              {"DRAM->WBUF", "in"},
              {"DRAM->VMEM1", "in"},
              {"VMEM1->DRAM", "out"},
              {"DRAM->BBUF", "out"},
              {"VMEM2->DRAM", "out"}},
             {{"DRAM->IBUF", 1}, {"DRAM->WBUF", 3}, {"VMEM1->DRAM", 40}, {"DRAM->BBUF", 2}}}),
    [](const auto& machine) { return std::string(machine.param.name); });

}  // namespace
}  // namespace covenant::rtl
