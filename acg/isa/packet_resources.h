/// Slots and pipes of packets: may instructions issue together, whatever their registers?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/operation.h"

namespace covenant::acg {

class PacketResources {
 public:
  /// Keeps no reference to the machine. Precondition: it has packets.
  explicit PacketResources(const Machine& machine);

  /// kAny: only branches, among themselves, keep the order in which they are given.
  enum class Order : uint8_t { kAny, kFalling };
  /// A slot for each of the operations, none twice and those that they block empty, with pipes that nobody else has:
  /// higher slots before lower ones for `kFalling`. Nothing if there are none.
  std::optional<std::vector<uint32_t>> slots_for(std::span<const Operation> operations, Order order) const;

 private:
  struct Demand {
    uint32_t slots = 0;
    uint32_t blocks = 0;
    std::vector<uint32_t> pipes;
  };
  struct Search;

  std::vector<Demand> demands_;  ///< by Operation
};

}  // namespace covenant::acg
