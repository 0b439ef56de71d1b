// EMB0001..EMB0012: codelets that are no workloads, texts that are no embeddings, searches without an answer.
#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "compiler/embedding/verify.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

void expect_no_workload(const std::string& body, const std::string& code, const std::string& offending) {
  const auto codelet = codelet::parse("cdlt bad { " + body + " }", "bad.cdlt");
  ASSERT_TRUE(codelet) << render(codelet.error());
  const Result<Workload> workload = workload_of(*codelet);
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().code, code) << render(workload.error());
  EXPECT_EQ(workload.error().offending, offending) << render(workload.error());
}

TEST(EmbeddingErrors, CodeletsThatAreNoWorkloads) {
  const std::string tensors = "x=inp([64],i8,null); y=out([64],i8,null); ";
  expect_no_workload("x=inp([4],i8,null);", "EMB0001", "bad");
  expect_no_workload(tensors + "loop i(8) { loop j(i) { y[j]=compute(null,\"MAX\",x[j],i8(0)); } }", "EMB0001",
                     "loop j(0,i,1)");
  expect_no_workload(tensors + "loop i(8) { loop j(8) { y[i*j]=compute(null,\"MAX\",x[j],i8(0)); } }", "EMB0001",
                     "i*j");
  expect_no_workload(tensors + "loop i(8) { z=transfer(x[i],\"BUF\",[8]); y[i]=compute(null,\"MAX\",z[i],i8(0)); }",
                     "EMB0001", "z");
}

TEST(EmbeddingErrors, MoreLoopsThanCanBeChosenFrom) {
  const auto nested = [](size_t loops) {
    std::string text = "x=inp([64],i8,null); y=out([64],i8,null); ";
    for (size_t i = 0; i < loops; ++i) text += "loop l" + std::to_string(i) + "(2) { ";
    return text + "y[l0]=compute(null,\"MAX\",x[l0],i8(0)); " + std::string(loops, '}');
  };
  expect_no_workload(nested(32), "EMB0001", "32");
  const auto most = codelet::parse("cdlt most { " + nested(31) + " }", "most.cdlt");
  ASSERT_TRUE(most) << render(most.error());
  EXPECT_EQ(workload_of(*most)->axes.size(), kMostAxes);
}

TEST(EmbeddingErrors, MoreInstancesThanCanBeCounted) {
  const std::string tensors = "x=inp([64],i8,null); y=out([64],i8,null); ";
  expect_no_workload(
      tensors + "loop i(1000000000000) { loop j(1000000000000) { y[i]=compute(null,\"MAX\",x[j],i8(0)); } }", "EMB0002",
      "1000000000000");
  expect_no_workload(tensors + "loop i(10000000000) { y[i*1000000000000]=compute(null,\"MAX\",x[i],i8(0)); }",
                     "EMB0002", "10000000000");
}

const Instruction kSquare = test::gemm(1, 16, 16);

Diagnostic refusal(const std::string& text, const Workload& workload, const Instruction& instruction = kSquare) {
  const Result<Embedding> embedding = parse_embedding(text, workload, instruction);
  if (embedding) return {};
  EXPECT_EQ(embedding.error().code, "EMB0011");
  EXPECT_FALSE(embedding.error().fix.empty());
  return embedding.error();
}

TEST(EmbeddingErrors, TextsThatAreNoEmbeddingsHaveAWitness) {
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  // Columns are outputs that see the same x: rows of the image do not.
  const Diagnostic apart = refusal("columns: oh*16 | inner: ic*16", conv);
  EXPECT_EQ(apart.code, "EMB0011");
  EXPECT_EQ(apart.message, "instances 0 and 1 of 'columns' must share an element of x, and do not");
  EXPECT_EQ(apart.offending, "x[0,-1,-1,0], x[0,0,-1,0]");
  // Places of a sum are different elements of both operands: outputs are not.
  EXPECT_EQ(refusal("columns: oc*16 | inner: ic*8 ow*2", conv).message,
            "instances 0 and 1 of 'inner' must share an element of acc, and do not");
  const Diagnostic same = refusal("columns: ic*16 | inner: -", conv);
  EXPECT_EQ(same.message, "instances 0 and 1 of 'columns' must share an element of x, and do not");
  const Workload product = test::workload_in(
      "cdlt product { x=inp([4,16],i8,null); w=inp([16,16],i8,null); c=inp([16],i32,null); y=out([4,16],i32,null);"
      " loop m(4) { loop n(16) { loop k(16) { y[m,n]=compute(null,\"GEMM\",x[m,k],w[k,n],c[n]); } } } }",
      {});
  EXPECT_EQ(refusal("rows: n*4 | columns: - | inner: k*16", product, test::gemm(4, 16, 16)).message,
            "instances 0 and 1 of 'rows' must not share an element of x, and do");
  // Without a constant there are no zeros for idle places of a sum.
  EXPECT_EQ(refusal("columns: n*16 | inner: k*15", product).offending, "inner");
  const Workload two_sums = test::workload_in(
      "cdlt product { x=inp([4,6,4],i8,null); w=inp([6,4,16],i8,null); c=inp([16],i32,null); y=out([4,16],i32,null);"
      " loop m(4) { loop n(16) { loop k(6) { loop l(4) { y[m,n]=compute(null,\"GEMM\",x[m,k,l],w[k,l,n],c[n]); } } } } "
      "}",
      {});
  EXPECT_EQ(refusal("columns: n*16 | inner: (k l)*16", two_sums).offending, "inner");
  EXPECT_EQ(refusal("columns: n*16 | inner: (k l)*8", two_sums, test::gemm(1, 16, 8)).code, "");
}

TEST(EmbeddingErrors, TextsThatDoNotFollowTheGrammar) {
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  EXPECT_EQ(refusal("columns: oc*16", conv).offending, "inner");
  EXPECT_EQ(refusal("columns: oc*16 | inner: ic*16 | rows: n*1", conv).offending, "rows");
  EXPECT_EQ(refusal("columns: oc*16 | inner: ic*16 | inner: -", conv).offending, "inner");
  EXPECT_EQ(refusal("columns: oc*16 | inner: zc*16", conv).offending, "zc*16");
  EXPECT_EQ(refusal("columns: oc | inner: ic*16", conv).offending, "oc");
  EXPECT_EQ(refusal("columns: oc*0 | inner: ic*16", conv).offending, "oc*0");
  EXPECT_EQ(refusal("columns: oc*99999999999999999999 | inner: -", conv).offending, "oc*99999999999999999999");
  EXPECT_EQ(refusal("columns: oc*16 | inner: ic*16 | band: q", conv).offending, "q");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh q)*4", conv).offending, "(kh q)*4");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh kw*4", conv).offending, "(kh kw*4");
  EXPECT_EQ(refusal("", conv).offending, "columns");
}

TEST(EmbeddingErrors, FactorsThatDoNotFit) {
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  EXPECT_EQ(refusal("columns: oc*32 | inner: ic*16", conv).offending, "columns");
  EXPECT_EQ(refusal("columns: oc*16 | inner: kh*4 kw*3", conv).offending, "kh*4");
  EXPECT_EQ(refusal("columns: oc*4 oc*4 | inner: ic*16", conv).offending, "oc");
  EXPECT_EQ(refusal("columns: oc*8@3 | inner: ic*16", conv).offending, "oc*8@3");
  EXPECT_EQ(refusal("columns: oc*4 ow*4 | inner: ow*6 kw*2 | band: ow", conv).offending, "kw");
  EXPECT_EQ(refusal("columns: oc*16 | inner: ic*16 | band: oc", conv).offending, "oc");
  EXPECT_EQ(refusal("columns: oc*16 | inner: ow*3 | band: ow", conv).offending, "ow");
  EXPECT_EQ(refusal("columns: oc*4 ow*4 | inner: ow*7 | band: ow", conv).offending, "ow*7");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh kw)*10", conv).offending, "(kh ...)*10");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh kw)*4 kw*2", conv).offending, "kw");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh)*3", conv).offending, "kh");
  EXPECT_EQ(refusal("columns: oc*16 | inner: (kh ow)*4", conv).offending, "acc[0,0,0,0], acc[0,0,1,0]");
  EXPECT_EQ(refusal("columns: oc*4 ow*4 | inner: (kw ic)*4 | band: ow", conv).offending, "kw");
}

TEST(EmbeddingErrors, WorkloadsThatNoRuleAdmits) {
  const Workload stem = test::conv_workload({1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2});
  ASSERT_TRUE(embeddings_of(stem, kSquare, strict()).embeddings.empty());
  const Diagnostic padded = why_none(stem, kSquare, strict());
  EXPECT_EQ(padded.code, "EMB0010");
  EXPECT_EQ(padded.offending, "inner 16");
  EXPECT_EQ(padded.allowed, (std::vector<std::string>{"ic 3", "kh 7 (unroll)", "kw 7 (unroll)"}));
  EXPECT_EQ(padded.fix, "allow pad");
  const Workload taps = test::workload_in(
      "cdlt taps { x=inp([40],i8,null); w=inp([16],i8,null); c=inp([16],i32,null); y=out([16],i32,null);"
      " loop m(16) { loop k(16) { y[m]=compute(null,\"GEMM\",x[m+k],w[k],c[m]); } } }",
      {});
  EXPECT_EQ(why_none(taps, test::gemm(1, 1, 16), strict()).fix, "allow unroll");
  const Workload sums = test::workload_in(
      "cdlt sums { x=inp([4,16],i8,null); w=inp([16],i8,null); c=inp([4],i32,null); y=out([4],i32,null);"
      " loop m(4) { loop k(15) { y[m]=compute(null,\"GEMM\",x[m,k],w[k],c[m]); } } }",
      {});
  EXPECT_EQ(why_none(sums, kSquare, relaxed()).fix, "take an instruction that has operands of this form");
}

TEST(EmbeddingErrors, RelaxationsAreNamedOnlyIfTheSearchHasSeenAll) {
  const Workload stem = test::conv_workload({1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2});
  Rules few = strict();
  few.most_nodes = 16;
  ASSERT_TRUE(embeddings_of(stem, kSquare, few).is_complete);
  EXPECT_EQ(why_none(stem, kSquare, few).fix,
            "allow more nodes: the search for relaxations that would do was given up");
}

TEST(EmbeddingErrors, SearchesThatAreGivenUpSaySo) {
  const Workload conv = test::conv_workload({1, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1});
  Rules rules = relaxed();
  rules.most_nodes = 100;
  const Found found = embeddings_of(conv, kSquare, rules);
  EXPECT_FALSE(found.is_complete);
  EXPECT_EQ(found.nodes, 100U);
  ASSERT_TRUE(found.stopped);
  EXPECT_EQ(found.stopped->code, "EMB0012");
  EXPECT_EQ(found.stopped->offending, "100 nodes");
  EXPECT_FALSE(embeddings_of(conv, kSquare, relaxed()).stopped);
}

}  // namespace
}  // namespace covenant::compiler::embedding
