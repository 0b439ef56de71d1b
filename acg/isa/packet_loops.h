/// The loops of code in packets, found in the packets themselves, whoever has written them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/packet.h"

namespace covenant::acg {

struct AddressedPacket {
  uint32_t address = 0;
  Packet packet;
};

/// From the packet at `first` to the one at `last`, which leads back to it.
struct CodeLoop {
  uint32_t first = 0;
  uint32_t last = 0;
  bool operator==(const CodeLoop&) const = default;
};

/// Hardware loops, from where one is set up to lead to the next packet that ends one of its kind; and branches to an
/// address that is not after them, calls apart. By address, outer ones before those within.
/// Precondition: `packets` are in the order of their addresses.
std::vector<CodeLoop> loops_of(std::span<const AddressedPacket> packets);

/// In which loop each packet is: `2`, in the second one; `2.1`, in the first one within that; empty outside of loops.
std::vector<std::string> loop_numbers(std::span<const AddressedPacket> packets);

}  // namespace covenant::acg
