/// The graph of a benchmark layer.
#include "compiler/benchmarks/layer_graph.h"

#include <gtest/gtest.h>

namespace covenant::compiler {
namespace {

/// Pads of a convolution of one channel on a square image: above, left, below, right.
std::vector<int64_t> pads(uint64_t inputs, uint64_t outputs, uint64_t kernel, uint64_t stride, uint64_t pad) {
  BenchmarkLayer layer;
  layer.name = "layer";
  layer.kind = BenchmarkKind::kConv;
  layer.batch = layer.in_channels = layer.out_channels = 1;
  layer.input_rows = layer.input_columns = inputs;
  layer.output_rows = layer.output_columns = outputs;
  layer.kernel = kernel;
  layer.stride = stride;
  layer.pad = pad;
  return std::get<std::vector<int64_t>>(benchmark_graph(layer).nodes.at(0).attributes.at("pads"));
}

TEST(BenchmarkGraph, PadsBelowAndRightAreWhatTheOutputNeeds) {
  EXPECT_EQ(pads(5, 5, 3, 1, 1), (std::vector<int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(pads(6, 3, 3, 2, 1), (std::vector<int64_t>{1, 1, 0, 0}));
  EXPECT_EQ(pads(224, 112, 3, 2, 0), (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(pads(1, 2, 1, 40'000, 0), (std::vector<int64_t>{0, 0, 40'000, 40'000}));
}

}  // namespace
}  // namespace covenant::compiler
