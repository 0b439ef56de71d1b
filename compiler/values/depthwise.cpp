/// Depthwise convolutions (one channel per group): channels are adjacent in memory, and each has a sum of its own.
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "compiler/values/layout.h"
#include "compiler/values/linear.h"

namespace covenant::compiler::values {
namespace {

constexpr size_t kSummedChannels = 64;  // channels that are summed at once

struct Depthwise {
  size_t channels;
  std::vector<uint32_t> taps;       ///< offset of each tap from the position of the window
  std::vector<int16_t> weights;     ///< [taps][channels]
  std::vector<int32_t> starts;      ///< initial sum of each channel
  std::vector<uint32_t> positions;  ///< positions of the window
  Requantizer requantizer;
  Simd simd;

  /// Computes one padded image.
  void run(const uint8_t* image, uint8_t* y) const {
    alignas(64) std::array<int32_t, kSummedChannels> sums;  // NOLINT: written before it is read
    for (size_t first = 0; first < channels; first += kSummedChannels) {
      const size_t count = std::min(kSummedChannels, channels - first);
      for (size_t p = 0; p < positions.size(); ++p) {
        add(image + positions[p] + first, first, count, sums.data());
        requantizer.finish(sums.data(), first, count, y + p * channels + first);
      }
    }
  }

  void add(const uint8_t* x, size_t first, size_t count, int32_t* sums) const {
    const size_t step = channels;
    const std::span<const uint32_t> at(taps);
    const int16_t* const own = weights.data() + first;
    const int32_t* const begins = starts.data() + first;
    run_with(simd, [=]() __attribute__((always_inline)) {
      for (size_t c = 0; c < count; ++c) sums[c] = begins[c];
      for (size_t t = 0; t < at.size(); ++t) {
        const uint8_t* from = x + at[t];
        const int16_t* w = own + t * step;
        for (size_t c = 0; c < count; ++c) {
          // The product of an unsigned and a signed byte fits 16 bits.
          const auto product = static_cast<int16_t>(from[c] * w[c]);
          sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) + static_cast<uint32_t>(int32_t{product}));
        }
      }
    });
  }
};

}  // namespace

Kernel depthwise(const Problem& problem) {
  const srdfg::Value& x = problem.input(0);
  const Window window = window_of(problem);
  const size_t channels = x.shape[1];
  const size_t taps = window.kernel[0] * window.kernel[1];
  auto made = std::make_shared<Depthwise>(Depthwise{channels,
                                                    {},
                                                    std::vector<int16_t>(taps * channels),
                                                    bias_of(problem),
                                                    window.positions(channels),
                                                    requantizer_of(problem),
                                                    problem.simd});
  for (size_t t = 0; t < taps; ++t) {
    const size_t row = t / window.kernel[1] * window.dilations[0];
    const size_t column = t % window.kernel[1] * window.dilations[1];
    made->taps.push_back(static_cast<uint32_t>((row * window.padded_columns() + column) * channels));
    for (size_t c = 0; c < channels; ++c) {
      made->weights[t * channels + c] = static_cast<int8_t>(problem.input(1).data[c * taps + t]);
    }
  }
  for (size_t c = 0; c < channels; ++c) {
    uint32_t sum = 0;
    for (size_t t = 0; t < taps; ++t) sum += static_cast<uint32_t>(int32_t{made->weights[t * channels + c]});
    made->starts[c] = static_cast<int32_t>(static_cast<uint32_t>(made->starts[c]) - zero_byte(x) * sum);
  }
  const PaddedImage padded(x, window);
  return {padded.bytes() + kSlack, [=](auto inputs, uint8_t* y, uint8_t* scratch) {
            for (size_t n = 0; n < padded.images(); ++n) {
              made->run(padded.of(inputs[0], n, scratch), y + n * made->positions.size() * channels);
            }
          }};
}

}  // namespace covenant::compiler::values
