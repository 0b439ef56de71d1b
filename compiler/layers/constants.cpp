#include "compiler/layers/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/srdfg/queries.h"

// Every product, sum and quotient here is rounded to f32 separately: this file is compiled without contraction.

namespace covenant::compiler {
namespace {

/// Weights with a sign, of 16 bits at most.
bool are_weights(const srdfg::Value& value) { return is_narrow(value.dtype) && info(value.dtype).is_signed; }

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

RowOrder same_order(uint64_t rows) {
  RowOrder order{rows, {}};
  for (uint64_t row = 0; row < rows; ++row) order.row.push_back(row);
  return order;
}

RowOrder flattened_order(const Storage& storage) {
  check(storage.dimensions.size() == 4, "what is flattened has channels, rows and columns");
  const StorageDimension& channels = storage.dimensions[1];
  const StorageDimension& rows = storage.dimensions[2];
  const StorageDimension& columns = storage.dimensions[3];
  RowOrder order{rows.size * columns.size * channels_in_memory(storage), {}};
  for (uint64_t c = 0; c < channels.size; ++c) {
    for (uint64_t h = 0; h < rows.size; ++h) {
      for (uint64_t w = 0; w < columns.size; ++w) {
        order.row.push_back(acg::steps_to(channels.strides, c) + acg::steps_to(rows.strides, h) +
                            acg::steps_to(columns.strides, w));
      }
    }
  }
  return order;
}

ConstantTensor conv_weights(const srdfg::Value& weights, uint64_t groups, uint64_t merged) {
  check(weights.shape.size() == 4 && are_weights(weights), "weights of a convolution are [O,I,KH,KW] with a sign");
  check(weights.shape[0] % groups == 0, "groups share channels out evenly");
  const uint64_t outputs = weights.shape[0] / groups;
  const uint64_t inputs = weights.shape[1];
  const uint64_t taps = weights.shape[2] * weights.shape[3];
  const uint64_t parts = ceil_divide(groups, merged);
  ConstantTensor result{{weights.shape[2], weights.shape[3], parts, merged * inputs, merged * outputs}, {}};
  const size_t width = bytes(weights.dtype);
  result.data.resize(taps * parts * merged * inputs * merged * outputs * width);
  size_t from = 0;
  for (uint64_t o = 0; o < weights.shape[0]; ++o) {
    const uint64_t part = o / (merged * outputs);
    const uint64_t first_input = o / outputs % merged * inputs;
    for (uint64_t i = 0; i < inputs; ++i) {
      for (uint64_t tap = 0; tap < taps; ++tap) {
        const uint64_t row = (tap * parts + part) * merged * inputs + first_input + i;
        const uint64_t to = row * merged * outputs + o % (merged * outputs);
        std::memcpy(&result.data[to * width], &weights.data[from++ * width], width);
      }
    }
  }
  if (parts == 1) result.shape.erase(result.shape.begin() + 2);
  return result;
}

ConstantTensor gemm_weights(const srdfg::Value& weights, const RowOrder& order) {
  check(weights.shape.size() == 2 && weights.shape[0] == order.row.size() && are_weights(weights),
        "weights of a gemm are [K,O] with a sign");
  const uint64_t columns = weights.shape[1];
  const size_t row_bytes = columns * bytes(weights.dtype);
  ConstantTensor result{{order.rows, columns}, std::vector<uint8_t>(order.rows * row_bytes)};
  for (uint64_t k = 0; k < order.row.size(); ++k) {
    const auto from = weights.data.begin() + static_cast<std::ptrdiff_t>(k * row_bytes);
    std::copy_n(from, row_bytes, result.data.begin() + static_cast<std::ptrdiff_t>(order.row[k] * row_bytes));
  }
  return result;
}

ConstantTensor lane_constant(const srdfg::Value& value, const std::vector<size_t>& order) {
  const std::vector<uint64_t> own = srdfg::row_major_strides(value.shape);
  std::vector<uint64_t> shape;
  std::vector<uint64_t> strides;
  for (const size_t d : order) {
    shape.push_back(value.shape.at(d));
    strides.push_back(own[d]);
  }
  return {{srdfg::element_count(value.shape) / shape.back(), shape.back()},
          srdfg::gathered(value.data, shape, strides, bytes(value.dtype))};
}

ConstantTensor once_a_channel(const std::vector<float>& numbers, const std::vector<uint64_t>& shape) {
  std::vector<float> all;
  for (const float number : numbers) all.insert(all.end(), shape.back(), number);
  ConstantTensor result{shape, std::vector<uint8_t>(all.size() * sizeof(float))};
  std::memcpy(result.data.data(), all.data(), result.data.size());
  return result;
}

ConstantTensor folded_bias(const srdfg::Value* bias, const srdfg::Value& weights, size_t channel_axis,
                           int32_t input_zero_point) {
  const uint64_t channels = weights.shape.at(channel_axis);
  uint64_t inner = 1;
  for (size_t i = channel_axis + 1; i < weights.shape.size(); ++i) inner *= weights.shape[i];
  std::vector<uint32_t> folded(channels);
  if (bias != nullptr) {
    check(bias->data.size() == channels * 4, "a bias has one i32 per output channel");
    std::memcpy(folded.data(), bias->data.data(), bias->data.size());
  }
  const uint32_t zero_point = static_cast<uint32_t>(input_zero_point);
  const std::vector<int64_t> elements = srdfg::integer_elements(weights);
  for (size_t i = 0; i < elements.size();) {
    for (uint64_t channel = 0; channel < channels; ++channel) {
      uint32_t sum = 0;
      for (uint64_t k = 0; k < inner; ++k) sum += static_cast<uint32_t>(elements[i++]);
      folded[channel] -= zero_point * sum;
    }
  }
  return {{channels}, bytes_of(folded)};
}

ConstantTensor grouped_bias(const srdfg::Value& weights, int32_t input_zero_point) {
  check(weights.shape.size() == 3, "weights of grouped products are [G,K,O]");
  const uint64_t outputs = weights.shape[2];
  std::vector<uint32_t> folded(weights.shape[0] * outputs);
  const uint32_t zero_point = static_cast<uint32_t>(input_zero_point);
  const std::vector<int64_t> elements = srdfg::integer_elements(weights);
  for (size_t i = 0; i < elements.size(); ++i) {
    const size_t group = i / (weights.shape[1] * outputs);
    folded[group * outputs + i % outputs] -= zero_point * static_cast<uint32_t>(elements[i]);
  }
  return {{weights.shape[0], outputs}, bytes_of(folded)};
}

ConstantTensor output_scales(const srdfg::Value& input, const srdfg::Value& weights, const srdfg::Value& output,
                             uint64_t channels) {
  const float input_scale = input.quantization.value().scales.at(0);
  const float output_scale = output.quantization.value().scales.at(0);
  const std::vector<float>& weight_scales = weights.quantization.value().scales;
  check(weight_scales.size() == 1 || weight_scales.size() == channels, "one scale, or one per output channel");
  std::vector<float> scales(channels);
  for (uint64_t o = 0; o < channels; ++o) {
    const float product = input_scale * weight_scales[weight_scales.size() == 1 ? 0 : o];
    scales[o] = product / output_scale;
  }
  return {{channels}, bytes_of(scales)};
}

AddScalars add_scalars(const srdfg::Quantization& a, const srdfg::Quantization& b, const srdfg::Quantization& y) {
  AddScalars scalars;
  scalars.scale_a = a.scales.at(0) / y.scales.at(0);
  scalars.scale_b = b.scales.at(0) / y.scales.at(0);
  const float zero_of_a = scalars.scale_a * static_cast<float>(a.zero_points.at(0));
  const float zeros = std::fmaf(scalars.scale_b, static_cast<float>(b.zero_points.at(0)), zero_of_a);
  scalars.offset = static_cast<float>(y.zero_points.at(0)) - zeros;
  return scalars;
}

float product_scale(const srdfg::Quantization& a, const srdfg::Quantization& b, const srdfg::Quantization& y) {
  const float product = a.scales.at(0) * b.scales.at(0);
  return product / y.scales.at(0);
}

float mean_scale(const srdfg::Quantization& x, const srdfg::Quantization& y, uint64_t pixels) {
  if (pixels == 0) return 0;
  const float divisor = y.scales.at(0) * static_cast<float>(pixels);
  return x.scales.at(0) / divisor;
}

}  // namespace covenant::compiler
