/// Results that cannot leave the memory of their node go through a MOVE; others stay as they are.
#include "compiler/passes/route.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/place.h"
#include "tests/pass/passes/layers.h"
#include "tests/support/acg/edges.h"

namespace covenant::compiler::testing {
namespace {

codelet::Codelet parsed(const std::string& text) {
  const Result<codelet::Codelet> made = codelet::parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

codelet::Codelet placed_gemm(const acg::Machine& machine) {
  const Result<codelet::Codelet> library = library_codelet("gemm_sums");
  check(static_cast<bool>(library), "the library has gemm_sums");
  const Layer layer{"g",
                    {{"G", int64_t{1}}, {"N", int64_t{3}}, {"K", int64_t{10}}, {"O", int64_t{8}}},
                    {{"x", DType::kI8}, {"w", DType::kI8}, {"b", DType::kI32}, {"y", DType::kI32}}};
  const Result<codelet::Codelet> bound = bind(*library, layer);
  check(static_cast<bool>(bound), "gemm_sums binds");
  return *place(*bound, machine);
}

TEST(Route, SumsThatOnlyLanesReadAreMoved) {
  const acg::Machine machine = test::without_edge(genesys({{"M", 8}, {"N", 8}}), "OBUF", "DRAM");
  const Result<codelet::Codelet> routed = route(placed_gemm(machine), machine);
  ASSERT_TRUE(routed) << render(routed.error());
  EXPECT_EQ(print(*routed),
            "cdlt g {\n"
            "  x=inp([1,3,10],i8,\"DRAM\");\n"
            "  w=inp([1,10,8],i8,\"DRAM\");\n"
            "  b=inp([1,8],i32,\"DRAM\");\n"
            "  y=out([1,3,8],i32,\"DRAM\");\n"
            "  y_sum=local([1,3,8],i32,null);\n"
            "  loop g(1) {\n"
            "    loop n(3) {\n"
            "      loop o(8) {\n"
            "        loop k(10) {\n"
            "          y_sum[g,n,o]=compute(null,\"GEMM\",x[g,n,k],w[g,k,o],b[g,o]);\n"
            "        }\n"
            "        y[g,n,o]=compute(null,\"MOVE\",y_sum[g,n,o]);\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(Route, SumsWithAnEdgeOfTheirOwnStay) {
  const Result<acg::Machine> machine = acg::load_machine("dnnweaver", {});
  ASSERT_TRUE(machine);
  const codelet::Codelet placed = placed_gemm(*machine);
  EXPECT_EQ(*route(placed, *machine), placed);
}

/// A reduction outside of a loop over results: the move gets that loop, too.
TEST(Route, LoopsBelowTheReductionAreRepeated) {
  const acg::Machine machine = test::without_edge(genesys({{"M", 8}, {"N", 8}}), "OBUF", "DRAM");
  const codelet::Codelet placed = parsed(
      "cdlt c { x=inp([10],i8,\"DRAM\"); w=inp([10,8],i8,\"DRAM\"); b=inp([8],i32,\"DRAM\"); y=out([8],i32,\"DRAM\");"
      " loop k(10) { loop o(8) { y[o]=compute(null,\"GEMM\",x[k],w[k,o],b[o]); } } }");
  const Result<codelet::Codelet> routed = route(placed, machine);
  ASSERT_TRUE(routed);
  ASSERT_EQ(routed->body.size(), 2U);
  EXPECT_NE(print(*routed).find("  loop o(8) {\n    y[o]=compute(null,\"MOVE\",y_sum[o]);"), std::string::npos);
}

}  // namespace
}  // namespace covenant::compiler::testing
