#include "compiler/target/stream/setting.h"

#include "acg/base/check.h"
#include "compiler/target/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Half;
using acg::Instruction;
using acg::Operation;

int64_t low_half(int32_t value) { return static_cast<uint32_t>(value) & 0xFFFFU; }
int64_t high_half(int32_t value) { return static_cast<uint32_t>(value) >> 16; }
int64_t code(Half half) { return static_cast<int64_t>(half); }

/// For 32-bit values set in two words of which the low one also gives the high half: `implied_high`.
struct Halves {
  bool low = false;
  bool high = false;
};
Halves halves_to_write(const std::optional<int32_t>& from, int32_t to, int64_t implied_high) {
  if (from == to) return {};
  if (high_half(to) == implied_high) return {true, false};
  const bool low_stands = from && low_half(*from) == low_half(to);
  return {!low_stands, true};
}

std::vector<Instruction> change_base(const Setting& setting, const std::optional<SettingValue>& from,
                                     const SettingValue& to) {
  const bool slot_stands = from && (*from)[1] == to[1];
  std::optional<int32_t> address;
  if (slot_stands) address = (*from)[0];
  const Halves write = halves_to_write(address, to[0], 0);
  std::vector<Instruction> words;
  const auto word = [&](Half half, int64_t value) {
    words.push_back(instruction(Operation::kBase,
                                {{"operand", setting.first}, {"half", code(half)}, {"slot", to[1]}, {"value", value}}));
  };
  if (write.low) word(Half::kLow, low_half(to[0]));
  if (write.high) word(Half::kHigh, high_half(to[0]));
  return words;
}

std::vector<Instruction> change_stride(const Setting& setting, const std::optional<SettingValue>& from,
                                       const SettingValue& to) {
  std::optional<int32_t> stride;
  if (from) stride = (*from)[0];
  const Halves write = halves_to_write(stride, to[0], 0);
  std::vector<Instruction> words;
  const auto word = [&](Half half, int64_t value) {
    words.push_back(
        instruction(Operation::kStride,
                    {{"operand", setting.first}, {"level", setting.second}, {"half", code(half)}, {"value", value}}));
  };
  if (write.low) word(Half::kLow, low_half(to[0]));
  if (write.high) word(Half::kHigh, high_half(to[0]));
  return words;
}

std::vector<Instruction> change_iterator(const Setting& setting, const std::optional<SettingValue>& from,
                                         const SettingValue& to) {
  const bool is_stride = setting.kind == Operation::kSimdStride;
  std::optional<int32_t> value;
  if (from) value = (*from)[0];
  const bool negative = (low_half(to[0]) & 0x8000) != 0;
  const Halves write = halves_to_write(value, to[0], is_stride && negative ? 0xFFFF : 0);
  std::vector<Instruction> words;
  const int64_t low = is_stride ? static_cast<int64_t>(static_cast<int16_t>(low_half(to[0]))) : low_half(to[0]);
  if (write.low) {
    words.push_back(instruction(setting.kind, {{"memory", setting.first}, {"index", setting.second}, {"value", low}}));
  }
  if (write.high) {
    words.push_back(instruction(is_stride ? Operation::kSimdStrideHigh : Operation::kSimdBaseHigh,
                                {{"memory", setting.first}, {"index", setting.second}, {"value", high_half(to[0])}}));
  }
  return words;
}

std::vector<Instruction> change_immediate(const Setting& setting, const std::optional<SettingValue>& from,
                                          const SettingValue& to) {
  std::optional<int32_t> value;
  if (from) value = (*from)[0];
  const Halves write = halves_to_write(value, to[0], 0);
  std::vector<Instruction> words;
  if (write.low) {
    words.push_back(instruction(Operation::kImmediateLow, {{"slot", setting.first}, {"value", low_half(to[0])}}));
  }
  if (write.high) {
    words.push_back(instruction(Operation::kImmediateHigh, {{"slot", setting.first}, {"value", high_half(to[0])}}));
  }
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

std::vector<Instruction> change(const Setting& setting, const std::optional<SettingValue>& from,
                                const SettingValue& to) {
  if (from == to) return {};
  switch (setting.kind) {
    case Operation::kTrip:
      return {instruction(Operation::kTrip, {{"level", setting.first}, {"last", to[0]}, {"reduction", to[1]}})};
    case Operation::kBase:
      return change_base(setting, from, to);
    case Operation::kStride:
      return change_stride(setting, from, to);
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
      return change_iterator(setting, from, to);
    case Operation::kImmediateLow:
      return change_immediate(setting, from, to);
    case Operation::kTypes:
      return {instruction(Operation::kTypes, {{"dst", to[0]}, {"src1", to[1]}, {"src2", to[2]}})};
    case Operation::kQuantization:
      return {instruction(Operation::kQuantization, {{"zero_point", to[0]}, {"lowest", to[1]}, {"highest", to[2]}})};
    default:
      fail("an operation that sets nothing is no setting");
  }
}

}  // namespace covenant::compiler::stream
