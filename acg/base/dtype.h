/// Element types of tensors, memories and capabilities.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "acg/base/check.h"

namespace covenant {

/// The first nine are element types of programs: tensors, memories and registers use them. The others occur in
/// capabilities only. kFixed and kNamed are families: the format of an operand says which member is meant.
///
/// Elements of less than a byte are packed in the memories of a machine, the first one in the lowest bits of a byte.
/// Outside of the machine each element takes one byte, which holds its value extended.
enum class DType : uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kF32, kI4, kU4, kF16, kBF16, kFixed, kNamed };

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  uint32_t bits;  ///< 0 for families
  bool is_signed;
  bool is_float;
};

/// Element types of tensors.
inline constexpr std::array<DTypeInfo, 9> kDTypes{{{DType::kI8, "i8", 8, true, false},
                                                   {DType::kU8, "u8", 8, false, false},
                                                   {DType::kI16, "i16", 16, true, false},
                                                   {DType::kU16, "u16", 16, false, false},
                                                   {DType::kI32, "i32", 32, true, false},
                                                   {DType::kU32, "u32", 32, false, false},
                                                   {DType::kF32, "f32", 32, true, true},
                                                   {DType::kI4, "i4", 4, true, false},
                                                   {DType::kU4, "u4", 4, false, false}}};

/// Element types that only capabilities may name, in the order of the enumerators after those of kDTypes.
inline constexpr std::array<DTypeInfo, 4> kCapabilityDTypes{{{DType::kF16, "f16", 16, true, true},
                                                             {DType::kBF16, "bf16", 16, true, true},
                                                             {DType::kFixed, "fixed", 0, true, false},
                                                             {DType::kNamed, "named", 0, true, false}}};

constexpr const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < kDTypes.size() ? kDTypes[index] : kCapabilityDTypes[index - kDTypes.size()];
}
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr uint32_t bits(DType dtype) { return info(dtype).bits; }
/// Bytes of one unpacked element, rounded up: 1 for i4 and u4. InternalError for the families.
constexpr uint32_t bytes(DType dtype) {
  const uint32_t count = bits(dtype);
  if (count == 0) fail("bytes() of an element type without a size");
  return (count + 7) / 8;
}
/// Bytes that `elements` elements take packed in a memory; a partly used last byte counts whole.
constexpr uint64_t packed_bytes(DType dtype, uint64_t elements) {
  const uint64_t in_a_byte = bits(dtype) < 8 ? 8 / bits(dtype) : 1;
  return in_a_byte == 1 ? elements * bytes(dtype) : elements / in_a_byte + (elements % in_a_byte != 0 ? 1 : 0);
}
/// Lowest and highest value of an integer dtype.
constexpr int64_t lowest(DType dtype) { return info(dtype).is_signed ? -(int64_t{1} << (bits(dtype) - 1)) : 0; }
constexpr int64_t highest(DType dtype) { return lowest(dtype) + (int64_t{1} << bits(dtype)) - 1; }
/// True for integers of less than 32 bits: the types of quantised activations and weights.
constexpr bool is_narrow(DType dtype) { return !info(dtype).is_float && bits(dtype) > 0 && bits(dtype) < 32; }

/// The signed integer dtype of the same width.
constexpr DType with_sign(DType dtype) {
  switch (dtype) {
    case DType::kU4:
      return DType::kI4;
    case DType::kU8:
      return DType::kI8;
    case DType::kU16:
      return DType::kI16;
    case DType::kU32:
      return DType::kI32;
    default:
      return dtype;
  }
}

/// The dtype of tensors called `name` ("i8", "f32", ...), or nothing if there is none.
constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& entry : kDTypes) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

/// The dtype called `name` that a capability may have. Nothing for families, which need a format.
constexpr std::optional<DType> capability_dtype_named(std::string_view name) {
  if (const std::optional<DType> common = dtype_named(name)) return common;
  for (const DTypeInfo& entry : kCapabilityDTypes) {
    if (entry.name == name && entry.bits > 0) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace covenant
