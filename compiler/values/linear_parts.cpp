#include <algorithm>
#include <cstring>

#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"
#include "compiler/values/layout.h"
#include "compiler/values/linear.h"

namespace covenant::compiler::values {
namespace {

size_t size(int64_t number) { return static_cast<size_t>(number); }

}  // namespace

Window window_of(const Problem& problem) {
  const std::vector<uint64_t>& x = problem.input(0).shape;
  const std::vector<uint64_t>& w = problem.input(1).shape;
  const std::vector<uint64_t>& y = problem.output().shape;
  const std::vector<int64_t>& strides = srdfg::integers_attribute(problem.node, "strides");
  const std::vector<int64_t>& pads = srdfg::integers_attribute(problem.node, "pads");
  const std::array<int64_t, 2> dilations = srdfg::dilations(problem.node);
  return {{w[2], w[3]},
          {size(strides[0]), size(strides[1])},
          {size(dilations[0]), size(dilations[1])},
          {size(pads[0]), size(pads[1])},
          {x[2], x[3]},
          {x[2] + size(pads[0] + pads[2]), x[3] + size(pads[1] + pads[3])},
          {y[2], y[3]}};
}

std::vector<uint32_t> Window::positions(size_t channels) const {
  std::vector<uint32_t> begins;
  for (size_t row = 0; row < outputs[0]; ++row) {
    for (size_t column = 0; column < outputs[1]; ++column) {
      const size_t at = row * strides[0] * padded[1] + column * strides[1];
      begins.push_back(static_cast<uint32_t>(at * channels));
    }
  }
  return begins;
}

PaddedImage::PaddedImage(const srdfg::Value& x, const Window& window)
    : images_(x.shape[0]),
      channels_(x.shape[1]),
      image_(window.image),
      rows_(window.padded[0]),
      columns_(window.padded[1]),
      before_(window.before),
      zero_(zero_byte(x)),
      is_signed_(is_signed(x)) {}

const uint8_t* PaddedImage::of(const uint8_t* x, size_t n, uint8_t* scratch) const {
  const size_t line = image_[1] * channels_;
  const uint8_t* from = x + n * image_[0] * line;
  if (rows_ == image_[0] && columns_ == image_[1]) {
    return is_signed_ ? flipped(from, image_[0] * line, scratch) : from;
  }
  const size_t padded_line = columns_ * channels_;
  std::memset(scratch, zero_, before_[0] * padded_line);
  uint8_t* to = scratch + before_[0] * padded_line;
  for (size_t row = 0; row < image_[0]; ++row, from += line, to += padded_line) {
    const size_t left = before_[1] * channels_;
    std::memset(to, zero_, left);
    if (is_signed_) {
      flipped(from, line, to + left);
    } else {
      std::memcpy(to + left, from, line);
    }
    std::memset(to + left + line, zero_, padded_line - left - line);
  }
  std::memset(to, zero_, static_cast<size_t>(scratch + bytes() - to));
  return scratch;
}

uint8_t zero_byte(const srdfg::Value& x) {
  const int32_t zero_point = zero_of(x);
  return static_cast<uint8_t>(is_signed(x) ? zero_point + 128 : zero_point);
}

const uint8_t* flipped(const uint8_t* x, size_t size, uint8_t* to) {
  for (size_t i = 0; i < size; ++i) to[i] = x[i] ^ 0x80U;
  return to;
}

std::vector<int32_t> bias_of(const Problem& problem) {
  const srdfg::Value& w = problem.input(1);
  std::vector<int32_t> bias(w.shape[problem.node.operation == "gemm" ? 1 : 0]);
  if (problem.node.inputs.size() < 3) return bias;
  const std::vector<int64_t> elements = srdfg::integer_elements(problem.input(2));
  std::transform(elements.begin(), elements.end(), bias.begin(), [](int64_t one) { return static_cast<int32_t>(one); });
  return bias;
}

Requantizer requantizer_of(const Problem& problem) {
  const srdfg::Quantization& w = problem.input(1).quantization.value();
  const float x_scale = scale_of(problem.input(0));
  const float y_scale = scale_of(problem.output());
  std::vector<float> scales;
  for (size_t o = 0; o < problem.output().shape[1]; ++o) {
    scales.push_back(reference::product_scale(x_scale, w.scales.at(w.axis == -1 ? 0 : o), y_scale));
  }
  return {reference::limits_of(problem.node, problem.output()), std::move(scales), problem.simd,
          srdfg::accumulator_bits(problem.node)};
}

}  // namespace covenant::compiler::values
