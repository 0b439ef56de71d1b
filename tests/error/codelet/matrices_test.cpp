/// Tensors between layers that a codelet reads as matrices: refused where packing would have to move them.
#include "compiler/binding/verify_matrices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/parse.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler {
namespace {

/// y = w x with x [rows, columns] between layers and w constant, by a codelet of the layer's own; or its refusal.
Result<codelet::Codelet> product(int64_t rows, int64_t columns, bool is_constant = false) {
  const std::string text = fmt::format(
      "cdlt left {{ x=inp([{0},{1}],null,null); w=inp([6,{0}],null,null); b=inp([{1}],null,null);"
      "y=out([6,{1}],null,null);"
      "loop n(6) {{ loop o({1}) {{ loop k({0}) {{ y[n,o]=compute(null,\"GEMM\",w[n,k],x[k,o],b[o]); }} }} }} }}",
      rows, columns);
  NetworkLayer layer{.layer = {"product", {}}, .operation = "left"};
  layer.codelet = test::taken(codelet::parse(text, "left.cdlt"));
  layer.layer.dtypes = {{"x", DType::kI8}, {"w", DType::kI8}, {"b", DType::kI32}, {"y", DType::kI32}};
  layer.activations = {{"y", 1}};
  if (!is_constant) layer.activations["x"] = 0;
  return packed_codelet(layer, test::taken(acg::load_machine("genesys:8x8")));
}

TEST(MatricesError, ATensorBetweenLayersIsNotPacked) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{16, 8}, {8, 16}, {5, 8}, {8, 5}}) {
    const Result<codelet::Codelet> made = product(rows, columns);
    ASSERT_FALSE(made) << rows << " x " << columns;
    EXPECT_EQ(made.error().code, "CDL0044");
    EXPECT_EQ(made.error().subject, "product");
    EXPECT_EQ(made.error().offending, fmt::format("x=inp([{},{}],i8,null);", rows, columns));
  }
}

TEST(MatricesError, OneMatrixOfTheMachineLiesAsItIsRead) { EXPECT_TRUE(product(8, 8)); }

TEST(MatricesError, ConstantsArePacked) { EXPECT_TRUE(product(16, 24, true)); }

}  // namespace
}  // namespace covenant::compiler
