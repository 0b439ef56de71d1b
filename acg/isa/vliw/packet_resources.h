/// Slots and pipes of packets: decides whether instructions may issue together, regardless of their registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"

namespace covenant::acg {

class PacketResources {
 public:
  /// Keeps no reference to the machine. Precondition: the machine has packets.
  explicit PacketResources(const Machine& machine);

  /// kFalling: slots fall in the order given. kAny: only branches keep their order among themselves.
  enum class Order : uint8_t { kAny, kFalling };
  /// A slot for each operation, so that no slot is used twice, slots that an operation blocks stay empty, and no pipe
  /// is shared. Nothing if there is no such assignment.
  std::optional<std::vector<uint32_t>> slots_for(std::span<const Operation> operations, Order order) const;

 private:
  struct Demand {
    uint32_t slots = 0;
    uint32_t blocks = 0;
    std::vector<uint32_t> pipes;
  };
  struct Search;

  std::vector<Demand> demands_;  ///< indexed by Operation
};

}  // namespace covenant::acg
