#include "sim/stream/simd_array/simd_settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/base/check.h"
#include "sim/common/fault.h"
#include "sim/stream/common/address_generator.h"
#include "sim/stream/simd_array/operands.h"

namespace covenant::sim {
namespace {

/// Counted from the low part, which is 0.
uint64_t high_part(const acg::Instruction& word, size_t operand) {
  return uint64_t{1} + operand::unsigned_value(word, operand);
}

}  // namespace

SimdSettings::SimdSettings(std::vector<bool> connected, const acg::WordParts& parts, uint32_t table_bytes)
    : connected_(std::move(connected)),
      parts_(parts),
      bases_(connected_.size() * acg::kIteratorEntries),
      strides_(connected_.size() * acg::kIteratorEntries),
      table_(table_bytes) {}

void SimdSettings::clear() {
  std::fill(bases_.begin(), bases_.end(), 0);
  std::fill(strides_.begin(), strides_.end(), 0);
  levels_.fill({});
  current_level_ = 0;
  first_reduction_ = acg::kSimdLevels;
  immediates_.fill(0);
  types_.fill(acg::SimdType::kI8);
  quantization_ = {};
  std::fill(table_.begin(), table_.end(), 0);
}

void SimdSettings::set_entry(const acg::Machine& machine, const acg::Instruction& word) {
  const Entry entry{operand::unsigned_value(word, operand::kEntryMemory),
                    operand::unsigned_value(word, operand::kEntryIndex)};
  if (!connected_[entry.memory]) {
    raise("SIM0040", "the SIMD array has no edge to this memory", machine.memories[entry.memory].name, {},
          "name a memory that the array reads or writes");
  }
  const uint32_t value = operand::unsigned_value(word, operand::kEntryValue);
  uint32_t& base = bases_[at(entry)];
  uint32_t& stride = strides_[at(entry)];
  switch (word.operation) {
    case acg::Operation::kSimdBase:
      base = with_part(base, 0, parts_.simd_base.bits, value);
      break;
    case acg::Operation::kSimdBaseHigh:
      base = with_part(base, high_part(word, operand::kEntryPart), parts_.simd_base.bits, value);
      break;
    case acg::Operation::kSimdStride:
      stride = with_part(stride, 0, parts_.simd_stride.bits, value, true);
      break;
    default:
      stride = with_part(stride, high_part(word, operand::kEntryPart), parts_.simd_stride.bits, value, true);
      break;
  }
}

/// The table is one number, its lowest byte first. A part past its end sets nothing.
void SimdSettings::set_table(uint32_t index, uint32_t value) {
  const uint64_t first = uint64_t{index} * parts_.table.bits;
  const uint64_t end = std::min<uint64_t>(first + parts_.table.bits, uint64_t{table_.size()} * 8);
  for (uint64_t bit = first; bit < end; ++bit) {
    const auto mask = static_cast<uint8_t>(1U << (bit % 8));
    const bool is_set = (value >> (bit - first) & 1U) != 0;
    table_[bit / 8] = static_cast<uint8_t>(is_set ? table_[bit / 8] | mask : table_[bit / 8] & ~mask);
  }
}

void SimdSettings::set_quantization(const acg::Instruction& word, uint32_t part) {
  const auto set = [&](uint32_t& number, size_t position) {
    number = with_part(number, part, parts_.quantization.bits, operand::unsigned_value(word, position));
  };
  set(quantization_.zero_point, operand::kZeroPoint);
  set(quantization_.lowest, operand::kLowest);
  set(quantization_.highest, operand::kHighest);
}

void SimdSettings::configure(const acg::Machine& machine, const acg::Instruction& word) {
  const auto value = [&word](size_t position) { return operand::unsigned_value(word, position); };
  switch (word.operation) {
    case acg::Operation::kSimdTrip:
      current_level_ = value(operand::kSimdTripLevel);
      levels_[current_level_] = {};
      levels_[current_level_].count = operand::count_value(word, operand::kSimdTripLast) + 1;
      break;
    case acg::Operation::kSimdIndex:
      levels_[current_level_].has_index = true;
      for (size_t k = 0; k < 3; ++k) {
        levels_[current_level_].strides[k] = {value(operand::memory_of(k)), value(operand::entry_of(k))};
      }
      break;
    case acg::Operation::kSimdReduce:
      first_reduction_ = value(operand::kReduceFirstLevel);
      if (first_reduction_ > acg::kSimdLevels) {
        raise("SIM0047", "there is no such level of the nest", fmt::format("first_level {}", first_reduction_),
              {"0..8"}, "use 8 for no reduction");
      }
      break;
    case acg::Operation::kSimdBase:
    case acg::Operation::kSimdBaseHigh:
    case acg::Operation::kSimdStride:
    case acg::Operation::kSimdStrideHigh:
      set_entry(machine, word);
      break;
    case acg::Operation::kImmediateLow:
    case acg::Operation::kImmediateHigh: {
      uint32_t& slot = immediates_[value(operand::kImmediateSlot)];
      const bool low = word.operation == acg::Operation::kImmediateLow;
      slot = with_part(slot, low ? 0 : high_part(word, operand::kImmediatePart), parts_.immediate.bits,
                       value(operand::kImmediateValue));
      break;
    }
    case acg::Operation::kTypes:
      for (size_t k = 0; k < 3; ++k) types_[k] = static_cast<acg::SimdType>(value(k));
      break;
    case acg::Operation::kQuantization:
      set_quantization(word, 0);
      break;
    case acg::Operation::kQuantizationHigh:
      set_quantization(word, 1);
      break;
    case acg::Operation::kTable:
      set_table(value(operand::kTableIndex), value(operand::kTableValue));
      break;
    default:
      fail("not a configuration word of the SIMD array");
  }
}

}  // namespace covenant::sim
