/// Tiled codelets that packet code cannot implement are refused with their reason.
#include "compiler/families/vliw/lower.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::vliw {
namespace {

/// A codelet of three tensors in memory.
std::string codelet(const std::string& tensors, const std::string& body) {
  return "cdlt one {\n" + tensors + body + "}\n";
}

Result<Code> lowered_text(const std::string& text) {
  const Result<codelet::Codelet> parsed = codelet::parse(text, "one.cdlt");
  EXPECT_TRUE(parsed) << (parsed ? "" : render(parsed.error()));
  return lowered(*parsed, *acg::load_machine("hvx"), {{"a", 0x1000}, {"b", 0x2000}, {"c", 0x3000}});
}

void expect_refused(const std::string& text, const std::string& code, const std::string& offending) {
  const Result<Code> code_of = lowered_text(text);
  ASSERT_FALSE(code_of) << text;
  EXPECT_EQ(code_of.error().code, code) << render(code_of.error());
  EXPECT_EQ(code_of.error().offending, offending);
  EXPECT_EQ(code_of.error().subject, "one");
  EXPECT_FALSE(code_of.error().fix.empty());
}

const std::string kBytes = R"(  a=inp([256],u8,"DRAM");
  b=inp([256],u8,"DRAM");
  c=out([256],u8,"DRAM");
)";

std::string maximum(const std::string& first, const std::string& size) {
  return "  c1=transfer(u8(0),\"VRF\",[128]);\n  a1=transfer(a[" + first + "],\"VRF\",[" + size +
         "]);\n  b1=transfer(b[0],\"VRF\",[128]);\n  c1=compute(\"HVX\",\"MAX\",a1,b1);\n  transfer(c1,c[0],[128]);\n";
}

TEST(Lowering, WhatIsFineIsDone) {
  const Result<Code> code = lowered_text(codelet(kBytes, maximum("128", "128")));
  EXPECT_TRUE(code) << (code ? "" : render(code.error()));
}

TEST(Lowering, ATilePastItsTensor) {
  expect_refused(codelet(kBytes, maximum("129", "256")), "GEN0052", "a[129], dimension 0: 129..384");
}

/// Elements after the last one are in the register, too, and unused.
TEST(Lowering, ARegisterThatBeginsInItsTensor) {
  const Result<Code> code = lowered_text(codelet(kBytes, maximum("255", "128")));
  EXPECT_TRUE(code) << (code ? "" : render(code.error()));
}

/// The memory after a result belongs to another tensor.
TEST(Lowering, ATileThatIsWrittenPastItsTensor) {
  const std::string text = codelet(kBytes,
                                   "  c1=transfer(u8(0),\"VRF\",[128]);\n"
                                   "  a1=transfer(a[0],\"VRF\",[128]);\n  b1=transfer(b[0],\"VRF\",[128]);\n"
                                   "  c1=compute(\"HVX\",\"MAX\",a1,b1);\n  transfer(c1,c[192],[128]);\n");
  expect_refused(text, "GEN0052", "c[192], dimension 0: 192..319");
  EXPECT_EQ(lowered_text(text).error().fix, "let it be written in rows of multiples of 128 elements");
}

TEST(Lowering, NoInstructionsForACapability) {
  const std::string tensors = R"(  a=inp([64],i32,"DRAM");
  b=inp([64],i32,"DRAM");
  c=out([64],i32,"DRAM");
)";
  expect_refused(codelet(tensors, R"(  c1=transfer(i32(0),"GRF",[1]);
  a1=transfer(a[0],"GRF",[1]);
  b1=transfer(b[0],"GRF",[1]);
  c1=compute("CORE","MUL",a1,b1);
  transfer(c1,c[0],[1]);
)"),
                 "GEN0051", "i32=MUL(i32,i32)");
}

TEST(Lowering, ARegisterOfElementsThatLieApart) {
  const std::string tensors = R"(  a=inp([128,2],u8,"DRAM");
  b=inp([128,2],u8,"DRAM");
  c=out([128],u8,"DRAM");
)";
  expect_refused(codelet(tensors, R"(  c1=transfer(u8(0),"VRF",[128]);
  a1=transfer(a[0,0],"VRF",[128,1]);
  b1=transfer(b[0,0],"VRF",[128,1]);
  c1=compute("HVX","MAX",a1,b1);
  transfer(c1,c[0],[128]);
)"),
                 "GEN0053", "a[0,0]");
}

}  // namespace
}  // namespace covenant::compiler::vliw
