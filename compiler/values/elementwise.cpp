/// Kernels of lookup, clip, quantize and dequantize.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/srdfg/queries.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

Kernel by_table(size_t size, const std::array<uint8_t, 256>& table) {
  return {0, [=](auto inputs, uint8_t* y, uint8_t*) {
            const uint8_t* x = inputs[0];
            for (size_t i = 0; i < size; ++i) y[i] = table[x[i]];
          }};
}

int32_t widened(uint8_t byte, const Value& value) {
  return is_signed(value) ? int32_t{static_cast<int8_t>(byte)} : int32_t{byte};
}

std::optional<Kernel> lookup(const Problem& problem) {
  const Value& values = problem.input(1);
  const DType dtype = problem.input(0).dtype;
  if (!is_byte(dtype) || !is_byte(problem.output().dtype) || values.data.size() != size_t{1} << bits(dtype)) return {};
  std::array<uint8_t, 256> table;  // NOLINT: written before it is read
  for (size_t byte = 0; byte < table.size(); ++byte) table[byte] = values.data[byte % values.data.size()];
  return by_table(size_of(problem.output()), table);
}

std::optional<Kernel> clip(const Problem& problem) {
  if (!is_byte_activation(problem.input(0)) || !is_byte_activation(problem.output())) return {};
  const auto lowest = static_cast<int32_t>(srdfg::integer_attribute(problem.node, "lowest"));
  const auto highest = static_cast<int32_t>(srdfg::integer_attribute(problem.node, "highest"));
  std::array<uint8_t, 256> table;  // NOLINT: written before it is read
  for (size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] =
        static_cast<uint8_t>(std::clamp(widened(static_cast<uint8_t>(byte), problem.input(0)), lowest, highest));
  }
  return by_table(size_of(problem.output()), table);
}

std::optional<Kernel> quantize(const Problem& problem) {
  const Value& y = problem.output();
  if (problem.input(0).dtype != DType::kF32 || !is_byte_activation(y)) return {};
  const Rounding round(reference::Limits{zero_of(y), least_of(y.dtype), most_of(y.dtype)});
  const float scale = scale_of(y);
  const size_t size = size_of(y);
  const Simd simd = problem.simd;
  // The stored order of an image is converted to row-major order first.
  const bool is_image = is_channels_last(y);
  return Kernel{is_image ? size : 0, [=, shape = y](auto inputs, uint8_t* out, uint8_t* scratch) {
                  const auto* x = reinterpret_cast<const float*>(inputs[0]);
                  uint8_t* const row_major = is_image ? scratch : out;
                  run_with(simd, [=]() __attribute__((always_inline)) {
                    uint8_t* const __restrict to = row_major;
                    for (size_t i = 0; i < size; ++i) to[i] = round(x[i] / scale);
                  });
                  if (is_image) to_stored(shape, scratch, out);
                }};
}

std::optional<Kernel> dequantize(const Problem& problem) {
  const Value& x = problem.input(0);
  if (!is_byte_activation(x) || problem.output().dtype != DType::kF32) return {};
  std::array<float, 256> table;  // NOLINT: written before it is read
  for (size_t byte = 0; byte < table.size(); ++byte) {
    const int32_t element = widened(static_cast<uint8_t>(byte), x);
    table[byte] = static_cast<float>(element - zero_of(x)) * scale_of(x);
  }
  const size_t size = size_of(x);
  return Kernel{size, [=, shape = x](auto inputs, uint8_t* out, uint8_t* scratch) {
                  const uint8_t* bytes = inputs[0];
                  if (is_channels_last(shape)) {
                    to_row_major(shape, bytes, scratch);
                    bytes = scratch;
                  }
                  auto* y = reinterpret_cast<float*>(out);
                  for (size_t i = 0; i < size; ++i) y[i] = table[bytes[i]];
                }};
}

}  // namespace

std::optional<Kernel> elementwise_kernel(const Problem& problem) {
  const std::string& operation = problem.node.operation;
  if (!has_only(problem.node, {"lowest", "highest", reference::kFixedPoint})) return {};
  if (operation == "lookup") return lookup(problem);
  if (operation == "clip") return clip(problem);
  if (operation == "quantize") return quantize(problem);
  if (operation == "dequantize") return dequantize(problem);
  return {};
}

}  // namespace covenant::compiler::values
