#include "compiler/embedding/text.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "compiler/embedding/axes.h"
#include "compiler/embedding/verify.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

const Instruction kArray = test::gemm(1, 16, 16);

std::string again(const std::string& text, const Workload& workload, const Instruction& instruction) {
  const Result<Embedding> embedding = parse_embedding(text, workload, instruction);
  return embedding ? print(*embedding, workload, instruction) : render(embedding.error());
}

TEST(EmbeddingText, ParsesWhatItPrints) {
  const Workload conv = test::conv_workload({1, 16, 18, 18, 64, 3, 3, 1, 1, 1, 1});
  for (const char* text :
       {"columns: oc*16 | inner: ic*16", "columns: oc*16@4 | inner: ic*4 kw*3", "columns: - | inner: kw*3 kh*3",
        "columns: oc*4 ow*4 | inner: ic*2 ow*6 | band: ow", "columns: ow*9@2 | inner: ic*16 | exchanged",
        "columns: oc*16 | inner: (ic kh kw)*16", "columns: oc*16 | inner: (kh kw)*4 ic*4"}) {
    EXPECT_EQ(again(text, conv, kArray), text);
  }
  EXPECT_EQ(again("inner:ic*16|columns:  oc*16", conv, kArray), "columns: oc*16 | inner: ic*16");
}

TEST(EmbeddingText, SaysWhatOneStepDoes) {
  // Four channels of four outputs side by side, over two channels at the six positions that they see.
  const Workload conv = test::conv_workload({1, 16, 18, 18, 64, 3, 3, 1, 1, 1, 1});
  const auto embedding = *parse_embedding("columns: oc*4 ow*4 | inner: ic*2 ow*6 | band: ow", conv, kArray);
  const Origin first = origin_of(embedding, conv, {}, {});
  const auto at = [&](int64_t column, int64_t inner) {
    return instance_at(embedding, conv, kArray, first, std::vector<int64_t>{0, column, inner});
  };
  EXPECT_EQ(at(0, 0), (std::vector<int64_t>{0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(at(5, 2), (std::vector<int64_t>{0, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(at(7, 11), (std::vector<int64_t>{0, 1, 0, 3, 1, 0, 2}));
  EXPECT_FALSE(at(0, 3));   // no tap leads from the first output to the fourth position
  EXPECT_FALSE(at(0, 12));  // idle
  EXPECT_EQ(trips_of(embedding, conv, kArray),
            (std::vector<Trip>{{1, 16, 4}, {2, 18, 1}, {3, 5, 4}, {4, 8, 2}, {5, 3, 1}}));
  EXPECT_EQ(steps(embedding, conv, kArray), 16 * 18 * 5 * 8 * 3);
  EXPECT_EQ(packed_elements(embedding, conv, kArray, 1), 16 * 8 * 3 * 256);
  EXPECT_EQ(relaxations_of(embedding, conv, kArray),
            (std::set<Relaxation>{Relaxation::kPad, Relaxation::kFuse, Relaxation::kBand}));
}

TEST(EmbeddingText, CountsSeveralAxesAsOne) {
  // The 147 taps of a stem: ten times 16, the last of them 3. Factors of each axis would take 12 steps.
  const Workload stem = test::conv_workload({1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2});
  const auto embedding = *parse_embedding("columns: oc*16 | inner: (ic kh kw)*16", stem, kArray);
  EXPECT_EQ(steps(embedding, stem, kArray), 4 * 112 * 112 * 10);
  EXPECT_EQ(packed_elements(embedding, stem, kArray, 1), 4 * 10 * 256);
  const std::vector<Trip> trips = trips_of(embedding, stem, kArray);
  EXPECT_EQ(trips.back(), (Trip{7, 10, 16}));
  const Origin second = origin_of(embedding, stem, trips, std::vector<int64_t>{0, 0, 0, 3});
  // 48 is the last tap of the first channel.
  EXPECT_EQ(instance_at(embedding, stem, kArray, second, std::vector<int64_t>{0, 1, 0}),
            (std::vector<int64_t>{0, 1, 0, 0, 0, 6, 6}));
  EXPECT_EQ(instance_at(embedding, stem, kArray, second, std::vector<int64_t>{0, 1, 1}),
            (std::vector<int64_t>{0, 1, 0, 0, 1, 0, 0}));
}

TEST(EmbeddingText, BandsDepthwiseConvolutions) {
  const Workload depthwise = test::workload_in(
      "cdlt depthwise { x=inp([30,30,32],i8,null); w=inp([3,3,32],i8,null); b=inp([32],i32,null);"
      " y=out([28,28,32],i32,null); loop c(32) { loop oh(28) { loop ow(28) { loop kh(3) { loop kw(3) {"
      " y[oh,ow,c]=compute(null,\"MAC\",x[oh+kh,ow+kw,c],w[kh,kw,c],b[c]); } } } } } }",
      {"w", "b"});
  // Block-diagonal: one row in sixteen. Banded: 2 x 8 positions for 2 x 6 outputs of one channel.
  EXPECT_EQ(again("columns: c*16 | inner: c*16 | band: c", depthwise, kArray), "columns: c*16 | inner: c*16 | band: c");
  const auto banded = *parse_embedding("columns: oh*2 ow*6 | inner: oh*2 ow*8 | band: oh ow", depthwise, kArray);
  EXPECT_EQ(steps(banded, depthwise, kArray), 32 * 14 * 5 * 2);
  const Found best = embeddings_of(depthwise, kArray, relaxed(), fewest_steps(depthwise, kArray));
  EXPECT_TRUE(best.is_complete);
  ASSERT_FALSE(best.embeddings.empty());
  EXPECT_LE(steps(best.embeddings[0], depthwise, kArray), steps(banded, depthwise, kArray));
}

TEST(EmbeddingText, TakesExtentsPast32Bits) {
  const Workload large = test::workload_in(
      "cdlt large { x=inp([6000000000,16],i8,null); w=inp([16,16],i8,null); b=inp([16],i32,null);"
      " y=out([6000000000,16],i32,null);"
      " loop n(6000000000) { loop o(16) { loop k(16) { y[n,o]=compute(null,\"GEMM\",x[n,k],w[k,o],b[o]); } } } }",
      {"w", "b"});
  const Instruction rows = test::gemm(32, 1, 16);
  const Found found = embeddings_of(large, rows, relaxed());
  EXPECT_TRUE(found.is_complete);
  const auto strided = *parse_embedding("rows: n*32@187500000 | inner: k*16", large, rows);
  EXPECT_NE(std::ranges::find(found.embeddings, strided), found.embeddings.end());
  EXPECT_EQ(steps(strided, large, rows), int64_t{187'500'000} * 16);
}

}  // namespace
}  // namespace covenant::compiler::embedding
