/// What a packet can do at most.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Multiply-accumulates of bytes that one packet can hold: as many sums of products as its slots and pipes have room
/// for, each of as many products as the largest GEMM of the machine takes at once. 0 if it has none.
/// Precondition: the machine has packets.
uint64_t macs_in_packet(const Machine& machine);

}  // namespace covenant::acg
