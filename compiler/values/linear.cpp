/// conv and gemm as sums of products of bytes.
///
/// A signed element x is taken as u = x + 128, so that all bytes are unsigned; the padding around an image is the zero
/// point of u. A sum starts from the bias minus the zero point of u times the sum of the weights.
#include "compiler/values/linear.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "acg/base/check.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/products_of.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

int8_t weight_at(const Value& weights, size_t at) { return static_cast<int8_t>(weights.data[at]); }

/// Outputs `first`, first + 1, ... of a layer. `element`: as for PackedWeights.
template <typename Element>
Outputs outputs_of(const Problem& problem, size_t first, size_t count, size_t runs, size_t run_length,
                   Element&& element) {
  PackedWeights weights(problem.simd, count, runs, run_length, element);
  const std::vector<int32_t> bias = bias_of(problem);
  const uint32_t zero = zero_byte(problem.input(0));
  std::vector<int32_t> starts;
  for (size_t o = 0; o < count; ++o) {
    starts.push_back(static_cast<int32_t>(static_cast<uint32_t>(bias[first + o]) - zero * weights.sum(o)));
  }
  return {std::move(weights), std::move(starts), requantizer_of(problem), first};
}

Kernel gemm_kernel(const Problem& problem) {
  const Value& x = problem.input(0);
  const Value& w = problem.input(1);
  const size_t inner = w.shape[0];
  const size_t width = w.shape[1];
  auto outputs = std::make_shared<Outputs>(
      outputs_of(problem, 0, width, 1, inner, [&](size_t o, size_t, size_t i) { return weight_at(w, i * width + o); }));
  auto positions = std::make_shared<std::vector<uint32_t>>();
  for (size_t n = 0; n < x.shape[0]; ++n) positions->push_back(static_cast<uint32_t>(n * inner));
  const bool has_sign = is_signed(x);
  const size_t size = size_of(x);
  return {has_sign ? size + kSlack : 0, [=](auto inputs, uint8_t* y, uint8_t* scratch) {
            const uint8_t* bytes = inputs[0];
            if (has_sign) bytes = flipped(bytes, size, scratch);
            constexpr std::array<uint32_t, 1> kRuns{0};
            make_outputs(*outputs, bytes, *positions, kRuns, y, width);
          }};
}

/// Start offsets of the runs of bytes that a position of the window reads in a padded image, for the first channel of a
/// group.
std::vector<uint32_t> runs_of(const Window& window, size_t channels, bool whole_rows) {
  std::vector<uint32_t> runs;
  for (size_t row = 0; row < window.kernel[0]; ++row) {
    for (size_t column = 0; column < (whole_rows ? 1 : window.kernel[1]); ++column) {
      const size_t at = row * window.dilations[0] * window.padded_columns() + column * window.dilations[1];
      runs.push_back(static_cast<uint32_t>(at * channels));
    }
  }
  return runs;
}

Kernel conv_kernel(const Problem& problem) {
  const Value& x = problem.input(0);
  const Value& w = problem.input(1);
  const Window window = window_of(problem);
  const size_t channels = x.shape[1];
  const auto groups = static_cast<size_t>(srdfg::groups(problem.node));
  const size_t own = channels / groups;                    // input channels that an output reads
  const size_t made = problem.output().shape[1] / groups;  // outputs of one group
  const auto [rows, columns] = window.kernel;
  // Without gaps, the columns of a kernel row are contiguous.
  const bool whole_rows = groups == 1 && (window.dilations[1] == 1 || columns == 1);
  const std::vector<uint32_t> runs = runs_of(window, channels, whole_rows);
  const size_t taps = rows * columns;
  auto all = std::make_shared<std::vector<Outputs>>();
  for (size_t group = 0; group < groups; ++group) {
    all->push_back(outputs_of(problem, group * made, made, runs.size(), whole_rows ? columns * own : own,
                              [&, group](size_t o, size_t r, size_t i) {
                                const size_t tap = whole_rows ? r * columns + i / own : r;
                                return weight_at(w, ((group * made + o) * own + i % own) * taps + tap);
                              }));
  }
  auto positions = std::make_shared<std::vector<uint32_t>>(window.positions(channels));
  const size_t outputs = problem.output().shape[1];
  const PaddedImage padded(x, window);
  return {padded.bytes() + kSlack, [=](auto inputs, uint8_t* y, uint8_t* scratch) {
            for (size_t n = 0; n < padded.images(); ++n) {
              const uint8_t* image = padded.of(inputs[0], n, scratch);
              for (size_t group = 0; group < groups; ++group) {
                make_outputs((*all)[group], image + group * own, *positions, runs, y + n * positions->size() * outputs,
                             outputs);
              }
            }
          }};
}

bool is_known_product(const Problem& problem) {
  const bool is_conv = problem.node.operation == "conv";
  if (!is_conv && problem.node.operation != "gemm") return false;
  const Value& w = problem.input(1);
  const bool known = is_conv
                         ? has_only(problem.node, {"strides", "pads", "dilations", "group", "lowest", "highest",
                                                   reference::kFixedPoint, srdfg::kAccumulator})
                         : has_only(problem.node, {"lowest", "highest", reference::kFixedPoint, srdfg::kAccumulator});
  if (!known || !is_byte_activation(problem.input(0)) || !is_byte_activation(problem.output())) return false;
  if (!is_byte(w.dtype) || !is_signed(w) || w.modifier != srdfg::Modifier::kParam) return false;
  if (problem.node.inputs.size() > 2 && problem.input(2).dtype != DType::kI32) return false;
  // Offsets in an image have 32 bits.
  return !is_conv || PaddedImage(problem.input(0), window_of(problem)).bytes() < UINT32_MAX;
}

}  // namespace

std::optional<Kernel> linear_kernel(const Problem& problem) {
  if (!is_known_product(problem)) return std::nullopt;
  return problem.node.operation == "gemm" ? gemm_kernel(problem) : conv_kernel(problem);
}

std::optional<Kernel> depthwise_kernel(const Problem& problem) {
  if (!is_known_product(problem) || problem.node.operation != "conv") return std::nullopt;
  const auto groups = static_cast<size_t>(srdfg::groups(problem.node));
  if (groups == 1 || problem.input(0).shape[1] != groups || problem.output().shape[1] != groups) return std::nullopt;
  return depthwise(problem);
}

}  // namespace covenant::compiler::values
