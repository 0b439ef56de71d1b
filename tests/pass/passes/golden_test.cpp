// The result of each pass for each operator, as text. COVENANT_REWRITE_GOLDEN=1 rewrites the files.
#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/passes/fuse.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  test::expect_golden("tests/golden/passes/" + name, text, "pass_passes.Golden");
}

void expect_goldens(const std::string& name, const Result<std::vector<Stage>>& stages) {
  ASSERT_TRUE(stages) << render(stages.error());
  for (const auto& [pass, made] : *stages) {
    expect_golden(fmt::format("{}.{}.cdlt", name, pass), print(made));
    const Result<codelet::Codelet> again = codelet::parse(print(made), name);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(*again, made);
  }
}

void expect_goldens(const std::string& name, const TestLayer& layer, const acg::Machine& machine) {
  expect_goldens(name, all_stages(layer, machine));
}

acg::Machine small() {
  return genesys({{"M", 8},
                  {"N", 4},
                  {"input_depth", 24},
                  {"weight_depth", 12},
                  {"bias_depth", 2},
                  {"output_depth", 16},
                  {"vector_depth", 6}});
}

TEST(Golden, Conv) { expect_goldens("conv", conv_layer({.ih = 8, .iw = 8, .ic = 16, .oc = 8}, DType::kU8), small()); }
TEST(Golden, ConvInOneTile) { expect_goldens("conv_one_tile", conv_layer({}, DType::kI8), genesys({})); }
TEST(Golden, Gemm) { expect_goldens("gemm", gemm_layer(2, 200, 10, DType::kI8), small()); }
TEST(Golden, Add) { expect_goldens("add", add_layer(36, 10, DType::kU8), small()); }
TEST(Golden, Clip) { expect_goldens("clip", clip_layer(36, 10, DType::kU8), small()); }
TEST(Golden, MaxPool) {
  expect_goldens("max_pool", max_pool_layer({.ih = 8, .iw = 8, .ic = 10, .sh = 2, .sw = 2}, DType::kI8), small());
}
TEST(Golden, GlobalAveragePool) {
  expect_goldens("global_average_pool", global_average_pool_layer(1, 4, 4, 10, DType::kU8), small());
}

/// A convolution, the sum with another tensor, and a clip, as one codelet.
TEST(Golden, FusedConvAddClip) {
  const ConvShape shape{.ih = 8, .iw = 8, .ic = 16, .oc = 10};
  const Result<FusedCodelet> sum =
      fuse(bound(conv_layer(shape, DType::kU8)), bound(add_layer(64, 10, DType::kU8)), {"y", {"a"}});
  ASSERT_TRUE(sum) << render(sum.error());
  const Result<FusedCodelet> all =
      fuse(sum->codelet, bound(clip_layer(64, 10, DType::kU8)), {sum->renamed.at("y"), {"x"}});
  ASSERT_TRUE(all) << render(all.error());
  expect_goldens("conv_add_clip", stages_of("fuse", all->codelet, small()));
}

}  // namespace
}  // namespace covenant::compiler::testing
