#include "compiler/families/vliw/address_assignment.h"

#include <fmt/format.h>
#include <optional>

#include "acg/base/check.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwTrait;

constexpr uint32_t kWordBytes = 4;

class Placing {
 public:
  explicit Placing(const acg::Machine& machine) : codec_(machine), checker_(machine) {}

  std::vector<AddressedPacket> place(const std::vector<PacketStep>& steps, uint32_t address) {
    add(steps);
    // Extenders make packets longer, and longer distances need extenders: repeat until nothing changes.
    do {
      set_addresses(address);
    } while (set_targets());
    for (AddressedPacket& entry : packets_) entry.packet = arranged(entry.packet);
    return std::move(packets_);
  }

 private:
  /// A packet that branches to the beginning of a loop.
  struct Way {
    size_t from;
    size_t to;
    VliwTrait by;  ///< kind of its instruction
  };

  void add(const std::vector<PacketStep>& steps) {
    for (const PacketStep& step : steps) {
      if (const auto* loop = std::get_if<PacketLoop>(&step)) {
        add_loop(*loop);
        continue;
      }
      AddressedPacket placed;
      for (const CodeInstruction& entry : std::get<CodePacket>(step).instructions) {
        placed.packet.instructions.push_back({entry.instruction, entry.is_extended});
      }
      packets_.push_back(std::move(placed));
    }
  }

  void add_loop(const PacketLoop& loop) {
    const size_t begin = packets_.size();
    if (loop.kind != LoopKind::kBranch) {
      const VliwTrait by = loop.kind == LoopKind::kInner ? VliwTrait::kInnerLoop : VliwTrait::kOuterLoop;
      ways_.push_back({set_up_before(begin, by), begin, by});
    }
    add(loop.body);
    check(packets_.size() > begin, "a loop of nothing");
    acg::Packet& last = packets_.back().packet;
    if (loop.kind == LoopKind::kBranch) {
      ways_.push_back({packets_.size() - 1, begin, VliwTrait::kBranch});
      return;
    }
    (loop.kind == LoopKind::kInner ? last.ends_inner_loop : last.ends_outer_loop) = true;
    const size_t least = last.ends_outer_loop ? 3 : 2;
    while (words_of(last) < least) last.instructions.push_back({{operation_of(acg::VliwOperation::kA2Nop), {}}, false});
  }

  size_t set_up_before(size_t at, VliwTrait trait) const {
    while (at-- > 0) {
      for (const acg::PacketInstruction& entry : packets_[at].packet.instructions) {
        if (has(entry.instruction, trait)) return at;
      }
    }
    fail("a hardware loop that nothing sets up");
  }

  static size_t words_of(const acg::Packet& packet) {
    size_t words = packet.instructions.size();
    for (const acg::PacketInstruction& entry : packet.instructions) words += entry.is_extended ? 1 : 0;
    return words;
  }

  void set_addresses(uint32_t address) {
    for (AddressedPacket& entry : packets_) {
      entry.address = address;
      address += kWordBytes * static_cast<uint32_t>(words_of(entry.packet));
    }
  }

  /// True if a packet has become longer.
  bool set_targets() {
    bool any = false;
    for (const Way& way : ways_) {
      AddressedPacket& from = packets_[way.from];
      for (acg::PacketInstruction& entry : from.packet.instructions) {
        if (!has(entry.instruction, way.by)) continue;
        const size_t operand = acg::operand_index(entry.instruction.operation, "target");
        entry.instruction.operands[operand] = static_cast<int32_t>(packets_[way.to].address - from.address);
        if (entry.is_extended || codec_.words().encode(entry.instruction)) continue;
        entry.is_extended = true;
        any = true;
      }
    }
    return any;
  }

  acg::Packet arranged(const acg::Packet& packet) const {
    Result<acg::Packet> result = checker_.arranged(packet);
    check(static_cast<bool>(result),
          result ? "" : fmt::format("a packet that may not issue: {}", render(result.error())));
    return *std::move(result);
  }

  acg::PacketCodec codec_;
  acg::PacketChecker checker_;
  std::vector<AddressedPacket> packets_;
  std::vector<Way> ways_;
};

}  // namespace

std::vector<AddressedPacket> assign_addresses(const std::vector<PacketStep>& steps, const acg::Machine& machine,
                                              uint32_t address) {
  return Placing(machine).place(steps, address);
}

std::vector<uint8_t> bytes_of(const std::vector<AddressedPacket>& packets, const acg::Machine& machine) {
  const acg::PacketCodec codec(machine);
  std::vector<uint8_t> bytes;
  for (const AddressedPacket& entry : packets) {
    const Result<std::vector<acg::InstructionWord>> words = codec.encode(entry.packet);
    check(static_cast<bool>(words), "a placed packet that does not encode");
    for (const acg::InstructionWord& word : *words) {
      for (uint32_t i = 0; i < kWordBytes; ++i) bytes.push_back(word.byte(i));
    }
  }
  return bytes;
}

std::string text_of(const std::vector<AddressedPacket>& packets, const acg::Machine& machine) {
  const acg::PacketCodec codec(machine);
  std::string text;
  for (const AddressedPacket& entry : packets) text += codec.disassemble(entry.packet, entry.address) + "\n";
  return text;
}

}  // namespace covenant::compiler::vliw
