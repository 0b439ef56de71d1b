#include "acg/base/packed_elements.h"

#include <algorithm>
#include <cstring>

namespace covenant {
namespace {

/// Extends an integer of less than 32 bits by its sign or by zeros; returns other values unchanged.
int32_t extended(DType dtype, uint32_t value) {
  const uint32_t width = bits(dtype);
  if (width >= 32) return static_cast<int32_t>(value);
  const uint32_t top = value << (32 - width);
  return info(dtype).is_signed ? static_cast<int32_t>(top) >> (32 - width) : static_cast<int32_t>(top >> (32 - width));
}

}  // namespace

void set_packed(DType dtype, std::span<uint8_t> bytes, uint64_t index, int32_t value) {
  const uint32_t width = bits(dtype);
  if (width == 8) {
    bytes[index] = static_cast<uint8_t>(value);
    return;
  }
  if (width > 8) {
    std::memcpy(&bytes[index * (width / 8)], &value, width / 8);
    return;
  }
  const auto shift = static_cast<uint32_t>(index * width % 8);
  const uint32_t mask = ((1U << width) - 1) << shift;
  uint8_t& byte = bytes[index * width / 8];
  byte = static_cast<uint8_t>((byte & ~mask) | (static_cast<uint32_t>(value) << shift & mask));
}

void fill_packed(DType dtype, std::span<uint8_t> bytes, uint64_t count, int32_t value) {
  if (bits(dtype) == 8) {
    std::fill_n(bytes.begin(), count, static_cast<uint8_t>(value));
    return;
  }
  for (uint64_t i = 0; i < count; ++i) set_packed(dtype, bytes, i, value);
}

int32_t get_packed(DType dtype, std::span<const uint8_t> bytes, uint64_t index) {
  const uint32_t width = bits(dtype);
  uint32_t value = 0;
  if (width >= 8) {
    std::memcpy(&value, &bytes[index * (width / 8)], width / 8);
  } else {
    value = uint32_t{bytes[index * width / 8]} >> (index * width % 8);
  }
  return extended(dtype, value);
}

std::vector<uint8_t> packed(DType dtype, std::span<const uint8_t> elements) {
  if (bits(dtype) >= 8) return {elements.begin(), elements.end()};
  std::vector<uint8_t> result(packed_bytes(dtype, elements.size()));
  for (size_t i = 0; i < elements.size(); ++i) set_packed(dtype, result, i, elements[i]);
  return result;
}

std::vector<uint8_t> unpacked(DType dtype, std::span<const uint8_t> bytes, uint64_t count) {
  if (bits(dtype) >= 8) return {bytes.begin(), bytes.begin() + static_cast<int64_t>(count * covenant::bytes(dtype))};
  std::vector<uint8_t> result(count);
  for (uint64_t i = 0; i < count; ++i) result[i] = static_cast<uint8_t>(get_packed(dtype, bytes, i));
  return result;
}

}  // namespace covenant
