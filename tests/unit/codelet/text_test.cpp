// The text format: every form of the grammar, and the figures of the paper.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::codelet {
namespace {

Codelet parsed(const std::string& text) {
  const Result<Codelet> made = parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

TEST(Text, Figure7) {
  const Codelet add = parsed(R"(
    cdlt add {
      N=param();
      a=inp([N],null,null);
      b=inp([N],i16,null);   # a comment
      c=out([N],null,"DRAM");
      loop n(N) { c[n]=compute(null,"ADD",a[n],b[n]); }
    })");
  EXPECT_EQ(add.name, "add");
  ASSERT_EQ(add.surrogates.size(), 4U);
  EXPECT_EQ(add.surrogates[0].kind, SurrogateKind::kParam);
  EXPECT_EQ(add.surrogates[2].dtype, DType::kI16);
  EXPECT_EQ(add.surrogates[3].location, "DRAM");
  EXPECT_EQ(add.surrogates[1].where, (SourceLocation{"test.cdlt", 4, 7}));
  const auto& loop = std::get<Loop>(add.body.at(0).op);
  EXPECT_EQ(loop.upper, Expression::variable("N"));
  EXPECT_EQ(loop.stride, Expression(1));
  const auto& compute = std::get<Compute>(loop.body.at(0).op);
  EXPECT_EQ(compute.capability, "ADD");
  EXPECT_EQ(compute.operands.size(), 2U);
}

TEST(Text, Figure8) {
  const std::string text =
      "cdlt add {\n"
      "  a=inp([12],i16,\"MEM1\");\n"
      "  c=out([12],i16,\"MEM1\");\n"
      "  c1=transfer(i16(0),\"MEM2\",[6]);\n"
      "  loop n(2, stride=6) {\n"
      "    a1=transfer(a[n],\"MEM2\",[6]);\n"
      "    loop n1(1,7,3) {\n"
      "      c1[n1 + 2]=compute(\"PE1\",\"ADD\",a1[n1 + 2],i16(-1),rounding=3);\n"
      "    }\n"
      "    transfer(c1,c[n],[6]);\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(print(parsed(text)), text);
}

TEST(Text, LoopBounds) {
  const Codelet made = parsed("cdlt c { loop a(4) { } loop a(1,4) { } loop a(1,4,2) { } loop a(0,4,2) { } }");
  const auto loop = [&](size_t i) { return std::get<Loop>(made.body[i].op); };
  EXPECT_EQ(loop(1).lower, Expression(1));
  EXPECT_EQ(loop(1).stride, Expression(1));
  EXPECT_EQ(loop(2).stride, Expression(2));
  EXPECT_EQ(print(made),
            "cdlt c {\n  loop a(4) {\n  }\n  loop a(1,4,1) {\n  }\n  loop a(1,4,2) {\n  }\n  loop a(4, stride=2) {\n  "
            "}\n}\n");
}

TEST(Text, KeywordsOfSurrogatesAndTransfers) {
  const std::string text =
      "cdlt c {\n"
      "  w=inp([2,3,4,4],i8,\"DRAM\",fill=-3,packing=[p1*4 + p2,p0*4 + p3],logical_shape=[10,7]);\n"
      "  p=param(f32(0x1.8p-3));\n"
      "  w1=transfer(w,\"WBUF\",[1,1,4,4],slot=2,offset=17);\n"
      "}\n";
  const Codelet made = parsed(text);
  EXPECT_EQ(print(made), text);
  EXPECT_EQ(made.surrogates[0].logical_shape, (std::vector<int64_t>{10, 7}));
  EXPECT_EQ(made.surrogates[1].value.value().real, 0.1875F);
  EXPECT_EQ(std::get<Transfer>(made.body[0].op).slot, 2U);
}

TEST(Text, ExpressionsBindAsUsual) {
  const Codelet made = parsed("cdlt c { x=inp([2*(a+3)-b*c*2, -a, a--1],null,null); }");
  const auto v = [](const char* name) { return Expression::variable(name); };
  EXPECT_EQ(made.surrogates[0].shape[0], v("a") * 2 + 6 - v("b") * v("c") * 2);
  EXPECT_EQ(made.surrogates[0].shape[1], Expression(-1) * v("a"));
  EXPECT_EQ(made.surrogates[0].shape[2], v("a") + 1);
}

TEST(Text, FloatsAreExact) {
  for (const float value : {0.1F, -3.4028235e38F, 1.4e-45F, -0.0F, 16777217.0F, std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
    Codelet codelet;
    codelet.name = "c";
    Surrogate param;
    param.kind = SurrogateKind::kParam;
    param.name = "p";
    param.value = Constant{DType::kF32, 0, value};
    codelet.surrogates.push_back(param);
    EXPECT_EQ(std::signbit(parsed(print(codelet)).surrogates[0].value.value().real), std::signbit(value));
    EXPECT_EQ(parsed(print(codelet)).surrogates[0].value.value().real, value) << print(codelet);
  }
  EXPECT_EQ(parsed("cdlt c { p=param(f32(2.5e-1)); }").surrogates[0].value.value().real, 0.25F);
}

}  // namespace
}  // namespace covenant::compiler::codelet
