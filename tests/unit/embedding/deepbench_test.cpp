// The 108 convolutions of DeepBench's inference benchmark, as Rieber, Acosta and Fröning take them (sections 5 and 6).
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>

#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "compiler/embedding/verify.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

TEST(DeepBench, StrictRulesEmbed96AsTheReferenceDoesAndProveThat12HaveNone) {
  const Instruction vta = test::gemm(1, 16, 16);
  size_t embedded = 0, none = 0;
  uint64_t all = 0;  // nodes: `covenant bench deepbench --embeddings` has the times
  for (const test::Conv& conv : test::deepbench_convs()) {
    const Workload workload = test::conv_workload(conv);
    const Found found = embeddings_of(workload, vta, strict());
    all += found.nodes;
    EXPECT_TRUE(found.is_complete);
    if (found.embeddings.empty()) {
      ++none;
      EXPECT_NE(conv.channels % 16, 0);
      continue;
    }
    // x has one place, which the one instance of n takes; y=oc, z=ic.
    ++embedded;
    ASSERT_EQ(found.embeddings.size(), 1U);
    EXPECT_EQ(print(found.embeddings[0], workload, vta), "columns: oc*16 | inner: ic*16");
  }
  EXPECT_EQ(embedded, 96U);
  EXPECT_EQ(none, 12U);
  EXPECT_LE(all, 108U * 8);
}

TEST(DeepBench, StrictRulesTakeBatchesAsRows) {
  // With more rows, x=n is a choice: batches that fill them are embedded, others are not.
  for (const test::Conv& conv : test::deepbench_convs()) {
    const Workload workload = test::conv_workload(conv);
    const Instruction two = test::gemm(2, 16, 16);
    const bool is_one = std::max(conv.height, conv.width) == 1 && std::max(conv.stride_rows, conv.stride_columns) == 1;
    for (const Embedding& one : embeddings_of(workload, two, strict()).embeddings) {
      const std::string text = print(one, workload, two);
      EXPECT_TRUE(text == "rows: n*2 | columns: oc*16 | inner: ic*16" || is_one) << text;
    }
    if (conv.batch % 2 == 0 && conv.channels % 16 == 0) {
      EXPECT_FALSE(embeddings_of(workload, two, strict()).embeddings.empty());
    }
  }
}

TEST(DeepBench, RelaxedRulesEmbedAll108) {
  for (const Instruction& instruction : {test::gemm(1, 16, 16), test::gemm(1, 32, 32), test::gemm(32, 1, 4)}) {
    size_t embedded = 0, most = 0;
    uint64_t nodes = 0;
    for (const test::Conv& conv : test::deepbench_convs()) {
      const Workload workload = test::conv_workload(conv);
      const Found found = embeddings_of(workload, instruction, relaxed());
      nodes = std::max(nodes, found.nodes);
      EXPECT_TRUE(found.is_complete);
      embedded += found.embeddings.empty() ? 0 : 1;
      most = std::max(most, found.embeddings.size());
      for (size_t i = 0; i < found.embeddings.size(); i += 1 + found.embeddings.size() / 50) {
        const Status verified = verify(found.embeddings[i], workload, instruction);
        ASSERT_TRUE(verified) << render(verified.error());
      }
    }
    EXPECT_EQ(embedded, 108U);
    EXPECT_LE(nodes, 640'000U);
    std::cout << print(instruction) << ": at most " << most << " embeddings, " << nodes << " nodes\n";
  }
}

/// Least elements of packed weights over all embeddings under these rules.
int64_t least_weights(const Workload& workload, const Instruction& instruction, const Rules& rules) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Embedding& one : embeddings_of(workload, instruction, rules).embeddings) {
    least = std::min(least, packed_elements(one, workload, instruction, 1));
  }
  return least;
}

TEST(DeepBench, RelaxedEmbeddingsNeedLessWeightsThanPaddedChannels) {
  // Tables 1 to 3 of the paper: the 12 that strict rules do not embed, over padding ic to 16.
  const Instruction vta = test::gemm(1, 16, 16);
  double sum = 0;
  size_t count = 0;
  for (const test::Conv& conv : test::deepbench_convs()) {
    if (conv.channels % 16 == 0) continue;
    const Workload workload = test::conv_workload(conv);
    Rules padded;
    padded.allowed = {Relaxation::kPad};
    const int64_t reference = least_weights(workload, vta, padded);
    EXPECT_EQ(reference, conv.outputs * conv.height * conv.width * ((conv.channels + 15) / 16) * 16);
    Rules rules = relaxed();
    rules.allowed.erase(Relaxation::kStrided);
    sum += std::log(static_cast<double>(least_weights(workload, vta, rules)) / static_cast<double>(reference));
    ++count;
  }
  const double mean = std::exp(sum / static_cast<double>(count));
  std::cout << "least weights, geometric mean over padded channels: " << mean << '\n';
  EXPECT_EQ(count, 12U);
  EXPECT_LE(mean, 0.119);  // 0.193 at least for the candidates of the paper
}

}  // namespace
}  // namespace covenant::compiler::embedding
