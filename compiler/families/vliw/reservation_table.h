/// Decides which instructions fit into a packet together: words, slots, pipes, and operations that exclude others.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/vliw/packet_resources.h"
#include "compiler/families/vliw/code.h"

namespace covenant::compiler::vliw {

class ReservationTable {
 public:
  /// `most`: most instructions in a packet, if fewer than the machine's slots; 0: no further limit.
  ReservationTable(const acg::Machine& machine, uint32_t most);

  /// True if all of them fit into one packet, regardless of their registers. Answers are cached: not thread-safe.
  bool fits(std::span<const CodeInstruction> instructions) const;
  /// The same with one more instruction.
  bool fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const;
  /// The same for the instructions of `code` whose indices are in `packet`, and one more.
  bool fits(std::span<const CodeInstruction> code, std::span<const size_t> packet, size_t another) const;

  /// A lower bound on the number of packets that hold them.
  uint32_t least_packets(std::span<const CodeInstruction> instructions) const;

 private:
  /// Operations that share a packet, and the words that they take.
  struct Reservations {
    std::vector<acg::Operation> operations;
    size_t words = 0;
    void add(const CodeInstruction& instruction);
  };
  Reservations& no_reservations() const;
  bool fits(Reservations& reservations) const;
  bool has_room(const Reservations& reservations) const;

  acg::PacketResources resources_;
  uint32_t words_;
  uint32_t most_;
  mutable Reservations reservations_;                 ///< reused memory of the last query
  mutable std::unordered_map<uint64_t, bool> known_;  ///< by operations; for look-up only
};

}  // namespace covenant::compiler::vliw
