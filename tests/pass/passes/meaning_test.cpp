// Every operator on every array shape, with memories so small that all loops are split, and so large that none is.
#include <gtest/gtest.h>
#include <set>

#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

struct Array {
  int64_t rows, columns;
};
constexpr Array kArrays[] = {{16, 16}, {8, 8}, {8, 24}, {20, 12}, {3, 5}};

acg::Machine tiny(Array array) {
  return genesys({{"M", array.rows},
                  {"N", array.columns},
                  {"input_depth", 4},
                  {"weight_depth", 2},
                  {"bias_depth", 1},
                  {"output_depth", 2},
                  {"vector_depth", 3}});
}

std::vector<TestLayer> convolutions(DType dtype) {
  return {
      conv_layer({.ih = 6, .iw = 7, .ic = 30, .oc = 26}, dtype),
      conv_layer({.n = 2, .ih = 8, .iw = 8, .ic = 20, .oc = 12, .sh = 2, .sw = 2, .pb = 0, .pr = 0}, dtype),
      conv_layer({.ih = 5, .iw = 6, .ic = 48, .oc = 48, .kh = 1, .kw = 1, .pt = 0, .pl = 0, .pb = 0, .pr = 0}, dtype),
      conv_layer({.ih = 8, .iw = 9, .ic = 20, .oc = 9, .sw = 2, .pt = 2, .pl = 3, .pb = 2, .pr = 1, .dh = 2, .dw = 3},
                 dtype),
      conv_layer(
          {.ih = 9, .iw = 7, .ic = 3, .oc = 16, .kh = 5, .kw = 2, .sh = 3, .sw = 1, .pt = 2, .pl = 0, .pb = 1, .pr = 1},
          dtype)};
}

std::vector<TestLayer> others(DType dtype) {
  std::vector<TestLayer> layers{
      gemm_layer(1, 64, 10, dtype),
      gemm_layer(6, 50, 40, dtype),
      add_layer(24, 40, dtype),
      clip_layer(24, 40, dtype),
      global_average_pool_layer(2, 3, 2, 40, dtype),
      max_pool_layer(
          {.ih = 6, .iw = 6, .ic = 40, .kh = 2, .kw = 2, .sh = 2, .sw = 2, .pt = 0, .pl = 0, .pb = 0, .pr = 0}, dtype),
      max_pool_layer({.ih = 7, .iw = 5, .ic = 10, .sh = 2, .sw = 1}, dtype),
      max_pool_layer({.ih = 9, .iw = 8, .ic = 10, .sw = 2, .dh = 3, .dw = 2}, dtype)};
  return layers;
}

/// Variables of loops that have transfers below them.
std::set<std::string> tile_variables(const codelet::Codelet& scheduled) {
  std::set<std::string> result;
  for_each_operation(scheduled.body,
                     [&](const codelet::Operation& operation, const std::vector<const codelet::Loop*>& around) {
                       if (!std::holds_alternative<codelet::Transfer>(operation.op)) return;
                       for (const codelet::Loop* loop : around) result.insert(loop->variable);
                     });
  return result;
}

void expect_all_well(const TestLayer& layer, const acg::Machine& machine) {
  SCOPED_TRACE(layer.codelet + " on " + std::to_string(machine.parameters.at("M")) + "x" +
               std::to_string(machine.parameters.at("N")));
  const Result<std::vector<Stage>> stages = all_stages(layer, machine);
  ASSERT_TRUE(stages) << render(stages.error());
  Random random(20);
  expect_same_meaning(*stages, machine, random);
  expect_scheduled_form(stages->back().second, machine);
}

TEST(Meaning, OfConvolutionsIsKept) {
  for (const Array array : kArrays) {
    for (const DType dtype : {DType::kU8, DType::kI8}) {
      for (const TestLayer& layer : convolutions(dtype)) {
        expect_all_well(layer, genesys({{"M", array.rows}, {"N", array.columns}}));
        expect_all_well(layer, tiny(array));
      }
    }
  }
}

TEST(Meaning, OfGroupsIsKept) {
  for (const Array array : kArrays) {
    const acg::Machine machines[] = {genesys({{"M", array.rows}, {"N", array.columns}}), tiny(array)};
    for (const acg::Machine& machine : machines) {
      for (const DType dtype : {DType::kU8, DType::kI8}) {
        expect_all_well(grouped_conv_layer({.ih = 5, .iw = 6, .ic = array.columns, .oc = array.columns}, 3, dtype),
                        machine);
        expect_all_well(
            grouped_conv_layer(
                {.ih = 7, .iw = 5, .ic = 2 * array.columns, .oc = array.columns, .sh = 2, .pt = 2, .dh = 2}, 2, dtype),
            machine);
      }
    }
  }
}

TEST(Meaning, OfOtherOperatorsIsKept) {
  for (const Array array : kArrays) {
    for (const DType dtype : {DType::kU8, DType::kI8}) {
      for (const TestLayer& layer : others(dtype)) {
        expect_all_well(layer, genesys({{"M", array.rows}, {"N", array.columns}}));
        expect_all_well(layer, tiny(array));
      }
    }
  }
}

/// Their windows have to fit a buffer.
TEST(Meaning, OfAveragesIsKept) {
  for (const Array array : kArrays) {
    for (const DType dtype : {DType::kU8, DType::kI8}) {
      for (const int64_t depth : {64, 1024}) {
        const acg::Machine machine = genesys({{"M", array.rows}, {"N", array.columns}, {"vector_depth", depth}});
        expect_all_well(average_pool_layer({.ih = 17, .iw = 15, .ic = 30, .sh = 2, .sw = 1}, dtype), machine);
        expect_all_well(average_pool_layer({.ih = 9, .iw = 8, .ic = 10, .sw = 2, .dh = 3, .dw = 2}, dtype), machine);
      }
    }
  }
}

TEST(Meaning, TinyMemoriesSplitEveryLoopOfAConvolution) {
  const TestLayer layer = conv_layer({.n = 2, .ih = 6, .iw = 6, .ic = 12, .oc = 20, .pb = 1, .pr = 1}, DType::kU8);
  const acg::Machine machine = genesys({{"M", 3},
                                        {"N", 5},
                                        {"input_depth", 1},
                                        {"weight_depth", 1},
                                        {"bias_depth", 1},
                                        {"output_depth", 1},
                                        {"vector_depth", 1}});
  const Result<std::vector<Stage>> stages = all_stages(layer, machine);
  ASSERT_TRUE(stages) << render(stages.error());
  EXPECT_EQ(tile_variables(stages->back().second), (std::set<std::string>{"n", "oc", "oh", "ow", "ic", "kh", "kw"}));
  Random random(21);
  expect_same_meaning(*stages, machine, random);
  expect_scheduled_form(stages->back().second, machine);
}

/// Windows and planes that fit no tile: their reductions are continued from tile to tile.
TEST(Meaning, LargePoolsAreContinued) {
  for (const DType dtype : {DType::kU8, DType::kI8}) {
    const std::vector<TestLayer> pools{
        max_pool_layer({.ih = 17, .iw = 16, .ic = 20, .kh = 15, .kw = 15, .pt = 7, .pl = 3, .pb = 2, .pr = 3}, dtype),
        max_pool_layer({.ih = 20, .iw = 9, .ic = 5, .kh = 6, .kw = 4, .sh = 3, .sw = 2}, dtype),
        average_pool_integer_layer({.ih = 17, .iw = 15, .ic = 30, .kh = 9, .kw = 7, .sw = 2}, dtype, false),
        average_pool_integer_layer({.ih = 9, .iw = 8, .ic = 10, .sw = 2, .dh = 3, .dw = 2}, dtype, true),
        global_average_pool_layer(2, 9, 12, 40, dtype),
        global_average_pool_layer(1, 31, 17, 10, dtype)};
    for (const Array array : kArrays) {
      for (const TestLayer& layer : pools) expect_all_well(layer, tiny(array));
    }
  }
  const Result<std::vector<Stage>> stages =
      all_stages(global_average_pool_layer(1, 30, 30, 16, DType::kU8), tiny({16, 16}));
  ASSERT_TRUE(stages) << render(stages.error());
  EXPECT_TRUE(tile_variables(stages->back().second).contains("ih")) << print(stages->back().second);
}

/// A layer that fits whole is not split, whatever overlap a split might gain.
TEST(Meaning, PoolsThatFitAreNotSplit) {
  const Result<std::vector<Stage>> stages =
      all_stages(global_average_pool_layer(1, 30, 30, 16, DType::kU8), genesys({}));
  ASSERT_TRUE(stages) << render(stages.error());
  EXPECT_FALSE(tile_variables(stages->back().second).contains("ih")) << print(stages->back().second);
}

/// Large memories split for the sake of overlap only: where tile loops are forbidden, everything is one tile.
TEST(Meaning, LargeMemoriesNeedNoTileLoops) {
  const Result<std::vector<Stage>> stages =
      all_stages(conv_layer({}, DType::kU8), genesys({}), {}, {.max_tile_loops = 0});
  ASSERT_TRUE(stages) << render(stages.error());
  EXPECT_TRUE(tile_variables(stages->back().second).empty()) << print(stages->back().second);
}

}  // namespace
}  // namespace covenant::compiler::testing
