#include "acg/isa/vliw/packet_loops.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

#include "acg/operations/vliw_traits.h"

namespace covenant::acg {
namespace {

using enum VliwTrait;

/// The branch target of the instruction. Nothing if a register holds it.
std::optional<uint32_t> target_of(const Instruction& instruction, uint32_t address) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].name == "target") return address + static_cast<uint32_t>(instruction.operands[i]);
  }
  return std::nullopt;
}

/// Orders outer loops before those that they contain.
struct ByAddress {
  bool operator()(const CodeLoop& left, const CodeLoop& right) const {
    return left.first != right.first ? left.first < right.first : left.last > right.last;
  }
};

class LoopFinder {
 public:
  explicit LoopFinder(std::span<const AddressedPacket> packets) : packets_(packets) {}

  std::vector<CodeLoop> find() {
    for (const AddressedPacket& entry : packets_) {
      for (const PacketInstruction& one : entry.packet.instructions) add(one.instruction, entry.address);
    }
    return {found_.begin(), found_.end()};
  }

 private:
  void add(const Instruction& instruction, uint32_t address) {
    const std::optional<uint32_t> target = target_of(instruction, address);
    if (!target) return;
    if (has(instruction, kInnerLoop)) add_hardware_loop(*target, &Packet::ends_inner_loop);
    if (has(instruction, kOuterLoop)) add_hardware_loop(*target, &Packet::ends_outer_loop);
    const bool leads_back = has(instruction, kBranch) && !has(instruction, kLink) && *target <= address;
    if (leads_back) found_.insert({*target, address});
  }

  void add_hardware_loop(uint32_t first, bool Packet::* ends) {
    const auto begin = std::find_if(packets_.begin(), packets_.end(),
                                    [&](const AddressedPacket& entry) { return entry.address >= first; });
    const auto end =
        std::find_if(begin, packets_.end(), [&](const AddressedPacket& entry) { return entry.packet.*ends; });
    if (end != packets_.end()) found_.insert({first, end->address});
  }

  std::span<const AddressedPacket> packets_;
  std::set<CodeLoop, ByAddress> found_;
};

/// A loop that is still open, with the number of loops found within it so far.
struct OpenLoop {
  CodeLoop loop;
  std::string number;
  size_t within = 0;
};

}  // namespace

std::vector<CodeLoop> loops_of(std::span<const AddressedPacket> packets) { return LoopFinder(packets).find(); }

std::vector<std::string> loop_numbers(std::span<const AddressedPacket> packets) {
  const std::vector<CodeLoop> loops = loops_of(packets);
  std::vector<std::string> numbers;
  std::vector<OpenLoop> open{{{0, UINT32_MAX}, ""}};  // begins with a loop that holds all code
  auto next = loops.begin();
  for (const AddressedPacket& entry : packets) {
    while (open.back().loop.last < entry.address) open.pop_back();
    for (; next != loops.end() && next->first <= entry.address; ++next) {
      while (open.back().loop.last < next->first) open.pop_back();
      OpenLoop& outer = open.back();
      const std::string prefix = outer.number.empty() ? "" : outer.number + ".";
      open.push_back({*next, fmt::format("{}{}", prefix, ++outer.within)});
    }
    numbers.push_back(open.back().number);
  }
  return numbers;
}

}  // namespace covenant::acg
