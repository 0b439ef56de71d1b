/// Contexts of a vliw_core: too many, none, and faults on one of several.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "sim/run/simulate.h"
#include "sim/vliw/execute.h"
#include "tests/timing/vliw/run_together.h"

namespace covenant::sim {
namespace {

using vliw::testing::bytes_of;
using vliw::testing::Settings;

acg::ElfFile file_of(const acg::Machine& machine, const std::vector<std::string>& packets) {
  const std::vector<uint8_t> code = bytes_of(machine, packets);
  return {vliw::testing::kCode, {{vliw::testing::kCode, code.size(), code, true, false}}, {}};
}

Diagnostic refusal_of(const std::vector<std::vector<std::string>>& programs, const Settings& settings = {},
                      const ExecuteOptions& options = {}) {
  const acg::Machine machine = *acg::load_machine("hvx", settings);
  std::vector<acg::ElfFile> files;
  for (const auto& packets : programs) files.push_back(file_of(machine, packets));
  const Result<ExecuteTogetherResult> run = execute_together(files, machine, options);
  EXPECT_FALSE(run);
  return run ? Diagnostic{} : run.error();
}

const std::vector<std::string> kEnds{"{ r6 = #94; r0 = #0 }", "{ trap0(#1) }"};

TEST(VliwContexts, MoreProgramsThanThereAre) {
  const Diagnostic said = refusal_of({5, kEnds});
  EXPECT_EQ(said.code, "SIM0087") << render(said);
  EXPECT_EQ(said.offending, "5");
  EXPECT_EQ(said.allowed, (std::vector<std::string>{"1..4"}));
  const Diagnostic two = refusal_of({2, kEnds}, {{"contexts", "1"}});
  EXPECT_EQ(two.code, "SIM0087") << render(two);
  EXPECT_EQ(two.allowed, (std::vector<std::string>{"1"}));
}

TEST(VliwContexts, ImagesOnAMachineWithoutContexts) {
  acg::Program program;
  program.machine = *acg::load_machine("genesys", {});
  std::vector<std::vector<uint8_t>> memories(2);
  const Result<SimulateTogetherResult> run = simulate_together(program, memories);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "SIM0087") << render(run.error());
  EXPECT_EQ(run.error().offending, "genesys");
}

TEST(VliwContexts, AFaultNamesTheContext) {
  const Diagnostic stored = refusal_of({kEnds, {"{ nop }", "{ memw(r1+#0) = r0 }"}});
  EXPECT_EQ(stored.code, "SIM0081") << render(stored);
  EXPECT_EQ(stored.subject, "context 1: packet at 0x1004 { memw(r1+#0) = r0 }");
  // The words after its last packet are invalid.
  const Diagnostic fetched = refusal_of({{"{ nop }"}, kEnds});
  EXPECT_EQ(fetched.code, "SIM0081") << render(fetched);
  EXPECT_EQ(fetched.subject, "context 0: packet at 0x1004");
}

TEST(VliwContexts, OneThatDoesNotEnd) {
  const Diagnostic said = refusal_of({kEnds, {"{ jump 0x1000 }"}}, {}, {.max_packets = 100});
  EXPECT_EQ(said.code, "SIM0060") << render(said);
  EXPECT_EQ(said.subject, "context 1");
  EXPECT_EQ(said.offending, "100 packets");
}

TEST(VliwContexts, ATraceWithoutCycles) {
  EXPECT_EQ(refusal_of({2, kEnds}, {}, {.cycles = false, .trace = true}).code, "SIM0086");
}

TEST(VliwContexts, NumbersThatNoMachineHas) {
  for (const char* name : {"contexts", "issues", "vector_units"}) {
    for (const char* number : {"0", "5"}) {
      const Result<acg::Machine> machine = acg::load_machine("hvx", {{name, number}});
      ASSERT_FALSE(machine) << name << " = " << number;
      EXPECT_EQ(machine.error().code, "ACG0013") << render(machine.error());
      EXPECT_EQ(machine.error().offending, number);
      EXPECT_EQ(machine.error().allowed, (std::vector<std::string>{"1..4"}));
    }
    EXPECT_TRUE(acg::load_machine("hvx", {{name, "4"}}));
  }
}

}  // namespace
}  // namespace covenant::sim
