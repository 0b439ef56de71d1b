// CDL0001..CDL0003: malformed codelet text.
#include "compiler/codelet/parse.h"

#include <gtest/gtest.h>

#include "compiler/codelet/verify.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler::codelet {
namespace {

void expect_error(const std::string& text, const std::string& code, uint32_t line, uint32_t column,
                  const std::string& offending) {
  const Result<Codelet> made = parse(text, "bad.cdlt");
  ASSERT_FALSE(made) << text;
  const Diagnostic& error = made.error();
  EXPECT_EQ(error.code, code) << render(error);
  EXPECT_EQ(error.where, (SourceLocation{"bad.cdlt", line, column})) << render(error);
  EXPECT_EQ(error.offending, offending);
  EXPECT_FALSE(error.fix.empty());
}

TEST(ParseError, UnexpectedText) {
  expect_error("codelet add {", "CDL0001", 1, 1, "codelet");
  expect_error("cdlt add {\n  a=inp([1],null,null)\n}", "CDL0001", 3, 1, "}");
  expect_error("cdlt add {\n  loop n(3) {", "CDL0001", 2, 14, "end of file");
  expect_error("cdlt add { } x", "CDL0001", 1, 14, "x");
  expect_error("cdlt add { loop n(3) { } a=inp([1],null,null); }", "CDL0001", 1, 26, "a");
  expect_error("cdlt add { a=compute(null,ADD); }", "CDL0001", 1, 27, "ADD");
  expect_error("cdlt add { a[1}=compute(null,\"ADD\"); }", "CDL0001", 1, 15, "}");
  expect_error("cdlt add {\n  a=inp(null,i8,[3]);\n}", "CDL0001", 2, 14, "i8");
  expect_error("cdlt add {\n  a=inp(3,i8,null);\n}", "CDL0001", 2, 9, "3");
  expect_error("cdlt add implements Max { }", "CDL0001", 1, 21, "Max");
  expect_error("cdlt add {\n  t=transfer(a,M,[1]);\n}", "CDL0001", 2, 16, "M");
  expect_error("cdlt add {\n  c[0]=add(a,b);\n}", "CDL0001", 2, 8, "add");
  expect_error("cdlt add { ? }", "CDL0001", 1, 12, "?");
  expect_error("cdlt add { a=inp([1],i8,\"DRAM); }", "CDL0001", 1, 25, "\"");
}

/// As many operations as a codelet may have that someone has written, and one more.
TEST(SizeError, TooManyOperations) {
  const auto codelet = [](size_t computes) {
    std::string text = "cdlt many { x=inp([1],i8,null); y=out([1],i8,null); loop n(1) { ";
    for (size_t i = 0; i < computes; ++i) text += "y[n]=compute(null,\"MOVE\",x[n]); ";
    return test::taken(parse(text + "} }", "many.cdlt"));
  };
  EXPECT_TRUE(verify_size(codelet(999)));
  const Status refused = verify_size(codelet(1000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "CDL0004");
  EXPECT_EQ(refused.error().offending, "1001");
}

TEST(ParseError, UnknownWords) {
  expect_error("cdlt add { a=inp([1],int8,null); }", "CDL0002", 1, 22, "int8");
  expect_error("cdlt add { a=inp([1],i8,null,pad=3); }", "CDL0002", 1, 30, "pad");
  expect_error("cdlt add {\n  loop n(4, strides=2) { }\n}", "CDL0002", 2, 13, "strides");
  expect_error("cdlt add { t=transfer(a,\"M\",[1],bank=3); }", "CDL0002", 1, 33, "bank");
  expect_error("cdlt add { transfer(a,b,[1],slot=3); }", "CDL0002", 1, 29, "slot");
  EXPECT_EQ(parse("cdlt add { a=inp([1],int8,null); }", "").error().allowed.size(), kDTypes.size());
}

TEST(ParseError, Numbers) {
  expect_error("cdlt add { a=inp([99999999999999],i8,null); }", "CDL0003", 1, 19, "99999999999999");
  expect_error("cdlt add { a=inp([1.5],i8,null); }", "CDL0003", 1, 19, "1.5");
  expect_error("cdlt add { a=inp([12abc],i8,null); }", "CDL0003", 1, 19, "12abc");
  expect_error("cdlt add { p=param(i8(128)); }", "CDL0003", 1, 23, "128");
  expect_error("cdlt add { p=param(u32(-1)); }", "CDL0003", 1, 24, "-1");
  expect_error("cdlt add { p=param(f32(1e99)); }", "CDL0003", 1, 24, "1e99");
  expect_error("cdlt add { t=transfer(a,\"M\",[1],slot=-1); }", "CDL0003", 1, 38, "-1");
  expect_error("cdlt add { loop n(4, level=-1) { } }", "CDL0003", 1, 28, "-1");
}

}  // namespace
}  // namespace covenant::compiler::codelet
