#include "acg/isa/vliw/packet_resources.h"

#include "acg/operations/vliw_traits.h"

namespace covenant::acg {

PacketResources::PacketResources(const Machine& machine) : demands_(kOperationCount) {
  const uint32_t all = (uint32_t{1} << machine.packet.slots) - 1;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    Demand& demand = demands_[static_cast<size_t>(mnemonic.does)];
    if (demand.slots != 0) continue;  // if several mnemonics implement one operation, the first counts
    demand = {mnemonic.slots == 0 ? all : mnemonic.slots, mnemonic.blocks, mnemonic.pipes};
  }
}

/// Depth-first search that tries slots from the highest one down, one operation after the other.
struct PacketResources::Search {
  const PacketResources& resources;
  std::span<const Operation> operations;
  Order order;
  std::vector<uint32_t> slots;

  bool assign(size_t at, uint32_t taken, uint32_t blocked, uint32_t busy, uint32_t above) {
    if (at == operations.size()) return (taken & blocked) == 0;
    const Demand& demand = resources.demands_[static_cast<size_t>(operations[at])];
    const bool falls = order == Order::kFalling || has(operations[at], VliwTrait::kBranch);
    for (uint32_t slot = 32; slot-- > 0;) {
      const uint32_t bit = uint32_t{1} << slot;
      if ((demand.slots & bit) == 0 || (taken & bit) != 0 || (falls && slot >= above)) continue;
      slots[at] = slot;
      const uint32_t below = falls ? slot : above;
      if (demand.pipes.empty() && assign(at + 1, taken | bit, blocked | demand.blocks, busy, below)) return true;
      for (const uint32_t pipes : demand.pipes) {
        if ((busy & pipes) == 0 && assign(at + 1, taken | bit, blocked | demand.blocks, busy | pipes, below))
          return true;
      }
    }
    return false;
  }
};

std::optional<std::vector<uint32_t>> PacketResources::slots_for(std::span<const Operation> operations,
                                                                Order order) const {
  Search search{*this, operations, order, std::vector<uint32_t>(operations.size())};
  if (!search.assign(0, 0, 0, 0, 32)) return std::nullopt;
  return std::move(search.slots);
}

}  // namespace covenant::acg
