/// Assigns addresses to packets, in the form in which the machine executes them.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/isa/vliw/packet_check.h"
#include "compiler/families/vliw/packetize.h"

namespace covenant::compiler::vliw {

struct AddressedPacket {
  uint32_t address = 0;
  acg::Packet packet;
  bool operator==(const AddressedPacket&) const = default;
};

/// Places the packets one after the other from `address` on, instructions in the order of slots. Ends of loops are
/// marked; set-ups of loops and branches get their targets. A packet that may not issue is an InternalError.
/// Precondition: operands are the machine's registers (`allocated`).
std::vector<AddressedPacket> assign_addresses(const std::vector<PacketStep>& steps, const acg::Machine& machine,
                                              uint32_t address);

/// The words of the packets, and their text: one line for each, ready for an assembler.
std::vector<uint8_t> bytes_of(const std::vector<AddressedPacket>& packets, const acg::Machine& machine);
std::string text_of(const std::vector<AddressedPacket>& packets, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
