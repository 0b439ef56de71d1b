/// Checks whether a packet may issue: slots, pipes and the rules between its instructions.
#pragma once

#include "acg/base/result.h"
#include "acg/isa/vliw/packet.h"
#include "acg/isa/vliw/packet_resources.h"

namespace covenant::acg {

/// Checks packets of one machine. The rules between instructions are those of the vliw_core
/// (docs/reference/units/vliw_core.md); slots and pipes are the machine's.
class PacketChecker {
 public:
  /// Precondition: as for PacketCodec.
  explicit PacketChecker(const Machine& machine);

  /// Errors: those of PacketCodec::encode; ISA0011 (no assignment of pipes and of slots that fall in the order of the
  /// instructions), ISA0012 (a register written twice, or a new value that nothing produces), ISA0013 (branches, loop
  /// ends, and instructions that must not be combined).
  Status check(const Packet& packet) const;
  /// The slot of each instruction, as `check` assigns them. Errors: those of `check`.
  Result<std::vector<uint32_t>> slots(const Packet& packet) const;

  /// The same instructions in an order in which slots fall. Branches keep their order, and operands of kind `produced`
  /// refer to the same instructions as before. Errors: those of `check`.
  Result<Packet> arranged(const Packet& packet) const;

 private:
  Result<std::vector<uint32_t>> assigned(const Packet& packet, PacketResources::Order order) const;
  Diagnostic no_assignment(const Packet& packet) const;
  Status check_rules(const Packet& packet) const;

  PacketCodec codec_;
  PacketResources resources_;
};

}  // namespace covenant::acg
