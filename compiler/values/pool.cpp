/// Kernels of max_pool, average_pool and global_average_pool: channels are adjacent in memory, and each has an element
/// of its own.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

constexpr size_t kChannels = 64;  // channels that are handled at once

/// The elements of an image that each window covers, in the order in which they are summed.
struct Windows {
  std::vector<uint32_t> begins;  ///< per window: start of its places; one more entry for the end of the last window
  std::vector<uint32_t> places;  ///< offsets of the first channel of each pixel
  size_t count() const { return begins.size() - 1; }
};

Windows windows_of(const Problem& problem) {
  const std::vector<uint64_t>& x = problem.input(0).shape;
  const std::vector<uint64_t>& y = problem.output().shape;
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(problem.node, "kernel");
  const std::vector<int64_t>& strides = srdfg::integers_attribute(problem.node, "strides");
  const std::vector<int64_t>& pads = srdfg::integers_attribute(problem.node, "pads");
  const std::array<int64_t, 2> gaps = srdfg::dilations(problem.node);
  const auto seen = [&](size_t axis, uint64_t position) {
    std::vector<int64_t> found;
    for (int64_t k = 0; k < kernel[axis]; ++k) {
      const int64_t at = static_cast<int64_t>(position) * strides[axis] - pads[axis] + k * gaps[axis];
      if (at >= 0 && at < static_cast<int64_t>(x[2 + axis])) found.push_back(at);
    }
    return found;
  };
  Windows windows{{0}, {}};
  for (uint64_t row = 0; row < y[2]; ++row) {
    for (uint64_t column = 0; column < y[3]; ++column) {
      for (const int64_t r : seen(0, row)) {
        for (const int64_t c : seen(1, column)) {
          windows.places.push_back(
              static_cast<uint32_t>((static_cast<uint64_t>(r) * x[3] + static_cast<uint64_t>(c)) * x[1]));
        }
      }
      windows.begins.push_back(static_cast<uint32_t>(windows.places.size()));
    }
  }
  return windows;
}

/// Calls `make` for each window of an image and up to kChannels channels at a time, with the places that the window
/// covers, the first channel, the number of channels, and the destination of the results.
template <typename Make>
Kernel pooled(const Problem& problem, const Make& make) {
  const Value& x = problem.input(0);
  const size_t channels = x.shape[1];
  const size_t images = x.shape[0];
  const size_t image = size_of(x) / std::max<size_t>(1, images);
  auto windows = std::make_shared<Windows>(windows_of(problem));
  return {0, [=](auto inputs, uint8_t* y, uint8_t*) {
            for (size_t n = 0; n < images; ++n) {
              for (size_t w = 0; w < windows->count(); ++w, y += channels) {
                const std::span<const uint32_t> places(windows->places.data() + windows->begins[w],
                                                       windows->places.data() + windows->begins[w + 1]);
                for (size_t c = 0; c < channels; c += kChannels) {
                  make(w, places, inputs[0] + n * image + c, std::min(kChannels, channels - c), y + c);
                }
              }
            }
          }};
}

template <typename Byte>
Kernel max_pool(const Problem& problem) {
  const Simd simd = problem.simd;
  const auto least = static_cast<Byte>(least_of(problem.output().dtype));  // result of an empty window
  return pooled(problem,
                [simd, least](size_t, std::span<const uint32_t> places, const uint8_t* x, size_t count, uint8_t* y) {
                  run_with(simd, [=]() __attribute__((always_inline)) {
                    std::array<Byte, kChannels> most;  // NOLINT: written before it is read
                    for (size_t c = 0; c < count; ++c) most[c] = least;
                    for (const uint32_t place : places) {
                      const auto* from = reinterpret_cast<const Byte*>(x + place);
                      for (size_t c = 0; c < count; ++c) most[c] = from[c] > most[c] ? from[c] : most[c];
                    }
                    for (size_t c = 0; c < count; ++c) y[c] = static_cast<uint8_t>(most[c]);
                  });
                });
}

template <typename Byte>
Kernel average_pool(const Problem& problem) {
  const Simd simd = problem.simd;
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(problem.node, "kernel");
  const bool counts_pads = problem.node.attributes.contains("count_pads");
  const auto all = static_cast<size_t>(kernel[0] * kernel[1]);
  const float x_scale = scale_of(problem.input(0));
  const int32_t x_zero = zero_of(problem.input(0));
  const float y_scale = scale_of(problem.output());
  const bool is_outside = is_signed(problem.input(0)) != is_signed(problem.output());
  const auto y_zero = static_cast<float>(is_outside ? 0 : zero_of(problem.output()));
  const reference::Limits limits = reference::limits_of(problem.node, problem.output());
  const Rounding round(reference::Limits{is_outside ? limits.zero_point : 0, limits.lowest, limits.highest});
  return pooled(problem, [=](size_t, std::span<const uint32_t> places, const uint8_t* x, size_t count, uint8_t* y) {
    const auto counted = static_cast<float>(counts_pads ? all : places.size());
    run_with(simd, [=]() __attribute__((always_inline)) {
      std::array<float, kChannels> total;  // NOLINT: written before it is read
      for (size_t c = 0; c < count; ++c) total[c] = 0;
      for (const uint32_t place : places) {
        const auto* from = reinterpret_cast<const Byte*>(x + place);
        for (size_t c = 0; c < count; ++c) total[c] += static_cast<float>(from[c] - x_zero) * x_scale;
      }
      for (size_t c = 0; c < count; ++c) y[c] = round(total[c] / counted / y_scale + y_zero);
    });
  });
}

/// x_scale / f32(y_scale * f32(elements)); 0 for no elements.
float mean_scale(const Problem& problem, size_t elements) {
  const float divisor = scale_of(problem.output()) * static_cast<float>(elements);
  return elements == 0 ? 0 : scale_of(problem.input(0)) / divisor;
}

/// Exact sums of the elements less the zero point, for up to kChannels channels.
template <typename Byte>
void sum_of(Simd simd, std::span<const uint32_t> places, const uint8_t* x, size_t count, int32_t x_zero,
            int32_t* sums) {
  run_with(simd, [=]() __attribute__((always_inline)) {
    for (size_t c = 0; c < count; ++c) sums[c] = 0;
    for (const uint32_t place : places) {
      const auto* from = reinterpret_cast<const Byte*>(x + place);
      for (size_t c = 0; c < count; ++c) {
        sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) + static_cast<uint32_t>(from[c] - x_zero));
      }
    }
  });
}

/// Average pool in fixed point; the scale depends on the number of elements in the window.
template <typename Byte>
Kernel fixed_average_pool(const Problem& problem) {
  const Simd simd = problem.simd;
  std::vector<float> scales;
  for (const float elements : srdfg::elements_seen(problem.node, problem.input(0).shape, problem.output().shape)) {
    scales.push_back(mean_scale(problem, static_cast<size_t>(elements)));
  }
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(problem.node, "kernel");
  const int32_t doublings = reference::fixed_doublings(scales, kernel[0] * kernel[1]);
  const int32_t shift = reference::fixed_shift(scales) + doublings;
  std::vector<int64_t> fractions;
  for (const float scale : scales) fractions.push_back(fixed_fraction(std::ldexp(scale, -doublings), shift));
  const FixedRounding round(reference::limits_of(problem.node, problem.output()), shift);
  const int32_t x_zero = zero_of(problem.input(0));
  return pooled(problem, [=, fractions = std::move(fractions)](size_t window, std::span<const uint32_t> places,
                                                               const uint8_t* x, size_t count, uint8_t* y) {
    std::array<int32_t, kChannels> sums;  // NOLINT: written before it is read
    sum_of<Byte>(simd, places, x, count, x_zero, sums.data());
    for (size_t c = 0; c < count; ++c) y[c] = round(sums[c] << doublings, fractions[window]);
  });
}

template <typename Byte>
Kernel global_average_pool(const Problem& problem) {
  const Value& x = problem.input(0);
  const Simd simd = problem.simd;
  const size_t channels = x.shape[1];
  const size_t images = x.shape[0];
  const size_t pixels = x.shape[2] * x.shape[3];
  const int32_t x_zero = zero_of(x);
  const reference::Limits limits = reference::limits_of(problem.node, problem.output());
  const float scale = mean_scale(problem, pixels);
  const int32_t doublings = limits.is_fixed ? reference::fixed_doublings({&scale, 1}, static_cast<int64_t>(pixels)) : 0;
  const auto requantizer =
      std::make_shared<Requantizer>(limits, std::vector<float>{std::ldexp(scale, -doublings)}, simd);
  auto places = std::make_shared<std::vector<uint32_t>>();
  for (size_t p = 0; p < pixels; ++p) places->push_back(static_cast<uint32_t>(p * channels));
  return {0, [=](auto inputs, uint8_t* y, uint8_t*) {
            std::array<int32_t, kChannels> sums;  // NOLINT: written before it is read
            for (size_t n = 0; n < images; ++n, y += channels) {
              for (size_t c = 0; c < channels; c += kChannels) {
                const size_t count = std::min(kChannels, channels - c);
                sum_of<Byte>(simd, *places, inputs[0] + n * pixels * channels + c, count, x_zero, sums.data());
                for (size_t i = 0; i < count; ++i) sums[i] <<= doublings;
                requantizer->finish_alike(sums.data(), count, y + c);
              }
            }
          }};
}

template <typename Byte>
std::optional<Kernel> pool_of(const Problem& problem) {
  const std::string& operation = problem.node.operation;
  if (operation == "max_pool") return max_pool<Byte>(problem);
  if (operation == "global_average_pool") return global_average_pool<Byte>(problem);
  return problem.node.attributes.contains(reference::kFixedPoint) ? fixed_average_pool<Byte>(problem)
                                                                  : average_pool<Byte>(problem);
}

}  // namespace

std::optional<Kernel> pool_kernel(const Problem& problem) {
  const std::string& operation = problem.node.operation;
  if (operation != "max_pool" && operation != "average_pool" && operation != "global_average_pool") return {};
  if (!has_only(problem.node, {"kernel", "strides", "pads", "dilations", "lowest", "highest", "count_pads",
                               reference::kFixedPoint})) {
    return {};
  }
  if (!is_byte_activation(problem.input(0)) || !is_byte_activation(problem.output())) return {};
  return is_signed(problem.input(0)) ? pool_of<int8_t>(problem) : pool_of<uint8_t>(problem);
}

}  // namespace covenant::compiler::values
