#include "acg/lang/parser.h"

#include <gtest/gtest.h>

#include "acg/isa/encode.h"
#include "acg/lang/evaluate.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg::lang {
namespace {

int64_t value_of(std::string_view text, const std::map<std::string, int64_t>& parameters = {}) {
  return evaluate(parse_expression(text, "f"), parameters);
}

TEST(Parser, Expressions) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3) << "operators of one rank group from the left";
  EXPECT_EQ(value_of("100 / 10 / 2"), 5);
  EXPECT_EQ(value_of("7 / 2"), 3) << "division truncates";
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("- - 3"), 3);
  EXPECT_EQ(value_of("M*N + 1K", {{"M", 3}, {"N", 5}}), 15 + 1024);
}

TEST(Parser, EveryStatement) {
  const MachineSpec spec = parse_spec(testing::kSmallMachine, "small.acg");
  EXPECT_EQ(spec.name.text, "small");
  EXPECT_EQ(spec.parameters.size(), 2U);
  ASSERT_EQ(spec.presets.size(), 1U);
  EXPECT_EQ(spec.presets[0].name.text, "wide");
  ASSERT_TRUE(spec.clock.has_value());
  EXPECT_EQ(spec.clock->hertz, 500e6);
  EXPECT_EQ(spec.memories.size(), 7U);
  ASSERT_EQ(spec.computes.size(), 2U);
  EXPECT_EQ(spec.computes[0].capabilities.size(), 1U);
  EXPECT_EQ(spec.computes[1].capabilities.at(0).attributes.size(), 1U);
  EXPECT_EQ(spec.edges.size(), 11U);
  EXPECT_TRUE(spec.edges.at(4).both_directions);
  ASSERT_EQ(spec.mnemonics.size(), 7U);
  EXPECT_EQ(spec.mnemonics[0].does.value_or(Word{}).text, "control.group");
  EXPECT_EQ(spec.mnemonics[0].fields.at(0).values.size(), 4U);
  EXPECT_TRUE(spec.mnemonics[2].fields.at(3).is_signed);
}

TEST(Parser, NodesKeepTheirPlaces) {
  const MachineSpec spec = parse_spec(testing::kSmallMachine, "small.acg");
  EXPECT_EQ(spec.name.where, (SourceLocation{"small.acg", 1, 5}));
  EXPECT_EQ(spec.memories[0].name.where, (SourceLocation{"small.acg", 6, 10}));
  EXPECT_EQ(spec.memories[0].attributes.at(1).value.where, (SourceLocation{"small.acg", 6, 41}));
  EXPECT_EQ(spec.computes[0].name.where, (SourceLocation{"small.acg", 12, 11}));
  EXPECT_EQ(spec.edges[0].from.where, (SourceLocation{"small.acg", 23, 8}));
  EXPECT_EQ(spec.mnemonics[0].fields.at(0).where, (SourceLocation{"small.acg", 31, 5}));
}

// Figure 6 of the Covenant paper, as printed there: fields separated by commas, no meaning given.
constexpr std::string_view kFigure6 = R"(acg paper {
  # Example: ADD #3,#0,#1, VECTOR
  mnemonic ADD(3) {
    ifield("SRC1_ADDR", 8),
    ifield("SRC2_ADDR", 8),
    ifield("DST_ADDR", 8),
    efield("TGT", 1, ["SCALAR", "VECTOR"])
  }
}
)";

TEST(Parser, AddOfThePaper) {
  const MachineSpec spec = parse_spec(kFigure6, "paper.acg");
  ASSERT_EQ(spec.mnemonics.size(), 1U);
  const MnemonicSpec& add = spec.mnemonics[0];
  EXPECT_EQ(add.name.text, "ADD");
  ASSERT_EQ(add.fields.size(), 4U);
  EXPECT_EQ(add.fields[0].name.text, "SRC1_ADDR");
  EXPECT_EQ(add.fields[2].name.text, "DST_ADDR");
  EXPECT_EQ(add.fields[3].kind, FieldKind::kEnumeration);
  EXPECT_EQ(add.fields[3].values.at(1).text, "VECTOR");
  EXPECT_FALSE(add.does.has_value());
}

/// The same mnemonic built by hand: its bits are those of the figure.
TEST(Parser, AddOfThePaperInBits) {
  Machine machine;
  Mnemonic add;
  add.name = "ADD";
  add.opcode = 3;
  add.does = Operation::kAdd;
  for (const char* name : {"SRC1_ADDR", "SRC2_ADDR", "DST_ADDR"}) {
    Field field;
    field.name = name;
    field.width = 8;
    add.fields.push_back(field);
  }
  Field target;
  target.kind = FieldKind::kEnumeration;
  target.name = "TGT";
  target.width = 1;
  target.values = {"SCALAR", "VECTOR"};
  add.fields.push_back(target);
  machine.mnemonics = {add};
  const Codec codec(machine);
  const std::vector<Codec::FieldBits> layout = codec.layout(0);
  ASSERT_EQ(layout.size(), 4U);
  EXPECT_EQ(layout[0].low, 20U);
  EXPECT_EQ(layout[1].low, 12U);
  EXPECT_EQ(layout[2].low, 4U);
  EXPECT_EQ(layout[3].low, 3U);
  const Result<InstructionWord> word = codec.assemble("ADD 3, 0, 1, VECTOR");
  ASSERT_TRUE(word) << render(word.error());
  EXPECT_EQ(*word, 0x30300018U);
  EXPECT_EQ(codec.disassemble(*word), "ADD 3, 0, 1, VECTOR");
}

}  // namespace
}  // namespace covenant::acg::lang
