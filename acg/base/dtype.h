/// Element types of tensors, memories and capabilities.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace covenant {

enum class DType : uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kF32 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  uint32_t bits;
  bool is_signed;
  bool is_float;
};

inline constexpr std::array<DTypeInfo, 7> kDTypes{{{DType::kI8, "i8", 8, true, false},
                                                   {DType::kU8, "u8", 8, false, false},
                                                   {DType::kI16, "i16", 16, true, false},
                                                   {DType::kU16, "u16", 16, false, false},
                                                   {DType::kI32, "i32", 32, true, false},
                                                   {DType::kU32, "u32", 32, false, false},
                                                   {DType::kF32, "f32", 32, true, true}}};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr uint32_t bits(DType dtype) { return info(dtype).bits; }
constexpr uint32_t bytes(DType dtype) { return info(dtype).bits / 8; }

/// The dtype called `name` ("i8", "f32", ...), if there is one.
constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& entry : kDTypes) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace covenant
