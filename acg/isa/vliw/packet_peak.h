/// Peak arithmetic rate of a packet.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Most multiply-accumulates of bytes in one packet: as many dot-product instructions as its slots and pipes have room
/// for, times the products of the largest GEMM capability of the machine. 0 if it has none. Precondition: the machine
/// has packets.
uint64_t macs_in_packet(const Machine& machine);

}  // namespace covenant::acg
