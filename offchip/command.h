/// What a controller says to the banks of a channel.
#pragma once

#include <cstdint>
#include <functional>

namespace covenant::offchip {

enum class CommandKind { kActivate, kPrecharge, kPrechargeAll, kRead, kWrite, kRefresh };

struct Command {
  CommandKind kind = CommandKind::kActivate;
  uint32_t channel = 0;
  uint32_t bank = 0;    ///< of the channel; 0 if the command is for all of them
  uint64_t row = 0;     ///< of an activation, a read or a write
  uint64_t column = 0;  ///< of a read or a write
  uint32_t port = 0;    ///< whose access it is, of a read or a write
  uint64_t age = 0;     ///< likewise: how many accesses entered the channel's queue before it
  uint64_t clock = 0;   ///< of the memory: the last one in which the command is on its bus; times count from it
};

/// Called with each command of a channel in the order of their clocks.
using CommandHook = std::function<void(const Command&)>;

}  // namespace covenant::offchip
