/// Orders the instructions of a packet, which read and write simultaneously, into sequential steps.
#pragma once

#include <vector>

#include "acg/isa/vliw/packet.h"
#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

/// Readers of an old value come before its writer, readers of a new one after it; accesses to memory and branches keep
/// the order of their words. Where that is a circle, an old value is copied into a hidden register first. A temporary
/// value lives in a hidden register. Targets are made absolute: `address` is the packet's.
/// Precondition: the packet may issue (`acg::PacketChecker`).
std::vector<MicroOperation> ordered(const acg::Packet& packet, uint32_t address, const acg::PacketCodec& codec);

}  // namespace covenant::sim::vliw
