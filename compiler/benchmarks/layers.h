/// Named layers of published networks, as benchmarks for compilers and machines (compiler/benchmarks/table2.csv).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"

namespace covenant::compiler {

enum class BenchmarkKind : uint8_t { kGemm, kConv };

/// One row of the table. Sizes that do not apply to the kind are 0. Convolutions are square: image, kernel, stride,
/// padding.
struct BenchmarkLayer {
  std::string name;  ///< "ResNet50/CONV1"
  BenchmarkKind kind = BenchmarkKind::kGemm;
  uint64_t heads = 1;  ///< independent products, each with inputs and weights of its own
  uint64_t m = 0;      ///< rows of inputs and outputs
  uint64_t k = 0;      ///< columns of inputs, rows of weights
  uint64_t n = 0;      ///< columns of weights and outputs
  uint64_t batch = 0;
  uint64_t input_rows = 0;
  uint64_t input_columns = 0;
  uint64_t output_rows = 0;
  uint64_t output_columns = 0;
  uint64_t kernel = 0;
  uint64_t in_channels = 0;
  uint64_t out_channels = 0;
  uint64_t stride = 0;
  uint64_t pad = 0;  ///< padding above and left; below and right it follows from the output's size
  std::string note;
  bool operator==(const BenchmarkLayer&) const = default;
};

/// All rows, in the order of the table.
std::vector<BenchmarkLayer> benchmark_layers();

/// Error: GEN0040 for a name that is not in the table.
Result<BenchmarkLayer> benchmark_layer(std::string_view name);

/// Largest sizes of a cropped layer; 0 leaves a size as it is. Kernels, strides and padding are kept.
struct Crop {
  uint64_t heads = 0;
  uint64_t m = 0;
  uint64_t k = 0;
  uint64_t n = 0;
  uint64_t output_rows = 0;
  uint64_t output_columns = 0;
  uint64_t in_channels = 0;
  uint64_t out_channels = 0;
};

/// The layer with its sizes reduced; the image of a convolution shrinks to what its output needs.
///
///     cropped(*benchmark_layer("ResNet50/CONV2"), {.output_rows = 7, .output_columns = 7})
BenchmarkLayer cropped(const BenchmarkLayer& layer, const Crop& crop);

/// Multiply-accumulates of the layer.
uint64_t benchmark_macs(const BenchmarkLayer& layer);

}  // namespace covenant::compiler
