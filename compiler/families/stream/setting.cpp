#include "compiler/families/stream/setting.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Instruction;
using acg::Operation;

/// Part `k` of a number, as an unsigned field holds it.
int64_t part(int32_t value, uint32_t k, uint32_t bits) {
  return static_cast<uint32_t>(value) >> (k * bits) & (bits >= 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1);
}

/// The lowest `bits` of a number, zero- or sign-extended.
int32_t extended(int32_t value, uint32_t bits, bool is_signed) {
  if (bits >= 32) return value;
  const uint32_t top = static_cast<uint32_t>(value) << (32 - bits);
  return is_signed ? static_cast<int32_t>(top) >> (32 - bits) : static_cast<int32_t>(top >> (32 - bits));
}

/// Parts first..last; empty if first > last. Setting a part also extends it to all bits above, so parts are set in
/// order.
struct Parts {
  uint32_t first = 1;
  uint32_t last = 0;
};
Parts parts_to_write(const std::optional<int32_t>& from, int32_t to, uint32_t bits, bool is_signed = false) {
  if (from == to) return {};
  Parts parts{0, 0};
  while (extended(to, (parts.last + 1) * bits, is_signed) != to) ++parts.last;
  // Parts that already have their value need not be written again.
  const auto stands = [&](uint32_t below) { return extended(*from, below, false) == extended(to, below, false); };
  if (from) parts.first = parts.last;
  while (parts.first > 0 && !stands(parts.first * bits)) --parts.first;
  return parts;
}

std::vector<Instruction> change_base(const Setting& setting, const std::optional<SettingValue>& from,
                                     const SettingValue& to, uint32_t bits) {
  const bool slot_stands = from && (*from)[1] == to[1];
  std::optional<int32_t> address;
  if (slot_stands) address = (*from)[0];
  std::vector<Instruction> words;
  const Parts write = parts_to_write(address, to[0], bits);
  for (uint32_t k = write.first; k <= write.last; ++k) {
    words.push_back(instruction(
        Operation::kBase, {{"operand", setting.first}, {"half", k}, {"slot", to[1]}, {"value", part(to[0], k, bits)}}));
  }
  return words;
}

std::vector<Instruction> change_stride(const Setting& setting, const std::optional<SettingValue>& from,
                                       const SettingValue& to, uint32_t bits) {
  std::optional<int32_t> stride;
  if (from) stride = (*from)[0];
  std::vector<Instruction> words;
  const Parts write = parts_to_write(stride, to[0], bits);
  for (uint32_t k = write.first; k <= write.last; ++k) {
    words.push_back(instruction(
        Operation::kStride,
        {{"operand", setting.first}, {"level", setting.second}, {"half", k}, {"value", part(to[0], k, bits)}}));
  }
  return words;
}

std::vector<Instruction> change_iterator(const Setting& setting, const std::optional<SettingValue>& from,
                                         const SettingValue& to, const acg::WordParts& widths) {
  const bool is_stride = setting.kind == Operation::kSimdStride;
  const uint32_t bits = is_stride ? widths.simd_stride.bits : widths.simd_base.bits;
  std::optional<int32_t> value;
  if (from) value = (*from)[0];
  std::vector<Instruction> words;
  const Parts write = parts_to_write(value, to[0], bits, is_stride);
  for (uint32_t k = write.first; k <= write.last; ++k) {
    if (k == 0) {
      const int64_t low = is_stride ? extended(to[0], bits, true) : part(to[0], 0, bits);
      words.push_back(
          instruction(setting.kind, {{"memory", setting.first}, {"index", setting.second}, {"value", low}}));
      continue;
    }
    words.push_back(instruction(
        is_stride ? Operation::kSimdStrideHigh : Operation::kSimdBaseHigh,
        {{"memory", setting.first}, {"index", setting.second}, {"value", part(to[0], k, bits)}, {"part", k - 1}}));
  }
  return words;
}

std::vector<Instruction> change_immediate(const Setting& setting, const std::optional<SettingValue>& from,
                                          const SettingValue& to, uint32_t bits) {
  std::optional<int32_t> value;
  if (from) value = (*from)[0];
  std::vector<Instruction> words;
  const Parts write = parts_to_write(value, to[0], bits);
  for (uint32_t k = write.first; k <= write.last; ++k) {
    const int64_t here = part(to[0], k, bits);
    words.push_back(
        k == 0 ? instruction(Operation::kImmediateLow, {{"slot", setting.first}, {"value", here}})
               : instruction(Operation::kImmediateHigh, {{"slot", setting.first}, {"value", here}, {"part", k - 1}}));
  }
  return words;
}

/// One word sets the low parts of all three numbers and clears the parts above; another sets the high parts.
std::vector<Instruction> change_quantization(const std::optional<SettingValue>& from, const SettingValue& to,
                                             const acg::ValueParts& parts) {
  const uint32_t bits = parts.bits;
  const auto word = [&](Operation operation, uint32_t k) {
    return instruction(
        operation,
        {{"zero_point", part(to[0], k, bits)}, {"lowest", part(to[1], k, bits)}, {"highest", part(to[2], k, bits)}});
  };
  const auto is_alike = [&](const SettingValue& other, uint32_t k) {
    return std::ranges::all_of(std::array<size_t, 3>{0, 1, 2},
                               [&](size_t i) { return part(other[i], k, bits) == part(to[i], k, bits); });
  };
  std::vector<Instruction> words;
  const bool stands = from && is_alike(*from, 0);
  if (!stands) words.push_back(word(Operation::kQuantization, 0));
  if (parts.count > 1 && !is_alike(stands ? *from : SettingValue{}, 1))
    words.push_back(word(Operation::kQuantizationHigh, 1));
  return words;
}

/// `trip` clears the strides of its level; `index` then names those that advance.
std::vector<Instruction> change_simd_level(const Setting& setting, const SettingValue& to) {
  std::vector<Instruction> words{instruction(Operation::kSimdTrip, {{"level", setting.first}, {"last", to[0]}})};
  if (to[1] != 0) {
    words.push_back(instruction(Operation::kSimdIndex, {{"dst_memory", to[2]},
                                                        {"dst", to[3]},
                                                        {"src1_memory", to[4]},
                                                        {"src1", to[5]},
                                                        {"src2_memory", to[6]},
                                                        {"src2", to[7]}}));
  }
  return words;
}

}  // namespace

SettingValue reset_value(const Setting& setting) {
  SettingValue value{};
  if (setting.kind == Operation::kSimdReduce) value[0] = acg::kSimdLevels;
  return value;
}

std::vector<Instruction> change(const Setting& setting, const std::optional<SettingValue>& from, const SettingValue& to,
                                const acg::WordParts& parts) {
  if (from == to) return {};
  switch (setting.kind) {
    case Operation::kTrip:
      return {instruction(Operation::kTrip, {{"level", setting.first}, {"last", to[0]}, {"reduction", to[1]}})};
    case Operation::kBase:
      return change_base(setting, from, to, parts.base.bits);
    case Operation::kStride:
      return change_stride(setting, from, to, parts.stride.bits);
    case Operation::kLimit:
      return {instruction(Operation::kLimit, {{"axis", setting.first}, {"value", to[0]}})};
    case Operation::kFill:
      return {instruction(Operation::kFill, {{"value", to[0]}})};
    case Operation::kSimdTrip:
      return change_simd_level(setting, to);
    case Operation::kSimdReduce:
      return {instruction(Operation::kSimdReduce, {{"first_level", to[0]}})};
    case Operation::kSimdBase:
    case Operation::kSimdStride:
      return change_iterator(setting, from, to, parts);
    case Operation::kImmediateLow:
      return change_immediate(setting, from, to, parts.immediate.bits);
    case Operation::kTable:
      return {instruction(Operation::kTable, {{"index", setting.first}, {"value", static_cast<uint32_t>(to[0])}})};
    case Operation::kTypes:
      return {instruction(Operation::kTypes, {{"dst", to[0]}, {"src1", to[1]}, {"src2", to[2]}})};
    case Operation::kQuantization:
      return change_quantization(from, to, parts.quantization);
    default:
      fail("an operation that sets nothing is no setting");
  }
}

}  // namespace covenant::compiler::stream
