/// Off-chip memories that have no path to a role, or back from results to activations: CDL0054, GEN0013.
#include "tests/support/acg/apart.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "tests/support/acg/edges.h"
#include "tests/support/folders.h"

namespace covenant::compiler {
namespace {

using test::moved_from_dram;
using test::without_edge;
using Strings = std::vector<std::string>;

acg::Machine genesys() { return *acg::load_machine("genesys", {{"M", "4"}, {"N", "3"}}); }

Diagnostic refused_on(const acg::Machine& machine) {
  const Result<acg::Program> program = compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine);
  return program ? Diagnostic{} : program.error();
}

TEST(ApartErrors, NoMemoryReachesTheWeights) {
  acg::Machine machine = moved_from_dram(genesys(), "ROM", {"IMEM"});
  const Diagnostic said = refused_on(without_edge(std::move(machine), "DRAM", "WBUF"));
  EXPECT_EQ(said.code, "CDL0054");
  EXPECT_EQ(said.message, "no way leads from DRAM or ROM to the weight of SA");
  EXPECT_EQ(said.allowed, (Strings{"DRAM -> WBUF", "ROM -> WBUF"}));
  EXPECT_EQ(said.fix, "add `edge DRAM -> WBUF { bandwidth = 64; }`, or a way through scratchpads");
}

TEST(ApartErrors, ActivationsAreReadElsewhere) {
  // Inputs of the array come from a memory that nothing writes.
  const Diagnostic said = refused_on(moved_from_dram(genesys(), "HBM", {"IBUF"}));
  EXPECT_EQ(said.code, "CDL0054");
  EXPECT_EQ(said.message, "no way leads from DRAM to the input of SA");
  EXPECT_EQ(said.allowed, Strings{"DRAM -> IBUF"});
}

TEST(ApartErrors, ResultsDoNotComeBack) {
  acg::Machine machine = genesys();
  for (const char* memory : {"VMEM1", "VMEM2", "OBUF"}) machine = without_edge(std::move(machine), memory, "DRAM");
  const Diagnostic said = refused_on(machine);
  EXPECT_EQ(said.code, "CDL0054");
  EXPECT_EQ(said.message, "no way leads from the output of SIMD to DRAM, where results lie");
  EXPECT_EQ(said.allowed, (Strings{"VMEM1 -> DRAM", "VMEM2 -> DRAM"}));
}

TEST(ApartErrors, AMemoryThatIsTooSmallIsNamed) {
  acg::Machine machine = moved_from_dram(genesys(), "FLASH", {"WBUF", "BBUF"});
  machine.memories[acg::find_memory(machine, "FLASH")->value].depth = 64;
  const Diagnostic said = refused_on(machine);
  EXPECT_EQ(said.code, "GEN0013");
  EXPECT_EQ(said.message, "the program does not fit FLASH");
}

}  // namespace
}  // namespace covenant::compiler
