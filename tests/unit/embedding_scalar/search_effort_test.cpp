/// Section 7 of Rieber, Acosta and Fröning on search effort (Figure 8), as statements about nodes: searches
/// for GEMM of 1x16x16 in convolutions of 3x3 taps with 14x14 results, sums over the instance set as Definition 4.2 has
/// it.
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>

#include "compiler/embedding/scalar/effort.h"
#include "compiler/embedding/scalar/portfolio.h"

namespace covenant::compiler::embedding::scalar {
namespace {

constexpr int64_t kChannels[] = {16, 32, 64, 128, 256, 512};

ScalarSearch search(const std::string& layout, int64_t channels, Strategy strategy, SumDomain sums) {
  const Problem problem = problem_of(convolution(channels, 14, 3), row_of_16x16(), {}, sums);
  return search_scalars(problem, strategy, order_in(layout));
}

/// Nodes of a search; each is made once.
uint64_t nodes(const std::string& layout, int64_t channels, Strategy strategy) {
  static std::map<std::tuple<std::string, int64_t, Strategy>, uint64_t> known;
  const auto [entry, is_new] = known.try_emplace({layout, channels, strategy}, 0);
  if (is_new) {
    const ScalarSearch made = search(layout, channels, strategy, SumDomain::kInstances);
    EXPECT_TRUE(made.solution);
    entry->second = made.effort.nodes;
  }
  return entry->second;
}

TEST(SearchEffort, WithoutStrategiesNchwNeedsFourTimesTheNodesOfHwnc) {
  for (const int64_t channels : kChannels) {
    EXPECT_GE(nodes("NCHW", channels, Strategy::kNone), 4 * nodes("HWNC", channels, Strategy::kNone)) << channels;
  }
}

/// Also in HWNC, and there from the beginning: that its effort is very low at 16 and 32 channels, as the paper has it,
/// is not so here.
TEST(SearchEffort, WithoutStrategiesItDoublesWithTheChannelsInAllLayouts) {
  for (const std::string layout : {"NCHW", "NHWC", "HWNC"}) {
    EXPECT_GT(nodes(layout, 32, Strategy::kNone), 2 * nodes(layout, 16, Strategy::kNone)) << layout;
    for (size_t i = 2; i < std::size(kChannels); ++i) {
      const double growth = static_cast<double>(nodes(layout, kChannels[i], Strategy::kNone)) /
                            static_cast<double>(nodes(layout, kChannels[i - 1], Strategy::kNone));
      EXPECT_NEAR(growth, 2, 0.05) << layout << ' ' << kChannels[i];
    }
  }
}

TEST(SearchEffort, AssetsLowerItInBothLayouts) {
  for (const std::string layout : {"NCHW", "HWNC"}) {
    for (const int64_t channels : kChannels) {
      EXPECT_LT(nodes(layout, channels, Strategy::kAssets), nodes(layout, channels, Strategy::kNone)) << channels;
    }
  }
}

TEST(SearchEffort, BoundsEndItsGrowth) {
  for (const std::string layout : {"NCHW", "HWNC"}) {
    const auto at_64 = static_cast<double>(nodes(layout, 64, Strategy::kBounds));
    EXPECT_NEAR(static_cast<double>(nodes(layout, 512, Strategy::kBounds)), at_64, at_64 / 10) << layout;
  }
}

TEST(SearchEffort, WithBothTheLayoutHardlyMatters) {
  for (const int64_t channels : kChannels) {
    const uint64_t nchw = nodes("NCHW", channels, Strategy::kAssetsAndBounds);
    const uint64_t hwnc = nodes("HWNC", channels, Strategy::kAssetsAndBounds);
    EXPECT_LE(nchw > hwnc ? nchw - hwnc : hwnc - nchw, 2U) << channels;
  }
}

/// The four times need images that are large enough: rectangles soon leave little of small ones.
TEST(SearchEffort, OfNchwRisesWithTheImage) {
  const auto ratio = [](int64_t pixels) {
    const auto effort = [&](const std::string& layout) {
      const Problem problem = problem_of(convolution(64, pixels, 3), row_of_16x16(), {}, SumDomain::kInstances);
      return static_cast<double>(search_scalars(problem, Strategy::kNone, order_in(layout)).effort.nodes);
    };
    return effort("NCHW") / effort("HWNC");
  };
  EXPECT_LT(ratio(5), 4);
  EXPECT_GT(ratio(7), 4);
  EXPECT_GT(ratio(56), 6);
}

/// With one node for all additions to an element, as in the instruction, HWNC has nothing to try in vain: there is no
/// growth to end, and a portfolio costs more than the one search that is ideal.
TEST(SearchEffort, OfSumsOverElementsDoesNotGrow) {
  for (const int64_t channels : {16, 512}) {
    const ScalarSearch hwnc = search("HWNC", channels, Strategy::kNone, SumDomain::kElements);
    EXPECT_EQ(hwnc.effort.nodes, 29U);
    EXPECT_EQ(hwnc.effort.fails, 0U);
    EXPECT_GT(search("HWNC", channels, Strategy::kAssets, SumDomain::kElements).effort.nodes, hwnc.effort.nodes);
    EXPECT_GE(search("NCHW", channels, Strategy::kNone, SumDomain::kElements).effort.nodes, 4 * hwnc.effort.nodes);
  }
}

TEST(SearchEffort, EmbedsChannelsAsTheReferenceDoes) {
  const Problem problem = problem_of(convolution(64, 14, 3), row_of_16x16(), {}, SumDomain::kInstances);
  const Solution solution = *search_scalars(problem, Strategy::kAssetsAndBounds, order_in("NCHW")).solution;
  for (int64_t oc = 0; oc < 16; ++oc) {
    for (int64_t ic = 0; ic < 16; ++ic) {
      EXPECT_EQ(solution.operations[static_cast<size_t>(oc * 16 + ic)], (Tuple{0, oc, 0, 0, ic, 0, 0}));
    }
  }
}

TEST(Layouts, OrderBothKindsOfAxes) {
  EXPECT_EQ(order_in("NCHW"), (AxisOrder{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(order_in("HWNC"), (AxisOrder{2, 3, 0, 1, 5, 6, 4}));
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
