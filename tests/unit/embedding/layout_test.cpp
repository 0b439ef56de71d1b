#include "compiler/embedding/layout.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

const Instruction kArray = test::gemm(1, 16, 16);

std::vector<OperandLayout> layouts(const std::string& text, const Workload& workload) {
  return layouts_of(*parse_embedding(text, workload, kArray), workload, kArray);
}

TEST(Layout, ActivationsAreVectorsAndConstantsBlocks) {
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  const OperandLayout x{"x", false, false, 16 * 16 * 32, {{"inner", 16, "ic*16"}}};
  const OperandLayout w{"w", false, true, 9 * 32 * 32, {{"inner", 16, "ic*16"}, {"columns", 16, "oc*16"}}, 9 * 32 * 32};
  const OperandLayout acc{"acc", true, false, 16 * 16 * 32, {{"columns", 16, "oc*16"}}};
  EXPECT_EQ(layouts("columns: oc*16 | inner: ic*16", conv), (std::vector<OperandLayout>{x, w, acc}));
}

TEST(Layout, PackedConstantsHaveZerosWherePlacesAreIdle) {
  const Workload stem = test::conv_workload({1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2});
  const std::vector<OperandLayout> padded = layouts("columns: oc*16 | inner: ic*3", stem);
  EXPECT_EQ(padded[0].axes, (std::vector<LayoutAxis>{{"inner", 16, "ic*3"}}));
  EXPECT_EQ(padded[1].elements, 147 * 64);
  EXPECT_EQ(padded[1].packed_elements, 49 * 16 * 64);
  EXPECT_EQ(layouts("columns: oc*16 | inner: (ic kh kw)*16", stem)[1].packed_elements, 10 * 16 * 64);
}

TEST(Layout, ExchangedOperandsChangePlaces) {
  // Columns are outputs of one channel: x is the matrix, and w the vector.
  const Workload conv = test::conv_workload({1, 16, 18, 18, 64, 3, 3, 1, 1, 1, 1});
  const std::vector<OperandLayout> operands = layouts("columns: ow*9@2 | inner: ic*16 | exchanged", conv);
  EXPECT_EQ(operands[0].tensor, "w");
  EXPECT_EQ(operands[0].axes, (std::vector<LayoutAxis>{{"inner", 16, "ic*16"}}));
  EXPECT_EQ(operands[0].packed_elements, 9 * 16 * 64);
  EXPECT_EQ(operands[1].tensor, "x");
  EXPECT_EQ(operands[1].axes, (std::vector<LayoutAxis>{{"inner", 16, "ic*16"}, {"columns", 16, "ow*9@2"}}));
  EXPECT_FALSE(operands[1].packed_elements);
  EXPECT_EQ(layouts("columns: - | inner: ic*16", conv)[2].axes, (std::vector<LayoutAxis>{{"columns", 16, "-"}}));
}

TEST(Layout, UtilisationIsThePartOfAllPlacesThatIsUsed) {
  const auto used = [](const std::string& text, const Workload& workload) {
    return utilisation(*parse_embedding(text, workload, kArray), workload, kArray);
  };
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  EXPECT_EQ(used("columns: oc*16 | inner: ic*16", conv), 1);
  EXPECT_EQ(used("columns: oc*16 | inner: -", conv), 1.0 / 16);
  EXPECT_EQ(used("columns: oc*12 | inner: ic*16", conv), 32.0 / 48);
}

TEST(Layout, TheBestEmbeddingsComeFirst) {
  const Workload stem = test::conv_workload({1, 3, 32, 32, 32, 7, 7, 3, 3, 2, 2});
  const Found found = embeddings_of(stem, kArray, relaxed());
  ASSERT_TRUE(found.is_complete);
  const std::vector<size_t> order = best_first(found.embeddings, stem, kArray);
  ASSERT_EQ(order.size(), found.embeddings.size());
  EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), order.size());
  const auto cost = [&](size_t one) {
    const Embedding& embedding = found.embeddings[one];
    return std::pair(steps(embedding, stem, kArray), packed_elements(embedding, stem, kArray, 1));
  };
  for (size_t i = 1; i < order.size(); ++i) ASSERT_LE(cost(order[i - 1]), cost(order[i])) << i;
}

TEST(Layout, AWorkloadHasAText) {
  EXPECT_EQ(print(test::conv_workload({1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2})),
            "acc[n,oh,ow,oc] = GEMM(x[n,oh*2+kh-3,ow*2+kw-3,ic], w[kh,kw,ic,oc])");
  EXPECT_EQ(print(test::workload_in("cdlt largest { x=inp([8,4],i8,null); y=out([1,8],i8,null); loop i(8) { loop j(4) {"
                                    " y[0,7-i]=compute(null,\"MAX\",x[i,j],i8(0)); } } }",
                                    {})),
            "y[0,-i+7] = MAX(x[i,j], a number)");
}

}  // namespace
}  // namespace covenant::compiler::embedding
