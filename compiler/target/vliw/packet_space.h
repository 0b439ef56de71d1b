/// Which instructions may share a packet, as far as it is a matter of room: words, slots, pipes, company.
#pragma once

#include <span>

#include "acg/graph/graph.h"
#include "acg/isa/packet_resources.h"
#include "compiler/target/vliw/code.h"

namespace covenant::compiler::vliw {

class PacketSpace {
 public:
  /// `most`: instructions in a packet, if it is to be fewer than the machine's slots; 0: those.
  PacketSpace(const acg::Machine& machine, uint32_t most);

  /// May they all be in one packet? Nothing is said of their registers.
  bool fits(std::span<const CodeInstruction> instructions) const;
  /// The same for one more.
  bool fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const;

 private:
  acg::PacketResources resources_;
  uint32_t words_;
  uint32_t most_;
};

}  // namespace covenant::compiler::vliw
