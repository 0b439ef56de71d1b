/// Finds the loops of a program from its packets alone, so that the code of any compiler can be analysed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/vliw/packet.h"

namespace covenant::acg {

struct AddressedPacket {
  uint32_t address = 0;
  Packet packet;
};

/// A loop from the packet at `first` to the one at `last`, which branches back to it.
struct CodeLoop {
  uint32_t first = 0;
  uint32_t last = 0;
  bool operator==(const CodeLoop&) const = default;
};

/// All loops: hardware loops, from their set-up to the next packet that ends one of their kind, and branches to an
/// address that is not after them, except calls. By address, outer loops before those that they contain. Precondition:
/// `packets` are in the order of their addresses.
std::vector<CodeLoop> loops_of(std::span<const AddressedPacket> packets);

/// The number of the innermost loop around each packet: `2` in the second loop, `2.1` in the first one within that;
/// empty outside of loops.
std::vector<std::string> loop_numbers(std::span<const AddressedPacket> packets);

}  // namespace covenant::acg
