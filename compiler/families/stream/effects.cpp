#include "compiler/families/stream/effects.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"

namespace covenant::compiler::stream {
namespace {

using acg::AddressOperand;
using acg::Instruction;
using acg::Operation;

class Reader {
 public:
  Reader(const std::vector<Instruction>& code, const acg::Machine& machine, size_t most)
      : code_(code), machine_(machine), most_(most), rounds_half_away_(acg::rounds_half_away(machine)) {
    copies_ = std::any_of(machine.edges.begin(), machine.edges.end(), [&](const acg::Edge& edge) {
      const std::optional<acg::TransferEnds> ends = acg::transfer_ends(machine, edge);
      return ends && !ends->has_offchip;
    });
  }

  std::vector<WordEffect> run() {
    while (position_ < code_.size() && deeds_.size() < most_) step();
    return std::move(deeds_);
  }

 private:
  struct Open {
    int32_t level = 0;
    size_t begin = 0;
    int32_t last = 0;
    int32_t index = 0;
    int32_t reduction = 0;
  };
  struct SimdLevel {
    int32_t last = 0;
    bool indexed = false;
    std::array<int32_t, 6> index{};
  };

  int32_t value(std::string_view name) const {
    const Instruction& word = code_[position_];
    return word.operands.at(acg::operand_index(word.operation, name));
  }

  void note(int64_t number) { deeds_.back().push_back(number); }

  void step() {
    const Instruction& word = code_[position_];
    deeds_.push_back({static_cast<int64_t>(position_), static_cast<int64_t>(word.operation)});
    switch (word.operation) {
      case Operation::kLoop:
        note(value("level"));
        open_.push_back({value("level"), position_ + 1, value("last"), 0, value("reduction")});
        break;
      case Operation::kEnd:
        note(value("level"));
        if (open_.empty() || open_.back().level != value("level")) break;  // a fault, distinguished by its level
        if (open_.back().index < open_.back().last) {
          ++open_.back().index;
          position_ = open_.back().begin;
          return;
        }
        open_.pop_back();
        break;
      case Operation::kWait:
      case Operation::kPost:
        token();
        break;
      case Operation::kLoad:
      case Operation::kStore:
        transfer();
        break;
      case Operation::kGemm:
        pass();
        break;
      default:
        if (acg::is_simd_compute(word.operation)) {
          nest();
        } else {
          set();
          deeds_.back() = {static_cast<int64_t>(position_)};  // the commands after it show which value was set
        }
    }
    ++position_;
  }

  void token() {
    for (const std::string_view name : {"memory", "slot", "token"}) note(value(name));
    if (code_[position_].operation != Operation::kPost) return;
    const auto memory = static_cast<size_t>(value("memory"));
    int32_t& buffer = buffers_[{value("memory"), value("slot")}];
    buffer = (buffer + 1) % static_cast<int32_t>(std::max<uint32_t>(1, machine_.memories.at(memory).buffers));
  }

  static void set_low(uint32_t& entry, int32_t bits) { entry = static_cast<uint32_t>(bits) & 0xFFFFU; }
  static void set_high(uint32_t& entry, int32_t bits) {
    entry = (entry & 0xFFFFU) | (static_cast<uint32_t>(bits) << 16);
  }
  static void set_half(uint32_t& entry, int32_t half, int32_t bits) {
    half == 0 ? set_low(entry, bits) : set_high(entry, bits);
  }

  void set() {
    switch (code_[position_].operation) {
      case Operation::kTrip:
        trips_[value("level")] = {value("last"), value("reduction")};
        break;
      case Operation::kBase:
        set_half(bases_[value("operand")], value("half"), value("value"));
        slots_[value("operand")] = value("slot");
        break;
      case Operation::kStride:
        set_half(strides_[{value("operand"), value("level")}], value("half"), value("value"));
        break;
      case Operation::kLimit:
        limits_[value("axis")] = value("value");
        break;
      case Operation::kFill:
        fill_ = value("value");
        break;
      case Operation::kSimdTrip:
        level_ = value("level");
        levels_[level_] = SimdLevel{value("last"), false, {}};
        break;
      case Operation::kSimdIndex:
        levels_[level_].indexed = true;
        levels_[level_].index = code_[position_].operands;
        break;
      case Operation::kSimdReduce:
        first_reduction_ = value("first_level");
        break;
      case Operation::kSimdBase:
        set_low(simd_bases_[{value("memory"), value("index")}], value("value"));
        break;
      case Operation::kSimdBaseHigh:
        set_high(simd_bases_[{value("memory"), value("index")}], value("value"));
        break;
      case Operation::kSimdStride:
        simd_strides_[{value("memory"), value("index")}] =
            static_cast<uint32_t>(static_cast<int16_t>(static_cast<uint32_t>(value("value"))));
        break;
      case Operation::kSimdStrideHigh:
        set_high(simd_strides_[{value("memory"), value("index")}], value("value"));
        break;
      case Operation::kImmediateLow:
        set_low(immediates_[value("slot")], value("value"));
        break;
      case Operation::kImmediateHigh:
        set_high(immediates_[value("slot")], value("value"));
        break;
      case Operation::kTypes:
        types_ = {value("dst"), value("src1"), value("src2")};
        break;
      case Operation::kQuantization:
        quantization_ = {value("zero_point"), value("lowest"), value("highest")};
        break;
      case Operation::kQuantizationHigh: {
        const uint32_t bits = acg::word_parts(machine_).quantization.bits;
        quantization_[0] |= value("zero_point") << bits;
        quantization_[1] |= value("lowest") << bits;
        quantization_[2] |= value("highest") << bits;
        break;
      }
      case Operation::kTable:
        table_[value("index")] = static_cast<uint32_t>(value("value"));
        break;
      default:
        break;
    }
  }

  /// The value of a setting; 0, its value at the start, if it was never set.
  template <typename Map, typename Key>
  static int64_t at(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : static_cast<int64_t>(found->second);
  }

  int64_t buffer_of(int32_t memory, int32_t slot) const { return at(buffers_, std::pair(memory, slot)); }

  int32_t last_of(int32_t level) const {
    const auto found = trips_.find(level);
    return found == trips_.end() ? 0 : found->second.first;
  }

  uint32_t start_of(AddressOperand which) const {
    const int32_t operand = static_cast<int32_t>(which);
    auto address = static_cast<uint32_t>(at(bases_, operand));
    for (const Open& open : open_) {
      address +=
          static_cast<uint32_t>(open.index) * static_cast<uint32_t>(at(strides_, std::pair(operand, open.level)));
    }
    return address;
  }

  /// Records the address where the command starts, the strides of its inner loops that advance, and the buffer of every
  /// memory that the operand may be in: the engine determines which one it is.
  void operand_addresses(AddressOperand which, int32_t first_level, int32_t levels, bool has_channel) {
    const int32_t operand = static_cast<int32_t>(which);
    note(start_of(which));
    for (int32_t level = first_level; level < first_level + levels; ++level) {
      if (last_of(level) > 0) note(at(strides_, std::pair(operand, level)));
    }
    const auto slot = static_cast<int32_t>(at(slots_, operand));
    if (!has_channel) return note(slot);  // anything but 0 is a fault
    note_buffers(slot);
    note(slot < static_cast<int32_t>(acg::kMaxChannels) ? 0 : slot);
  }

  void note_buffers(int32_t slot) {
    for (size_t memory = 0; memory < machine_.memories.size(); ++memory) {
      note(buffer_of(static_cast<int32_t>(memory), slot));
    }
  }

  void transfer() {
    constexpr int32_t kPlane = static_cast<int32_t>(acg::kFirstTransferLoop);
    constexpr int32_t kLevels = static_cast<int32_t>(acg::kTransferLoops);
    note(value("run_last"));
    for (int32_t level = kPlane; level < kPlane + kLevels; ++level) note(last_of(level));
    operand_addresses(AddressOperand::kOffchip, kPlane, kLevels, false);
    if (copies_) note_buffers(static_cast<int32_t>(at(slots_, static_cast<int32_t>(AddressOperand::kOffchip))));
    operand_addresses(AddressOperand::kOnchip, kPlane, kLevels, true);
    const std::array<std::pair<acg::Axis, AddressOperand>, 2> axes{
        {{acg::Axis::kRow, AddressOperand::kRow}, {acg::Axis::kColumn, AddressOperand::kColumn}}};
    bool is_limited = false;
    for (const auto& [axis, operand] : axes) {
      const int64_t limit = at(limits_, static_cast<int32_t>(axis));
      const int64_t trips = int64_t{last_of(axis == acg::Axis::kRow ? kPlane + 1 : kPlane + 2)} + 1;
      note(limit == 0 ? 0 : at(slots_, static_cast<int32_t>(operand)));  // anything but 0 is a fault
      if (limit == 0) {
        note(0);
        note(trips);
        continue;
      }
      is_limited = true;
      const int64_t start = static_cast<int32_t>(start_of(operand));
      note(std::clamp<int64_t>(-start, 0, trips));
      note(std::clamp<int64_t>(limit - start, 0, trips));
    }
    if (is_limited && code_[position_].operation == Operation::kLoad) note(fill_);
  }

  /// True unless an open loop marked as a reduction is past its first iteration: the reduction then resumes.
  bool begins() const {
    return std::all_of(open_.begin(), open_.end(),
                       [](const Open& open) { return open.reduction == 0 || open.index == 0; });
  }

  void pass() {
    constexpr int32_t kFirst = static_cast<int32_t>(acg::kFirstPassLoop);
    constexpr int32_t kLevels = static_cast<int32_t>(acg::kPassLoops);
    note(value("input_type"));
    note(begins() ? 1 : 0);
    for (int32_t level = kFirst; level < kFirst + kLevels; ++level) {
      note(last_of(level));
      if (last_of(level) > 0) note(trips_.at(level).second);
    }
    for (const AddressOperand operand :
         {AddressOperand::kInput, AddressOperand::kWeight, AddressOperand::kBias, AddressOperand::kOutput}) {
      operand_addresses(operand, kFirst, kLevels, true);
    }
  }

  void nest() {
    const Operation operation = code_[position_].operation;
    const bool reduces = acg::is_simd_reduction(operation);
    for (const auto& [level, setting] : levels_) {  // the order of a loop's levels matters, their numbers do not
      if (setting.last == 0) continue;
      note(setting.last);
      if (reduces) note(level >= first_reduction_ ? 1 : 0);
    }
    if (reduces) note(begins() ? 1 : 0);
    for (size_t k = 0; k <= acg::simd_sources(operation); ++k) operand(k, reduces);
    if (acg::is_simd_centring(operation, rounds_half_away_)) note(quantization_[0]);
    if (acg::is_simd_clamping(operation)) {
      note(quantization_[1]);
      note(quantization_[2]);
    }
    for (uint32_t slot = 0; slot < acg::simd_scalars(operation); ++slot) {
      note(at(immediates_, static_cast<int32_t>(slot)));
    }
    if (operation != Operation::kLookup) return;
    for (const auto& [part, bits] : table_) {
      note(part);
      note(bits);
    }
  }

  void operand(size_t k, bool reduces) {
    const int32_t memory = code_[position_].operands[2 * k];
    const int32_t entry = code_[position_].operands[2 * k + 1];
    note(memory);
    note(types_[k]);
    if (machine_.memories.at(static_cast<size_t>(memory)).kind == acg::MemoryKind::kImmediate) {
      return note(at(immediates_, entry));
    }
    note(at(simd_bases_, std::pair(memory, entry)));
    note(buffer_of(memory,
                   entry / static_cast<int32_t>(machine_.memories.at(static_cast<size_t>(memory)).channel_entries())));
    for (const auto& [level, setting] : levels_) {
      if (!setting.indexed) continue;
      note(setting.index[2 * k]);  // must be the operand's memory, whether it advances or not
      const bool stays = setting.last == 0 || (k == 0 && reduces && level >= first_reduction_);
      if (!stays) note(at(simd_strides_, std::pair(setting.index[2 * k], setting.index[2 * k + 1])));
    }
  }

  const std::vector<Instruction>& code_;  // outlives the reader, as does the machine
  const acg::Machine& machine_;
  size_t most_;
  bool rounds_half_away_;
  bool copies_ = false;  ///< some engine of the machine moves tiles between scratchpads
  size_t position_ = 0;
  std::vector<WordEffect> deeds_;
  std::vector<Open> open_;
  std::map<std::pair<int32_t, int32_t>, int32_t> buffers_;  ///< (memory, slot) -> buffer
  std::map<int32_t, std::pair<int32_t, int32_t>> trips_;    ///< inner level -> last, reduction
  std::map<int32_t, uint32_t> bases_;
  std::map<int32_t, int32_t> slots_;
  std::map<std::pair<int32_t, int32_t>, uint32_t> strides_;
  std::map<int32_t, int32_t> limits_;
  int32_t fill_ = 0;
  std::map<int32_t, SimdLevel> levels_;
  int32_t level_ = 0;
  int32_t first_reduction_ = static_cast<int32_t>(acg::kSimdLevels);
  std::map<std::pair<int32_t, int32_t>, uint32_t> simd_bases_, simd_strides_;
  std::map<int32_t, uint32_t> immediates_;
  std::array<int32_t, 3> types_{};
  std::array<int32_t, 3> quantization_{};
  std::map<int32_t, uint32_t> table_;  ///< part -> bits
};

}  // namespace

std::vector<WordEffect> effects(const std::vector<Instruction>& code, const acg::Machine& machine, size_t most) {
  return Reader(code, machine, most).run();
}

}  // namespace covenant::compiler::stream
