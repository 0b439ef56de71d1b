#include "acg/encoding/mnemonic.h"

#include <tuple>

namespace covenant::acg {
namespace {

/// Mask of the bits below the highest one of a field.
uint32_t low_bits(const Field& field) { return (uint32_t{1} << (field.width - 1)) - 1; }

}  // namespace

int64_t lowest_value(const Field& field) {
  if (field.kind == FieldKind::kFixed) return static_cast<int64_t>(field.constant);
  return field.is_signed ? -(int64_t{1} << (field.width - 1)) * int64_t{field.scale} : 0;
}

int64_t highest_value(const Field& field) {
  if (field.kind == FieldKind::kFixed) return static_cast<int64_t>(field.constant);
  if (field.top != 0) return int64_t{field.top} + int64_t{low_bits(field)} * int64_t{field.scale};
  return ((int64_t{1} << (field.is_signed ? field.width - 1 : field.width)) - 1) * int64_t{field.scale};
}

int32_t value_of_bits(const Field& field, uint32_t bits) {
  if (field.kind == FieldKind::kFixed) return static_cast<int32_t>(field.constant);
  if (field.top != 0) {
    const uint32_t low = (bits & low_bits(field)) * field.scale;
    return static_cast<int32_t>((bits >> (field.width - 1)) * field.top + low);
  }
  if (field.is_signed && (bits >> (field.width - 1)) != 0) bits |= ~uint32_t{0} << (field.width - 1);
  return static_cast<int32_t>(bits * field.scale);
}

std::optional<uint32_t> bits_of_value(const Field& field, int64_t value) {
  if (value < lowest_value(field) || value > highest_value(field)) return std::nullopt;
  if (field.kind == FieldKind::kFixed) return 0;
  uint32_t high = 0;
  if (field.top != 0 && value >= field.top) {
    high = low_bits(field) + 1;
    value -= field.top;
  }
  if (value % int64_t{field.scale} != 0) return std::nullopt;
  const auto bits = static_cast<uint32_t>(value / int64_t{field.scale});
  if (field.top != 0 && bits > low_bits(field)) return std::nullopt;
  return bits | high;
}

bool Mnemonic::operator==(const Mnemonic& other) const {
  const auto all = [](const Mnemonic& of) {
    return std::tie(of.name, of.opcode, of.does, of.fields, of.encoding, of.syntax, of.slots, of.blocks, of.pipes,
                    of.latency);
  };
  return all(*this) == all(other);
}

}  // namespace covenant::acg
