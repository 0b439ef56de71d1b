#include "sim/stream/common/address_generator.h"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "sim/common/fault.h"
#include "sim/stream/common/operands.h"

namespace covenant::sim {

AddressGenerator::AddressGenerator(const AddressedUnit& unit) : unit_(unit) {
  check(unit.operands.size() <= kMostAddressed && unit.inner_loops <= kMaxInnerLoops,
        "a unit of more operands or loops");
  channels_.fill(1);
  for (size_t k = 0; k < unit.operands.size(); ++k) {
    if (unit.operands[k].has_channel) channels_[k] = acg::kChannelSlots;
  }
}

void AddressGenerator::clear() {
  operands_.fill({});
  last_.fill(0);
  is_reduction_.fill(false);
}

/// Place among the operands of the unit.
size_t AddressGenerator::checked_place(uint32_t number) const {
  const size_t place = place_of(static_cast<acg::AddressOperand>(number));
  if (place < unit_.operands.size()) return place;
  std::vector<std::string> names;
  for (const AddressedOperand& operand : unit_.operands) names.emplace_back(operand.name);
  raise("SIM0020", "this engine has no address generator for the operand", fmt::format("operand {}", number),
        std::move(names), "address an operand of this unit");
}

bool AddressGenerator::has_level(uint32_t level) const {
  return level < acg::kTileLoops || (level >= unit_.first_level && level < unit_.first_level + unit_.inner_loops);
}

void AddressGenerator::configure(const acg::Instruction& word) {
  switch (word.operation) {
    case acg::Operation::kBase:
      return set_base(word);
    case acg::Operation::kStride:
      return set_stride(word);
    case acg::Operation::kTrip:
      return set_trip(word);
    default:
      fail("a word of another unit has passed the fetch unit");
  }
}

void AddressGenerator::set_base(const acg::Instruction& word) {
  const size_t place = checked_place(operand::unsigned_value(word, operand::kBaseOperand));
  Operand& operand = operands_[place];
  const uint32_t slot = operand::unsigned_value(word, operand::kBaseSlot);
  const uint32_t slots = channels_[place];
  if (slot >= slots) {
    raise("SIM0022", "the operand has no such channel slot", fmt::format("slot {}", slot),
          {slots == 1 ? std::string("0") : fmt::format("0..{}", slots - 1)},
          "use a slot that the operand's memory has");
  }
  operand.slot = slot;
  operand.base = with_part(operand.base, operand::unsigned_value(word, operand::kBaseHalf), base_bits_,
                           operand::unsigned_value(word, operand::kBaseValue));
}

void AddressGenerator::set_stride(const acg::Instruction& word) {
  const size_t place = checked_place(operand::unsigned_value(word, operand::kStrideOperand));
  Operand& operand = operands_[place];
  const bool tiles_only = !unit_.operands[place].has_inner_loops;
  const uint32_t level = operand::unsigned_value(word, operand::kStrideLevel);
  if (!has_level(level) || (tiles_only && level >= acg::kTileLoops)) {
    raise("SIM0021", "the operand has no stride at this loop level", fmt::format("level {}", level),
          {tiles_only ? std::string("0..6")
                      : fmt::format("0..6, {}..{}", unit_.first_level, unit_.first_level + unit_.inner_loops - 1)},
          "use a level of this unit");
  }
  operand.strides[level] = with_part(operand.strides[level], operand::unsigned_value(word, operand::kStrideHalf),
                                     stride_bits_, operand::unsigned_value(word, operand::kStrideValue));
}

void AddressGenerator::set_trip(const acg::Instruction& word) {
  const uint32_t level = operand::unsigned_value(word, operand::kLoopLevel);
  if (level < unit_.first_level || level >= unit_.first_level + unit_.inner_loops) {
    raise("SIM0021", "the unit has no such inner loop", fmt::format("level {}", level),
          {fmt::format("{}..{}", unit_.first_level, unit_.first_level + unit_.inner_loops - 1)},
          "use a level of this unit");
  }
  last_[level - unit_.first_level] = operand::count_value(word, operand::kLoopLast);
  is_reduction_[level - unit_.first_level] = word.operands[operand::kLoopReduction] != 0;
}

uint32_t AddressGenerator::tile_address(acg::AddressOperand operand,
                                        const std::array<uint32_t, acg::kTileLoops>& indices) const {
  const Operand& generator = operands_[place_of(operand)];
  uint32_t address = generator.base;
  for (size_t level = 0; level < acg::kTileLoops; ++level) address += indices[level] * generator.strides[level];
  return address;
}

int32_t AddressGenerator::inner_stride(acg::AddressOperand operand, size_t k) const {
  return static_cast<int32_t>(operands_[place_of(operand)].strides[unit_.first_level + k]);
}

uint64_t AddressGenerator::inner_iterations() const {
  uint64_t product = 1;
  for (size_t k = 0; k < unit_.inner_loops; ++k) product = saturating_product(product, inner_count(k));
  return product;
}

}  // namespace covenant::sim
