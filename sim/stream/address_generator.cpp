#include "sim/stream/address_generator.h"

#include <fmt/format.h>

#include "sim/common/fault.h"
#include "sim/stream/operands.h"

namespace covenant::sim {

namespace {

bool belongs(acg::AddressOperand operand, AddressGenerator::Unit unit) {
  return (operand <= acg::AddressOperand::kOutput) == (unit == AddressGenerator::Unit::kSystolicArray);
}

bool has_channel(acg::AddressOperand operand) {
  return operand <= acg::AddressOperand::kOutput || operand == acg::AddressOperand::kOnchip;
}

}  // namespace

AddressGenerator::AddressGenerator(Unit unit)
    : unit_(unit),
      first_level_(unit == Unit::kSystolicArray ? acg::kFirstPassLoop : acg::kFirstTransferLoop),
      inner_loops_(unit == Unit::kSystolicArray ? acg::kPassLoops : acg::kTransferLoops) {
  for (size_t k = 0; k < channels_.size(); ++k) {
    channels_[k] = has_channel(static_cast<acg::AddressOperand>(k)) ? acg::kChannelSlots : 1;
  }
}

void AddressGenerator::clear() {
  operands_.fill({});
  last_.fill(0);
  is_reduction_.fill(false);
}

AddressGenerator::Operand& AddressGenerator::operand_of(uint32_t number) {
  if (!belongs(static_cast<acg::AddressOperand>(number), unit_)) {
    const bool systolic = unit_ == Unit::kSystolicArray;
    raise("SIM0020", "this engine has no address generator for the operand", fmt::format("operand {}", number),
          systolic ? std::vector<std::string>{"input", "weight", "bias", "output"}
                   : std::vector<std::string>{"offchip", "onchip", "row", "column"},
          "address an operand of this unit");
  }
  return operands_[number];
}

bool AddressGenerator::has_level(uint32_t level) const {
  return level < acg::kTileLoops || (level >= first_level_ && level < first_level_ + inner_loops_);
}

void AddressGenerator::set_base(const acg::Instruction& word) {
  const uint32_t number = operand::unsigned_value(word, operand::kBaseOperand);
  Operand& operand = operand_of(number);
  const uint32_t slot = operand::unsigned_value(word, operand::kBaseSlot);
  const uint32_t slots = channels_[number];
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
  const uint32_t number = operand::unsigned_value(word, operand::kStrideOperand);
  Operand& operand = operand_of(number);
  const uint32_t level = operand::unsigned_value(word, operand::kStrideLevel);
  const bool tiles_only = number >= static_cast<uint32_t>(acg::AddressOperand::kRow);
  if (!has_level(level) || (tiles_only && level >= acg::kTileLoops)) {
    raise(
        "SIM0021", "the operand has no stride at this loop level", fmt::format("level {}", level),
        {tiles_only ? std::string("0..6") : fmt::format("0..6, {}..{}", first_level_, first_level_ + inner_loops_ - 1)},
        "use a level of this unit");
  }
  operand.strides[level] = with_part(operand.strides[level], operand::unsigned_value(word, operand::kStrideHalf),
                                     stride_bits_, operand::unsigned_value(word, operand::kStrideValue));
}

void AddressGenerator::set_trip(const acg::Instruction& word) {
  const uint32_t level = operand::unsigned_value(word, operand::kLoopLevel);
  if (level < first_level_ || level >= first_level_ + inner_loops_) {
    raise("SIM0021", "the unit has no such inner loop", fmt::format("level {}", level),
          {fmt::format("{}..{}", first_level_, first_level_ + inner_loops_ - 1)}, "use a level of this unit");
  }
  last_[level - first_level_] = operand::count_value(word, operand::kLoopLast);
  is_reduction_[level - first_level_] = word.operands[operand::kLoopReduction] != 0;
}

uint32_t AddressGenerator::tile_address(acg::AddressOperand operand,
                                        const std::array<uint32_t, acg::kTileLoops>& indices) const {
  const Operand& generator = operands_[static_cast<size_t>(operand)];
  uint32_t address = generator.base;
  for (size_t level = 0; level < acg::kTileLoops; ++level) address += indices[level] * generator.strides[level];
  return address;
}

int32_t AddressGenerator::inner_stride(acg::AddressOperand operand, size_t k) const {
  return static_cast<int32_t>(operands_[static_cast<size_t>(operand)].strides[first_level_ + k]);
}

uint64_t AddressGenerator::inner_iterations() const {
  uint64_t product = 1;
  for (size_t k = 0; k < inner_loops_; ++k) product = saturating_product(product, inner_count(k));
  return product;
}

}  // namespace covenant::sim
