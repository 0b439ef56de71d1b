#include <cmath>
#include <gtest/gtest.h>

#include "acg/base/check.h"
#include "acg/graph/element_types.h"
#include "acg/graph/queries.h"
#include "acg/lang/evaluate.h"
#include "acg/lang/parser.h"
#include "acg/lang/print.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::parsed;
using testing::with;

int64_t value_of(std::string_view text, const std::map<std::string, int64_t>& parameters = {}) {
  return lang::evaluate(lang::parse_expression(text, "f"), parameters);
}

TEST(Expressions, PowersAndRemainders) {
  EXPECT_EQ(value_of("2 ^ 10"), 1024);
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 512) << "powers group from the right";
  EXPECT_EQ(value_of("-2 ^ 2"), -4) << "and bind closer than a sign";
  EXPECT_EQ(value_of("(-2) ^ 3"), -8);
  EXPECT_EQ(value_of("0 ^ 0"), 1);
  EXPECT_EQ(value_of("(-1) ^ 9223372036854775807"), -1);
  EXPECT_EQ(value_of("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value_of("1 + -0x8000000000000000 + 1"), INT64_MIN + 2);
  EXPECT_EQ(value_of("17 % 5"), 2);
  EXPECT_EQ(value_of("-17 % 5"), -2);
}

TEST(Expressions, Functions) {
  EXPECT_EQ(value_of("ceil_div(7, 2)"), 4);
  EXPECT_EQ(value_of("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value_of("ceil_div(8, 2)"), 4);
  EXPECT_EQ(value_of("clog2(1)"), 0);
  EXPECT_EQ(value_of("clog2(1024)"), 10);
  EXPECT_EQ(value_of("clog2(1025)"), 11);
  EXPECT_EQ(value_of("clog2(9223372036854775807)"), 63);
  EXPECT_EQ(value_of("min(3, 1, 2) + max(5)"), 6);
}

TEST(Expressions, ComparisonsAndChoices) {
  EXPECT_EQ(value_of("(1 < 2) + (2 <= 2) + (3 > 2) + (2 >= 3) + (1 == 1) + (1 != 1)"), 4);
  EXPECT_EQ(value_of("M > 4 ? 10 : M == 4 ? 20 : 30", {{"M", 4}}), 20);
  EXPECT_EQ(value_of("M == 0 ? 0 : 8 / M", {{"M", 0}}), 0) << "only one side is computed";
  EXPECT_EQ(value_of("true + true + false"), 2);
}

TEST(Expressions, Decimals) {
  const auto real = [](std::string_view text) { return lang::evaluate_real(lang::parse_expression(text, "f"), {}); };
  EXPECT_EQ(real("1.5 * 3 - 0.25 / 2"), 4.375);
  EXPECT_EQ(real("-2.5e-3"), -0.0025);
  EXPECT_EQ(real("7 / 2"), 3.5) << "not as whole numbers";
  EXPECT_EQ(real("clog2(9) > 3 ? 1.25 : 2"), 1.25);
}

TEST(Parameters, TypesAndRanges) {
  const std::string text =
      with("param M = 4;", "param M : int in 1..2 ^ 4 = 4; param B : bool = M == 4; param A in [8, 16] = 16;");
  EXPECT_EQ(parsed(text).parameters, (std::map<std::string, int64_t>{{"M", 4}, {"N", 8}, {"B", 1}, {"A", 16}}));
  EXPECT_EQ(parsed(text, "", {{"M", "16"}, {"B", "true"}, {"A", "8"}}).parameters.at("A"), 8);
}

/// Expressions see which of its names a parameter has; the machine keeps what they have made of it.
TEST(Parameters, OfNames) {
  const std::string text =
      with("param M = 4;", "param mode : name in [slow, fast] = slow; param M = mode.fast ? 16 : 4;");
  EXPECT_EQ(parsed(text).parameters, (std::map<std::string, int64_t>{{"M", 4}, {"N", 8}}));
  const Machine fast = parsed(text, "", {{"mode", "fast"}});
  EXPECT_EQ(fast.parameters.at("M"), 16);
  EXPECT_EQ(parsed(print(fast)), fast);
  const Machine machine = parsed(R"(acg loops {
    param mode : name in [one, two] = two;
    preset "first" { mode = one; }
    for never in 1..mode.one { memory ONE { } }
    for depth, turns in [(8, mode.two)] { for once in 1..turns { memory TWO { depth = depth; } } }
  })");
  ASSERT_EQ(machine.memories.size(), 1U);
  EXPECT_EQ(machine.memories[0].depth, 8U);
}

TEST(Loops, RangesAndLists) {
  const Machine machine = parsed(R"(acg loops {
    param COUNT = 3;
    for i in 0..COUNT - 1 { memory BANK$i { depth = 2 ^ i; } }
    for name, size in [("A", COUNT), ("B", 2 * COUNT)] { memory $(name)_BUF { depth = size; } }
    for i in [1, 2] { for j in i..2 { memory M$(i)x$j { depth = 10 * i + j; } } }
    for i in 5..4 { memory NEVER { } }
  })");
  std::vector<std::string> found;
  for (const Memory& memory : machine.memories) found.push_back(memory.name + "=" + std::to_string(memory.depth));
  EXPECT_EQ(found, (std::vector<std::string>{"BANK0=1", "BANK1=2", "BANK2=4", "A_BUF=3", "B_BUF=6", "M1x1=11",
                                             "M1x2=12", "M2x2=22"}));
}

TEST(Loops, FamiliesOfMnemonics) {
  const Machine machine = parsed(R"(acg family {
    for name, code in [("LOW", 8), ("HIGH", 9)] {
      mnemonic FILL_$name(code) { constant("IS_$name", 4, code - 8); ifield("BYTE", 8) = value; does = dma.fill; }
    }
  })");
  ASSERT_EQ(machine.mnemonics.size(), 2U);
  EXPECT_EQ(machine.mnemonics[1].name, "FILL_HIGH");
  EXPECT_EQ(machine.mnemonics[1].opcode, 9U);
  EXPECT_EQ(machine.mnemonics[1].fields[0].name, "IS_HIGH");
  EXPECT_EQ(machine.mnemonics[1].fields[0].constant, 1U);
}

TEST(Loops, FollowSettings) {
  const std::string text = "acg m { param C = 1; for i in 1..C { memory A$i { } } }";
  EXPECT_EQ(parsed(text, "", {{"C", "5"}}).memories.size(), 5U);
  EXPECT_EQ(parsed(text, "", {{"C", "0"}}).memories.size(), 0U);
}

TEST(Includes, StatementsAndWholeMachines) {
  const lang::ReadInclude read = [](const std::string& from, const std::string& written) -> Result<lang::IncludedText> {
    if (written == "parts.acg") return lang::IncludedText{"parts.acg", "memory B { depth = SIZE; }"};
    if (written == "whole.acg") return lang::IncludedText{"whole.acg", "acg other { param SIZE = 7; memory C { } }"};
    return lang::no_includes(from, written);
  };
  const Result<Machine> machine = parse_machine("acg m { include \"whole.acg\"; memory A { } include \"parts.acg\"; }",
                                                "main.acg", "", {{"SIZE", "9"}}, read);
  ASSERT_TRUE(machine) << render(machine.error());
  EXPECT_EQ(machine->name, "m");
  ASSERT_EQ(machine->memories.size(), 3U);
  EXPECT_EQ(machine->memories[0].name, "C");
  EXPECT_EQ(machine->memories[2].depth, 9U);
  EXPECT_EQ(machine->memories[2].where.file, "parts.acg");
}

TEST(Includes, ABuiltinMachineAsABase) {
  const Result<Machine> machine =
      parse_machine("acg mine { include \"genesys.acg\"; memory EXTRA { depth = M; } }", "mine.acg", "8x8");
  ASSERT_TRUE(machine) << render(machine.error());
  EXPECT_EQ(machine->computes, testing::genesys("8x8").computes);
  EXPECT_EQ(get(*machine, find_memory(*machine, "EXTRA").value()).depth, 8U);
}

TEST(ElementTypes, BytesByThemselvesAndPacked) {
  EXPECT_EQ(bytes(DType::kI32), 4U);
  EXPECT_EQ(bytes(DType::kBF16), 2U);
  EXPECT_EQ(bytes(DType::kI4), 1U);
  EXPECT_EQ(packed_bytes(DType::kI4, 6), 3U);
  EXPECT_EQ(packed_bytes(DType::kU4, 7), 4U);
  EXPECT_EQ(packed_bytes(DType::kI16, 3), 6U);
  EXPECT_THROW((void)bytes(DType::kFixed), InternalError);
  EXPECT_EQ(dtype_named("i4"), std::optional(DType::kI4));
  EXPECT_EQ(dtype_named("bf16"), std::nullopt) << "no tensor is made of these";
  EXPECT_EQ(capability_dtype_named("i4"), std::optional(DType::kI4));
  EXPECT_EQ(capability_dtype_named("fixed"), std::nullopt);
}

TEST(ElementTypes, TextAndBits) {
  const Machine machine = parsed(R"(acg types {
    dtype f8e4m3 { bits = 8; }
    memory M { depth = 4; }
    compute C { unit = described; (fixed(4,12),2) = MUL((f8e4m3,2),(i4,2)); }
    edge M -> C;
  })");
  const Capability& capability = machine.computes[0].capabilities[0];
  EXPECT_EQ(element_type_text(capability.output), "fixed(4,12)");
  EXPECT_EQ(element_bits(machine, capability.output), 16U);
  EXPECT_EQ(element_bits(machine, capability.inputs[0]), 8U);
  EXPECT_EQ(element_bits(machine, capability.inputs[1]), 4U);
  EXPECT_EQ(element_type_of(machine, "fixed(4,12)").value().format, capability.output.format);
  EXPECT_EQ(element_type_of(machine, "fixed(4, 12)"), std::nullopt);
  EXPECT_EQ(element_type_of(machine, "fixed(04,12)"), std::nullopt);
}

TEST(Documents, CommentsAndLayout) {
  const std::string text = R"(# First.
acg   m{   # the name
param A=1 ;param B = -A*(2+3);   # two


  # Alone.
      memory M {kind=scratchpad; depth= A ; }
for i in 0..1{memory X$i { depth=i+1; } }
}
# Last.)";
  const lang::MachineSpec spec = lang::parse_spec(text, "f");
  EXPECT_EQ(print(spec), R"(# First.
acg m {  # the name
  param A = 1; param B = -A * (2 + 3);  # two

  # Alone.
  memory M { kind = scratchpad; depth = A; }
  for i in 0..1 { memory X$i { depth = i + 1; } }
}
# Last.
)");
  EXPECT_EQ(parsed(print(spec)), parsed(text));
}

}  // namespace
}  // namespace covenant::acg
