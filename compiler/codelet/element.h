/// Converts elements of tensors (little-endian, at least one byte each) to 32-bit lanes and back.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "acg/base/dtype.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Lowest and highest value of an integer dtype.
inline std::pair<int64_t, int64_t> integer_range(DType dtype) { return {lowest(dtype), highest(dtype)}; }

/// Reads an element as a lane: integers sign- or zero-extended, f32 as its bits.
inline int32_t load_element(DType dtype, const uint8_t* at) {
  switch (dtype) {
    case DType::kI8:
      return static_cast<int8_t>(*at);
    case DType::kU8:
      return *at;
    case DType::kI4:
      return static_cast<int8_t>(*at << 4) >> 4;
    case DType::kU4:
      return *at & 15;
    case DType::kI16: {
      int16_t value = 0;
      std::memcpy(&value, at, 2);
      return value;
    }
    case DType::kU16: {
      uint16_t value = 0;
      std::memcpy(&value, at, 2);
      return value;
    }
    default: {
      int32_t value = 0;
      std::memcpy(&value, at, 4);
      return value;
    }
  }
}

/// Truncates `value` to the width of `dtype` and stores it; elements of less than a byte are extended to one byte.
inline void store_element(DType dtype, int32_t value, uint8_t* at) {
  if (dtype == DType::kI4) value = static_cast<int8_t>(value << 4) >> 4;
  if (dtype == DType::kU4) value &= 15;
  std::memcpy(at, &value, bytes(dtype));
}

/// The lane of a scalar constant.
inline int32_t lane(const Constant& constant) {
  return constant.dtype == DType::kF32 ? std::bit_cast<int32_t>(constant.real) : static_cast<int32_t>(constant.integer);
}

/// All lanes of a constant: one, or one per entry of a table.
inline std::vector<int32_t> lanes(const Constant& constant) {
  if (constant.table.empty()) return {lane(constant)};
  std::vector<int32_t> result(constant.table.size() / bytes(constant.dtype));
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = load_element(constant.dtype, &constant.table[i * bytes(constant.dtype)]);
  }
  return result;
}

/// The lane of an integer `value` in a tensor of `dtype`: an f32 tensor holds it as a float.
inline int32_t lane(DType dtype, int64_t value) {
  return dtype == DType::kF32 ? std::bit_cast<int32_t>(static_cast<float>(value)) : static_cast<int32_t>(value);
}

}  // namespace covenant::compiler::codelet
