/// Codelets that scalar code cannot implement are refused with their reason.
#include "compiler/families/vliw/lower_scalars.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::vliw {
namespace {

void expect_refused(const std::string& text, const std::string& code, const std::string& offending) {
  const Result<codelet::Codelet> parsed = codelet::parse(text, "one.cdlt");
  ASSERT_TRUE(parsed) << render(parsed.error());
  const Result<Code> lowered =
      lowered_scalars(*parsed, *acg::load_machine("hvx"), {{"a", 0x1000}, {"b", 0x2000}, {"c", 0x3000}});
  ASSERT_FALSE(lowered) << text;
  EXPECT_EQ(lowered.error().code, code) << render(lowered.error());
  EXPECT_EQ(lowered.error().offending, offending);
  EXPECT_EQ(lowered.error().subject, "one");
  EXPECT_FALSE(lowered.error().fix.empty());
}

/// One element of `a` and one of `b`, of these types, become one of `c`.
std::string codelet(const std::string& inputs, const std::string& output, const std::string& compute) {
  return "cdlt one {\n  a=inp([4]," + inputs + ",\"DRAM\");\n  b=inp([4]," + inputs + ",\"DRAM\");\n  c=out([4]," +
         output + ",\"DRAM\");\n  c1=transfer(" + output + "(0),\"GRF\",[1]);\n  a1=transfer(a[0],\"GRF\",[1]);\n" +
         "  b1=transfer(b[0],\"GRF\",[1]);\n  c1=compute(\"CORE\"," + compute + ");\n  transfer(c1,c[0],[1]);\n}\n";
}

TEST(LoweringScalars, NothingButProducts) { expect_refused(codelet("i32", "i32", "\"ADD\",a1,b1"), "GEN0051", "ADD"); }

TEST(LoweringScalars, ElementsThatNoLoadExtends) {
  expect_refused(codelet("i16", "i32", "\"GEMM\",a1,b1,b1"), "GEN0051", "a load of i16");
}

TEST(LoweringScalars, ResultsThatAreNoWords) {
  expect_refused(codelet("i8", "i8", "\"GEMM\",a1,b1,b1"), "GEN0051", "a store of i8");
}

TEST(LoweringScalars, ATilePastItsTensor) {
  expect_refused(R"(cdlt one {
  a=inp([4],i8,"DRAM");
  loop i(5) { a1=transfer(a[i],"GRF",[1]); }
}
)",
                 "GEN0052", "a[i], dimension 0: 0..4");
}

}  // namespace
}  // namespace covenant::compiler::vliw
