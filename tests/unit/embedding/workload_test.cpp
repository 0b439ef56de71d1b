#include "compiler/embedding/workload.h"

#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

TEST(Workload, IsReadOffABoundConvolution) {
  const Workload conv = test::conv_workload({2, 3, 8, 9, 16, 5, 4, 1, 2, 2, 3});
  EXPECT_EQ(conv.compute, "GEMM");
  const std::vector<Axis> axes{{"n", 2, false}, {"oc", 16, false}, {"oh", 3, false}, {"ow", 4, false},
                               {"ic", 3, true}, {"kh", 5, true},   {"kw", 4, true}};
  EXPECT_EQ(conv.axes, axes);
  EXPECT_EQ(instances(conv), 2 * 16 * 3 * 4 * 3 * 5 * 4);
  const Access image{"x",
                     DType::kI8,
                     {2, 8, 9, 3},
                     {{0, {1, 0, 0, 0, 0, 0, 0}},
                      {-1, {0, 0, 2, 0, 0, 1, 0}},
                      {-2, {0, 0, 0, 3, 0, 0, 1}},
                      {0, {0, 0, 0, 0, 1, 0, 0}}},
                     0,
                     false};
  ASSERT_EQ(conv.inputs.size(), 2U);
  EXPECT_EQ(conv.inputs[0], image);
  EXPECT_EQ(conv.inputs[1].tensor, "w");
  EXPECT_TRUE(conv.inputs[1].is_constant);
  EXPECT_FALSE(conv.inputs[1].fill);
  EXPECT_EQ(conv.inputs[0].indices[1].at(std::vector<int64_t>{0, 0, 2, 0, 0, 3, 0}), 6);
  EXPECT_EQ(conv.output.tensor, "acc");
  ASSERT_TRUE(conv.start);
  EXPECT_EQ(conv.start->tensor, "b");
}

TEST(Workload, IsOneForEachCompute) {
  const auto codelet = codelet::parse(
      "cdlt two { x=inp([4,6],i8,null); y=out([4],i32,null); z=local([4,6],i32,null);"
      " loop i(4) { loop j(6) { z[i,j]=compute(null,\"ADD\",x[i,j],i32(3)); } }"
      " loop k(1,4,2) { loop m(5) { y[k]=compute(null,\"REDUCE_SUM\",z[k,m+1]); } } }",
      "two.cdlt");
  ASSERT_TRUE(codelet) << render(codelet.error());
  const Result<std::vector<Workload>> both = workloads_of(*codelet);
  ASSERT_TRUE(both) << render(both.error());
  ASSERT_EQ(both->size(), 2U);
  const Workload &add = both->front(), &sum = both->back();
  EXPECT_EQ(add.compute, "ADD");
  EXPECT_TRUE(add.inputs[1].is_constant);
  EXPECT_TRUE(add.inputs[1].indices.empty());
  // k runs through 1 and 3: an axis of 2, of which the index is 2*k + 1.
  EXPECT_EQ(sum.axes, (std::vector<Axis>{{"k", 2, false}, {"m", 5, true}}));
  EXPECT_EQ(sum.output.indices[0], (AffineIndex{1, {2, 0}}));
  EXPECT_EQ(sum.inputs[0].indices[1], (AffineIndex{1, {0, 1}}));
  EXPECT_FALSE(sum.start);
  EXPECT_EQ(workload_of(*codelet)->compute, "ADD");  // 24 instances, not 10
}

TEST(Workload, CountsPast32Bits) {
  const Workload large = test::workload_in(
      "cdlt large { x=inp([5000000000,16],i8,null); w=inp([16,16],i8,null); b=inp([16],i32,null);"
      " y=out([5000000000,16],i32,null);"
      " loop n(5000000000) { loop o(16) { loop k(16) { y[n,o]=compute(null,\"GEMM\",x[n,k],w[k,o],b[o]); } } } }",
      {"w", "b"});
  EXPECT_EQ(large.axes[0].extent, 5'000'000'000);
  EXPECT_EQ(instances(large), 5'000'000'000 * 256);
}

}  // namespace
}  // namespace covenant::compiler::embedding
