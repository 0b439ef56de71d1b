/// Which instructions may share a packet, as far as it is a matter of room: words, slots, pipes, company.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/packet_resources.h"
#include "compiler/target/vliw/code.h"

namespace covenant::compiler::vliw {

class PacketSpace {
 public:
  /// `most`: instructions in a packet, if it is to be fewer than the machine's slots; 0: those.
  PacketSpace(const acg::Machine& machine, uint32_t most);

  /// May they all be in one packet? Nothing is said of their registers. What has been asked once is remembered: not for
  /// several threads at once.
  bool fits(std::span<const CodeInstruction> instructions) const;
  /// The same for one more.
  bool fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const;
  /// The same for those of `code` that `packet` numbers, and for one more.
  bool fits(std::span<const CodeInstruction> code, std::span<const size_t> packet, size_t another) const;

  /// Fewer packets cannot hold them: of what is in them, no packet holds more.
  uint32_t least_packets(std::span<const CodeInstruction> instructions) const;

 private:
  /// Operations that are to share a packet, and the words that they take.
  struct Company {
    std::vector<acg::Operation> operations;
    size_t words = 0;
    void add(const CodeInstruction& instruction);
  };
  Company& nobody() const;
  bool fits(Company& company) const;
  bool has_room(const Company& company) const;

  acg::PacketResources resources_;
  uint32_t words_;
  uint32_t most_;
  mutable Company company_;                           ///< of the last question, for its memory
  mutable std::unordered_map<uint64_t, bool> known_;  ///< by operations; looked up only
};

}  // namespace covenant::compiler::vliw
