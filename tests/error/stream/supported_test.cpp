/// Machines with features that the stream family does not support: ACG0051.
#include "compiler/families/stream/supported.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <utility>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "acg/lang/print.h"
#include "compiler/driver/pipeline.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

acg::Machine machine_of(const std::string& name) {
  const Result<acg::Machine> machine = acg::load_machine(name);
  check(bool{machine}, "a builtin machine");
  return *machine;
}

TEST(Supported, NoFeatureThatChangesCycles) {
  EXPECT_TRUE(check_supported(machine_of("genesys:03")));
  acg::Machine machine = machine_of("genesys:03");
  machine.memories[2].accesses = 4;
  const Status status = check_supported(machine);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "ACG0051");
  EXPECT_EQ(status.error().offending, "4");
  test::GraphMaker maker(1, DType::kU8);
  const Result<acg::Program> program =
      compile_graph(maker.finish(maker.clip(maker.input({1, 4, 2, 2}))), machine, "model");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "ACG0051");
}

TEST(Supported, NoOptimisationOfPacketsCanBeLeftOut) {
  test::GraphMaker maker(1, DType::kU8);
  const srdfg::Graph graph = maker.finish(maker.clip(maker.input({1, 4, 2, 2})));
  CompileOptions options;
  options.optimisations.unroll = false;
  const Result<acg::Program> program = compile_graph(graph, machine_of("genesys:03"), "model", options);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "GEN0060");
  EXPECT_EQ(program.error().offending, "unroll");
  EXPECT_EQ(program.error().subject, "genesys");
}

/// GeneSys with part of a mnemonic replaced.
acg::Machine edited(const std::string& mnemonic, const std::string& from, const std::string& to) {
  std::string text = acg::print(machine_of("genesys:8x8"));
  const size_t at = text.find(from, text.find("mnemonic " + mnemonic + "("));
  check(at != std::string::npos, "a text that the machine has");
  text.replace(at, from.size(), to);
  const Result<acg::Machine> machine = acg::parse_machine(text, "edited.acg");
  check(bool{machine}, machine ? "" : render(machine.error()));
  return *machine;
}

TEST(Supported, FieldsThatAreTooNarrowAreNamedBeforeAnythingIsEmitted) {
  struct Case {
    std::string mnemonic, from, to, field, offending, allowed;
  };
  for (const Case& c :
       {Case{"FILL", "\"BYTE\", 8", "\"BYTE\", 4", "BYTE", "0..15 in 4 bits", "0..255"},
        Case{"LOOP", "\"LEVEL\", 6", "\"LEVEL\", 2", "LEVEL", "0..3 in 2 bits", "0..6"},
        Case{"TRIP", "\"LEVEL\", 6", "\"LEVEL\", 4", "LEVEL", "0..15 in 4 bits", "0..16"},
        Case{"MOVE", "\"DST\", 5", "\"DST\", 4", "DST", "0..15 in 4 bits", "0..31"},
        Case{"IMM_LOW", "\"VALUE\", 16", "\"VALUE\", 12", "VALUE", "2 parts of 12 bits", "32 bits together"},
        Case{"SET_BASE_ADDR", "\"ADDRESS\", 16", "\"ADDRESS\", 15", "ADDRESS", "2 parts of 15 bits",
             "32 bits together"},
        Case{"SET_BASE_ADDR", ",\"HIGH\"", "", "ADDRESS", "1 parts of 16 bits", "32 bits together"},
        Case{"STRIDE", "\"VALUE\", 16", "\"VALUE\", 4", "VALUE", "2 parts of 4 bits", ""},
        Case{"LOAD", "\"RUN_LAST\", 16", "\"RUN_LAST\", 5", "RUN_LAST", "runs of up to 32 bytes",
             "64 bytes or more"}}) {
    const Status status = check_runnable(edited(c.mnemonic, c.from, c.to));
    ASSERT_FALSE(status) << c.mnemonic;
    EXPECT_EQ(status.error().code, "GEN0017");
    EXPECT_EQ(status.error().subject, "mnemonic " + c.mnemonic + ", field " + c.field);
    EXPECT_EQ(status.error().offending, c.offending);
    if (!c.allowed.empty()) {
      EXPECT_EQ(status.error().allowed, std::vector<std::string>{c.allowed});
    }
    EXPECT_FALSE(status.error().fix.empty());
  }
  EXPECT_TRUE(check_runnable(edited("LIMIT", "\"LIMIT\", 16", "\"LIMIT\", 9"))) << "a limit of the search";
}

TEST(Supported, WordsNameAllEnginesAndScratchpads) {
  for (const auto& [mnemonic, name] : {std::pair{"GROUP", "DRAM->BBUF"}, {"WAIT", "OBUF"}, {"POST", "OBUF"}}) {
    const Status status = check_runnable(edited(mnemonic, fmt::format(",\"{}\"", name), ""));
    ASSERT_FALSE(status) << mnemonic;
    EXPECT_EQ(status.error().code, "GEN0018");
    EXPECT_EQ(status.error().subject, std::string("mnemonic ") + mnemonic);
    EXPECT_EQ(status.error().offending, name);
  }
}

TEST(Supported, PublishedDesignsOfFourAndEightBitsRun) {
  for (const std::string design : {"genesys:01", "genesys:03", "genesys:08"}) {
    const acg::Machine machine = machine_of(design);
    EXPECT_TRUE(check_supported(machine)) << design;
    EXPECT_TRUE(check_runnable(machine)) << design;
  }
}

/// The machine `genesys` with a line changed.
acg::Machine changed(const std::string& from, const std::string& to) {
  const Result<acg::Machine> machine = acg::load_machine("genesys:8x8");
  check(bool{machine}, "a builtin machine");
  std::string text = acg::print(*machine);
  const size_t at = text.find(from);
  check(at != std::string::npos, "the machine has the line: " + from);
  text.replace(at, from.size(), to);
  const Result<acg::Machine> made = acg::parse_machine(text, "changed.acg");
  check(bool{made}, made ? "" : render(made.error()));
  return *made;
}

Result<acg::Program> mean_on(const acg::Machine& machine) {
  test::GraphMaker maker(1, DType::kU8);
  return compile_graph(maker.finish(maker.mean(maker.input({1, 4, 2, 2}))), machine, "model");
}

TEST(Supported, ACoreWithoutPacketsIsRefused) {
  const Result<acg::Machine> machine = acg::load_machine("hvx_paper");
  ASSERT_TRUE(machine);
  const Result<acg::Program> made = mean_on(*machine);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().code, "");
}

TEST(Supported, WhatNoProgramCanRunOnIsRefusedWhenCompiled) {
  const Result<acg::Program> unfetched = mean_on(changed("edge DRAM -> IMEM { bandwidth = 64; }", ""));
  ASSERT_FALSE(unfetched);
  EXPECT_EQ(unfetched.error().code, "GEN0016");
  const std::string spare = "compute EXTRA { unit = described; (i32,1) = MOVE((i32,1)); } edge VMEM1 -> EXTRA; ";
  const Result<acg::Program> described = mean_on(changed("edge IMM -> SIMD", spare + "edge IMM -> SIMD"));
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().code, "GEN0016");
  EXPECT_EQ(described.error().subject, "compute EXTRA");
  const Result<acg::Program> without_scalars = mean_on(changed("edge IMM -> SIMD;", ""));
  ASSERT_FALSE(without_scalars);
  EXPECT_EQ(without_scalars.error().code, "GEN0010");
  EXPECT_EQ(without_scalars.error().fix, "give the machine such a memory, and an edge from it to SIMD");
}

/// A SIMD array that can also make bytes changes nothing where the systolic array multiplies 16 bits.
TEST(Supported, CapabilitiesOfOneUnitAloneDoNotDecideTheWidth) {
  std::string text = acg::print(*acg::load_machine("genesys:8x8", {{"bits", "16"}}));
  const size_t at = text.find("(i16,8) = REQUANT(");
  check(at != std::string::npos, "the machine has the capability");
  text.insert(at, "(u8,8) = REQUANT((i32,8),(f32,8)) { latency = 5; } ");
  const Result<acg::Machine> machine = acg::parse_machine(text, "more.acg");
  ASSERT_TRUE(machine) << render(machine.error());
  const Result<acg::Program> made = mean_on(*machine);
  EXPECT_TRUE(made) << render(made.error());
}

}  // namespace
}  // namespace covenant::compiler
