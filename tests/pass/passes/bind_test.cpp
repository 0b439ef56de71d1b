#include "compiler/passes/bind.h"

#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/passes/place.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

codelet::Codelet parsed(const std::string& text) {
  const Result<codelet::Codelet> made = codelet::parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

TEST(Bind, IsFigure7OfThePaper) {
  const codelet::Codelet source = parsed(
      "cdlt add { N=param(); a=inp([N],null,null); b=inp([N],null,null); c=out([N],null,null);"
      "loop n(N) { c[n]=compute(null,\"ADD\",a[n],b[n]); } }");
  const codelet::Codelet expected = parsed(
      "cdlt add { a=inp([12],i16,null); b=inp([12],i16,null); c=out([12],i16,null);"
      "loop n(12) { c[n]=compute(null,\"ADD\",a[n],b[n]); } }");
  Layer layer{"", {{"N", int64_t{12}}}, {{"a", DType::kI16}, {"b", DType::kI16}, {"c", DType::kI16}}};
  const Result<codelet::Codelet> bound = bind(source, layer);
  ASSERT_TRUE(bound) << render(bound.error());
  EXPECT_EQ(*bound, expected) << print(*bound);
}

TEST(Bind, MakesOperandsOfParamsAndTypesLocals) {
  const codelet::Codelet source = parsed(
      "cdlt clip { N=param(); A=param(); S=param(); x=inp([N],null,null); y=out([N],i32,null); t=local([N],null,null);"
      "loop n(N) { t[n]=compute(null,\"MAX\",x[n],A); y[n]=compute(null,\"MUL\",t[n],S); } }");
  Layer layer{"block/0.conv",
              {{"N", int64_t{4}}, {"A", int64_t{-3}}, {"S", codelet::Constant{DType::kU8, 2, 0}}},
              {{"x", DType::kI8}}};
  const Result<codelet::Codelet> bound = bind(source, layer);
  ASSERT_TRUE(bound) << render(bound.error());
  EXPECT_EQ(print(*bound),
            "cdlt block_0_conv {\n"
            "  x=inp([4],i8,null);\n"
            "  y=out([4],i32,null);\n"
            "  t=local([4],i8,null);\n"
            "  loop n(4) {\n"
            "    t[n]=compute(null,\"MAX\",x[n],i32(-3));\n"
            "    y[n]=compute(null,\"MUL\",t[n],u8(2));\n"
            "  }\n"
            "}\n");
}

TEST(Place, KeepsAGivenLocation) {
  const codelet::Codelet bound =
      parsed("cdlt c { x=inp([4],i8,\"VMEM1\"); y=out([4],i8,null); t=local([4],i8,null); }");
  const Result<codelet::Codelet> placed = place(bound, genesys({}));
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->surrogates[0].location, "VMEM1");
  EXPECT_EQ(placed->surrogates[1].location, "DRAM");
  EXPECT_EQ(placed->surrogates[2].location, "");
}

}  // namespace
}  // namespace covenant::compiler::testing
