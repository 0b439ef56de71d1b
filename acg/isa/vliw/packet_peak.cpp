#include "acg/isa/vliw/packet_peak.h"

#include <algorithm>
#include <array>
#include <vector>

#include "acg/isa/vliw/packet_resources.h"

namespace covenant::acg {
namespace {

/// Multiply-accumulates of the largest GEMM that the machine has in one operation.
uint64_t products_at_once(const Machine& machine) {
  uint64_t most = 0;
  for (const Compute& compute : machine.computes) {
    for (const Capability& capability : compute.capabilities) {
      if (capability.name != "GEMM") continue;
      for (const CapabilityOperand& input : capability.inputs) {
        uint64_t elements = 1;
        for (const uint64_t extent : input.shape) elements *= extent;
        most = std::max(most, elements);
      }
    }
  }
  return most;
}

}  // namespace

uint64_t macs_in_packet(const Machine& machine) {
  constexpr std::array kSums{VliwOperation::kVrmpyubAcc, VliwOperation::kVrmpybusAcc, VliwOperation::kVrmpybusvAcc,
                             VliwOperation::kVrmpybvAcc, VliwOperation::kVrmpyubvAcc};
  const PacketResources resources(machine);
  uint64_t most = 0;
  for (const VliwOperation sum : kSums) {
    const Operation does = operation_of(sum);
    const bool is_there = std::any_of(machine.mnemonics.begin(), machine.mnemonics.end(),
                                      [&](const Mnemonic& mnemonic) { return mnemonic.does == does; });
    std::vector<Operation> together;
    while (is_there && together.size() < machine.packet.slots) {
      together.push_back(does);
      if (!resources.slots_for(together, PacketResources::Order::kAny)) break;
      most = std::max<uint64_t>(most, together.size());
    }
  }
  return most * products_at_once(machine);
}

}  // namespace covenant::acg
