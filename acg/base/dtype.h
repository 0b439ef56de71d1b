/// Element types of tensors, memories and capabilities.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "acg/base/check.h"

namespace covenant {

/// The first seven are those of programs: tensors, memories and registers have them. The others stand in capabilities
/// only. kFixed and kNamed are families: the format of an operand says which member it is.
enum class DType : uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kF32, kI4, kU4, kF16, kBF16, kFixed, kNamed };

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  uint32_t bits;  ///< 0 of families
  bool is_signed;
  bool is_float;
};

/// What tensors may consist of.
inline constexpr std::array<DTypeInfo, 7> kDTypes{{{DType::kI8, "i8", 8, true, false},
                                                   {DType::kU8, "u8", 8, false, false},
                                                   {DType::kI16, "i16", 16, true, false},
                                                   {DType::kU16, "u16", 16, false, false},
                                                   {DType::kI32, "i32", 32, true, false},
                                                   {DType::kU32, "u32", 32, false, false},
                                                   {DType::kF32, "f32", 32, true, true}}};

/// What only capabilities may name, in the order of the enumerators after those of kDTypes.
inline constexpr std::array<DTypeInfo, 6> kCapabilityDTypes{{{DType::kI4, "i4", 4, true, false},
                                                             {DType::kU4, "u4", 4, false, false},
                                                             {DType::kF16, "f16", 16, true, true},
                                                             {DType::kBF16, "bf16", 16, true, true},
                                                             {DType::kFixed, "fixed", 0, true, false},
                                                             {DType::kNamed, "named", 0, true, false}}};

constexpr const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < kDTypes.size() ? kDTypes[index] : kCapabilityDTypes[index - kDTypes.size()];
}
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr uint32_t bits(DType dtype) { return info(dtype).bits; }
/// Bytes of one element. Precondition: it has whole bytes (InternalError for i4, u4 and the families).
constexpr uint32_t bytes(DType dtype) {
  const uint32_t count = bits(dtype);
  if (count == 0 || count % 8 != 0) fail("bytes() of an element type without whole bytes");
  return count / 8;
}

/// The dtype of tensors called `name` ("i8", "f32", ...), if there is one.
constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& entry : kDTypes) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

/// The dtype called `name` that a capability may have; families are none (they need a format).
constexpr std::optional<DType> capability_dtype_named(std::string_view name) {
  if (const std::optional<DType> common = dtype_named(name)) return common;
  for (const DTypeInfo& entry : kCapabilityDTypes) {
    if (entry.name == name && entry.bits > 0) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace covenant
