/// Memories of a platform in which off-chip states of a machine lie.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/result.h"
#include "acg/behaviour/engine.h"
#include "sim/sc/command_accelerator.h"

namespace covenant::sc {

/// A socket for each off-chip state, which may stay unbound: the state is then the machine's own. Bytes go through
/// direct access, which takes no time of the platform: the machine's text says in which cycle it reads and writes.
class CommandAccelerator::OffChipMemories {
 public:
  /// `bases` are addresses of the first bytes, 0 for a state that is not named.
  OffChipMemories(const acg::behaviour::Behaviour& behaviour, const MemoryBases& bases);
  ~OffChipMemories();

  /// An SC_ERROR (BEH0060) if there is no such state.
  MemorySocket& socket(std::string_view state) const;
  /// Has the engine use the memories that are bound, unless it does already; asks for direct access to those that have
  /// withdrawn it. Errors: BEH0060.
  Status attach(acg::behaviour::Engine& engine);
  /// Forgets what the engine uses: another one comes.
  void detach() { is_attached_ = false; }

 private:
  struct Memory;

  Memory* find(std::string_view state) const;
  Diagnostic unknown(std::string_view state) const;
  void invalidate(int memory, sc_dt::uint64 start, sc_dt::uint64 end);

  std::vector<std::unique_ptr<Memory>> memories_;
  bool is_attached_ = false;
};

}  // namespace covenant::sc
