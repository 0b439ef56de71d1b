/// A command of the memory controller to the banks of a channel.
#pragma once

#include <cstdint>
#include <functional>

namespace covenant::offchip {

enum class CommandKind { kActivate, kPrecharge, kPrechargeAll, kRead, kWrite, kRefresh };

struct Command {
  CommandKind kind = CommandKind::kActivate;
  uint32_t channel = 0;
  uint32_t bank = 0;    ///< within the channel; 0 if the command is for all banks
  uint64_t row = 0;     ///< for an activation, a read or a write
  uint64_t column = 0;  ///< for a read or a write
  uint32_t port = 0;    ///< port of the access, for a read or a write
  uint64_t age = 0;     ///< for a read or a write: number of accesses that entered the channel's queue before it
  uint64_t clock = 0;   ///< clock of the memory: the last one in which the command is on its bus; times count from it
};

/// Called with each command of a channel in the order of their clocks.
using CommandHook = std::function<void(const Command&)>;

}  // namespace covenant::offchip
