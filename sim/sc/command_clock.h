/// The clock of a machine that a host drives by commands, and the order of its commands.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "acg/behaviour/engine.h"
#include "sim/sc/command_accelerator.h"
#include "sim/sc/off_chip_memories.h"

namespace covenant::sc {

/// Carries out the machine's cycles, each when it ends, and hands it one command at a time.
///
/// A command is begun by the thread of its initiator when a cycle begins, after the cycle before has been carried out;
/// so it does not matter in which order the kernel runs what happens at one time.
class CommandAccelerator::Clock : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Clock);
  Clock(MakeEngine make, sc_core::sc_out<bool>& interrupt, ResetPin& reset_n);

  /// Off-chip memories, which live as long.
  void use(OffChipMemories& memories) { memories_ = &memories; }
  /// Has the machine use those that are bound. Errors: BEH0060.
  Status attach() { return memories_->attach(*engine_); }

  /// Waits for a turn among the transactions of all initiators; nothing if the machine is or was held in reset.
  std::optional<uint64_t> enter();
  /// Carries out a command, within a turn. Returns what it has read; nothing if it fails, with `error()`.
  std::optional<std::vector<uint8_t>> go(const std::string& port, const acg::behaviour::Command& command);
  void leave(uint64_t turn);

  const std::optional<Diagnostic>& error() const { return error_; }
  const acg::behaviour::Engine& engine() const { return *engine_; }
  const sc_core::sc_time& period() const { return period_; }

 private:
  void run();
  void cycle();
  void drive();
  void reset();
  void stop(const Diagnostic& diagnostic);
  void wait_for_edge() const;
  /// BEH0038.
  void refuse_in_reset();
  /// Whether the cycle that ends now is still to be carried out.
  bool is_cycle_due() const { return is_running_ && sc_core::sc_time_stamp() == end_; }

  OffChipMemories* memories_ = nullptr;
  MakeEngine make_;
  std::unique_ptr<acg::behaviour::Engine> engine_;
  sc_core::sc_out<bool>& interrupt_;
  ResetPin& reset_n_;
  sc_core::sc_time period_;
  std::optional<Diagnostic> error_;
  std::optional<Diagnostic> stopped_;
  std::deque<uint64_t> turns_;  ///< the one that is under way first
  uint64_t last_turn_ = 0;
  uint64_t resets_ = 0;
  bool is_running_ = true;    ///< something can go on: cycles follow one another
  bool is_released_ = false;  ///< a reset has ended, and no cycle has begun since
  sc_core::sc_time end_;      ///< of the cycle that is under way, while it is running
  sc_core::sc_event turn_, wake_, cycle_ended_;
};

}  // namespace covenant::sc
