#include "compiler/families/stream/engine_steps.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "acg/graph/queries.h"
#include "acg/operations/simd_operation.h"

namespace covenant::compiler::stream {
namespace {

using acg::AddressOperand;
using acg::Instruction;
using acg::Operation;

}  // namespace

Stream::Stream(const acg::Machine& machine, uint32_t engine, const std::vector<Instruction>& code)
    : machine_(machine), engine_(acg::engines(machine).at(engine)), code_(code), parts_(acg::word_parts(machine)) {}

int32_t Stream::operand(const Instruction& instruction, std::string_view name) const {
  return instruction.operands.at(acg::operand_index(instruction.operation, name));
}

void Stream::fault(const std::string& what) {
  if (problem_.empty()) problem_ = engine_.name + ", word " + std::to_string(position_) + ": " + what;
}

Executed Stream::step() {
  const Instruction& instruction = code_[position_];
  Executed executed{position_, {}};
  switch (instruction.operation) {
    case Operation::kLoop:
      loop(instruction);
      return executed;
    case Operation::kEnd:
      end(instruction);
      return executed;
    case Operation::kPost:
      turn(instruction);
      break;
    case Operation::kWait:
      break;
    case Operation::kLoad:
    case Operation::kStore:
      transfer(instruction, executed);
      break;
    case Operation::kGemm:
      pass(executed);
      break;
    default:
      if (acg::is_simd_compute(instruction.operation)) {
        nest(instruction, executed);
      } else {
        set(instruction);
      }
  }
  for (const Touch& touch : executed.touches) check_bounds(touch);
  ++position_;
  return executed;
}

void Stream::check_bounds(const Touch& touch) {
  const acg::Memory& memory = acg::get(machine_, touch.memory);
  if (memory.kind == acg::MemoryKind::kOffchip) return;
  if (touch.first < 0 || touch.first + touch.size > static_cast<int64_t>(memory.buffer_bytes())) {
    fault("bytes " + std::to_string(touch.first) + ".." + std::to_string(touch.first + touch.size - 1) + " of " +
          memory.name + " lie outside a buffer");
  }
}

void Stream::loop(const Instruction& instruction) {
  const int32_t level = operand(instruction, "level");
  const int32_t last = operand(instruction, "last");
  if (level < 0 || level >= static_cast<int32_t>(acg::kTileLoops)) fault("no such loop level");
  for (const Open& open : open_) {
    if (open.level == level) fault("the loop is open already");
  }
  open_.push_back({level, position_ + 1, last});
  index_[level] = 0;
  ++position_;
}

void Stream::end(const Instruction& instruction) {
  const int32_t level = operand(instruction, "level");
  if (open_.empty() || open_.back().level != level) {
    fault("END of a loop that is not the innermost");
    ++position_;
    return;
  }
  if (index_[level] < open_.back().last) {
    ++index_[level];
    position_ = open_.back().begin;
    return;
  }
  index_[level] = 0;
  open_.pop_back();
  ++position_;
}

uint32_t Stream::buffer_of(acg::MemoryId memory, int32_t slot) const {
  const auto found = pointer_.find({memory.value, slot});
  return found == pointer_.end() ? 0 : found->second;
}

int32_t Stream::slot_of(AddressOperand which) const {
  const auto found = slot_.find(static_cast<int32_t>(which));
  return found == slot_.end() ? 0 : found->second;
}

void Stream::turn(const Instruction& instruction) {
  const acg::MemoryId memory{static_cast<uint32_t>(operand(instruction, "memory"))};
  uint32_t& buffer = pointer_[{memory.value, operand(instruction, "slot")}];
  buffer = (buffer + 1) % std::max<uint32_t>(1, acg::get(machine_, memory).buffers);
}

void Stream::set_part(Table& table, int32_t first, int32_t second, int32_t part, int32_t value, uint32_t bits,
                      bool is_signed) {
  uint32_t& entry = table[{first, second}];
  const int64_t scale = int64_t{1} << (static_cast<uint32_t>(part) * bits);
  int64_t number = value & ((int64_t{1} << bits) - 1);
  if (is_signed && number >= int64_t{1} << (bits - 1)) number -= int64_t{1} << bits;
  entry = static_cast<uint32_t>(entry % scale + number * scale);
}

void Stream::set(const Instruction& instruction) {
  const auto value = [&](std::string_view name) { return operand(instruction, name); };
  switch (instruction.operation) {
    case Operation::kTrip:
      last_[value("level")] = value("last");
      break;
    case Operation::kBase:
      set_part(base_, value("operand"), 0, value("half"), value("value"), parts_.base.bits);
      slot_[value("operand")] = value("slot");
      break;
    case Operation::kStride:
      set_part(stride_, value("operand"), value("level"), value("half"), value("value"), parts_.stride.bits);
      break;
    case Operation::kLimit:
      limit_[value("axis")] = value("value");
      break;
    case Operation::kSimdTrip:
      current_level_ = value("level");
      level_[current_level_] = {value("last"), -1, 0, -1, 0, -1, 0};
      break;
    case Operation::kSimdIndex:
      level_[current_level_] = {
          level_[current_level_][0], value("dst_memory"), value("dst"), value("src1_memory"), value("src1"),
          value("src2_memory"),      value("src2")};
      break;
    case Operation::kSimdReduce:
      first_reduction_ = value("first_level");
      break;
    case Operation::kSimdBase:
      set_part(simd_base_, value("memory"), value("index"), 0, value("value"), parts_.simd_base.bits);
      break;
    case Operation::kSimdBaseHigh:
      set_part(simd_base_, value("memory"), value("index"), 1 + value("part"), value("value"), parts_.simd_base.bits);
      break;
    case Operation::kSimdStride:
      set_part(simd_stride_, value("memory"), value("index"), 0, value("value"), parts_.simd_stride.bits, true);
      break;
    case Operation::kSimdStrideHigh:
      set_part(simd_stride_, value("memory"), value("index"), 1 + value("part"), value("value"),
               parts_.simd_stride.bits, true);
      break;
    case Operation::kTypes:
      types_ = {value("dst"), value("src1"), value("src2")};
      break;
    case Operation::kFill:
    case Operation::kImmediateLow:
    case Operation::kImmediateHigh:
    case Operation::kQuantization:
    case Operation::kQuantizationHigh:
    case Operation::kTable:
      break;
    default:
      fault("a word of another unit");
  }
}

int64_t Stream::stride_of(AddressOperand which, int32_t level) const {
  const auto found = stride_.find({static_cast<int32_t>(which), level});
  return found == stride_.end() ? 0 : static_cast<int32_t>(found->second);
}

int64_t Stream::trips_of(int32_t level) const {
  const auto found = last_.find(level);
  return found == last_.end() ? 1 : int64_t{found->second} + 1;
}

int64_t Stream::base_of(AddressOperand which) const {
  const auto found = base_.find({static_cast<int32_t>(which), 0});
  uint32_t address = found == base_.end() ? 0 : found->second;
  for (const auto& [level, index] : index_) {
    address += static_cast<uint32_t>(index) * static_cast<uint32_t>(stride_of(which, level));
  }
  return static_cast<int32_t>(address);
}

std::pair<int64_t, int64_t> Stream::reach(AddressOperand which, int32_t first_level, int32_t levels) const {
  int64_t lowest = base_of(which);
  int64_t highest = lowest;
  for (int32_t level = first_level; level < first_level + levels; ++level) {
    const int64_t span = stride_of(which, level) * (trips_of(level) - 1);
    (span < 0 ? lowest : highest) += span;
  }
  return {lowest, highest};
}

void Stream::touch_walked(Executed& executed, AddressOperand which, acg::MemoryId memory, int32_t first_level,
                          int32_t levels, int64_t bytes, bool is_write) {
  const auto [lowest, highest] = reach(which, first_level, levels);
  const int64_t unit = static_cast<int64_t>(acg::get(machine_, memory).unit_bytes());
  const uint32_t buffer = buffer_of(memory, slot_of(which));
  executed.touches.push_back({memory, buffer, is_write, lowest * unit, (highest - lowest) * unit + bytes});
}

std::pair<int64_t, int64_t> Stream::inside(acg::Axis axis, AddressOperand which, int32_t level) const {
  const auto found = limit_.find(static_cast<int32_t>(axis));
  const int64_t trips = trips_of(level);
  if (found == limit_.end() || found->second == 0) return {0, trips};
  const int64_t start = base_of(which);
  return {std::clamp<int64_t>(-start, 0, trips), std::clamp<int64_t>(found->second - start, 0, trips)};
}

void Stream::transfer(const Instruction& instruction, Executed& executed) {
  const int64_t run = int64_t{operand(instruction, "run_last")} + 1;
  const bool is_load = instruction.operation == Operation::kLoad;
  constexpr int32_t kPlane = static_cast<int32_t>(acg::kFirstTransferLoop);
  const acg::TransferEnds ends = acg::transfer_ends(machine_, machine_.edges.at(engine_.edge.value())).value();
  touch_walked(executed, AddressOperand::kOnchip, ends.near, kPlane, 3, run, is_load);
  const auto [first_row, end_row] = inside(acg::Axis::kRow, AddressOperand::kRow, kPlane + 1);
  const auto [first_column, end_column] = inside(acg::Axis::kColumn, AddressOperand::kColumn, kPlane + 2);
  if (first_row >= end_row || first_column >= end_column) return;
  const int64_t row_stride = stride_of(AddressOperand::kOffchip, kPlane + 1);
  const int64_t column_stride = stride_of(AddressOperand::kOffchip, kPlane + 2);
  int64_t lowest = static_cast<int64_t>(static_cast<uint32_t>(base_of(AddressOperand::kOffchip)));
  if (first_row > 0 || first_column > 0) {  // a base before the tensor's start may have wrapped below 0
    lowest = static_cast<int32_t>(static_cast<uint32_t>(lowest));
  }
  lowest += first_row * row_stride + first_column * column_stride;
  int64_t highest = lowest;
  const auto widen = [&](int64_t span) { (span < 0 ? lowest : highest) += span; };
  widen((end_row - first_row - 1) * row_stride);
  widen((end_column - first_column - 1) * column_stride);
  widen((trips_of(kPlane) - 1) * stride_of(AddressOperand::kOffchip, kPlane));
  const uint32_t buffer = ends.has_offchip ? 0 : buffer_of(ends.far, slot_of(AddressOperand::kOffchip));
  executed.touches.push_back({ends.far, buffer, !is_load, lowest, highest - lowest + run});
}

void Stream::pass(Executed& executed) {
  constexpr int32_t kFirst = static_cast<int32_t>(acg::kFirstPassLoop);
  const acg::Compute& compute = acg::get(machine_, engine_.compute.value());
  const int64_t rows = acg::integer_attribute(compute, "rows");
  const int64_t columns = acg::integer_attribute(compute, "columns");
  const std::array<std::tuple<AddressOperand, std::string_view, int64_t>, 4> operands{
      {{AddressOperand::kInput, "input", rows * acg::gemm_bits(machine_, compute, 0) / 8},
       {AddressOperand::kWeight, "weight", rows * columns * acg::gemm_bits(machine_, compute, 1) / 8},
       {AddressOperand::kBias, "bias", 4 * columns},
       {AddressOperand::kOutput, "output", 4 * columns}}};
  for (const auto& [which, role, bytes] : operands) {
    const acg::MemoryId memory = acg::role(machine_, compute, role);
    touch_walked(executed, which, memory, kFirst, acg::kPassLoops, bytes, which == AddressOperand::kOutput);
  }
}

void Stream::nest(const Instruction& instruction, Executed& executed) {
  const bool reduces = acg::is_simd_reduction(instruction.operation);
  const int64_t lanes = acg::integer_attribute(acg::get(machine_, engine_.compute.value()), "lanes");
  for (size_t i = 0; i <= acg::simd_sources(instruction.operation); ++i) {
    const acg::MemoryId memory{static_cast<uint32_t>(instruction.operands[2 * i])};
    const int32_t entry = instruction.operands[2 * i + 1];
    if (acg::get(machine_, memory).kind == acg::MemoryKind::kImmediate) continue;
    const auto base = simd_base_.find({static_cast<int32_t>(memory.value), entry});
    int64_t lowest = base == simd_base_.end() ? 0 : static_cast<int64_t>(base->second);
    int64_t highest = lowest;
    for (const auto& [level, setting] : level_) {
      if (setting[0] == 0 || (i == 0 && reduces && level >= first_reduction_)) continue;
      if (setting[1 + 2 * i] < 0) continue;
      if (setting[1 + 2 * i] != static_cast<int32_t>(memory.value)) fault("a level advances in another memory");
      const auto stride = simd_stride_.find({setting[1 + 2 * i], setting[2 + 2 * i]});
      if (stride == simd_stride_.end()) continue;
      const int64_t span = int64_t{static_cast<int32_t>(stride->second)} * setting[0];
      (span < 0 ? lowest : highest) += span;
    }
    const int64_t unit = static_cast<int64_t>(acg::get(machine_, memory).unit_bytes());
    const int64_t vector = static_cast<int64_t>(
        packed_bytes(acg::dtype_of(static_cast<acg::SimdType>(types_[i])), static_cast<uint64_t>(lanes)));
    if (lowest * unit % vector != 0) fault("a vector is not aligned to its size");
    const int32_t slot = entry / static_cast<int32_t>(acg::get(machine_, memory).channel_entries());
    executed.touches.push_back(
        {memory, buffer_of(memory, slot), i == 0, lowest * unit, (highest - lowest) * unit + vector});
  }
}

}  // namespace covenant::compiler::stream
