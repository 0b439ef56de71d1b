/// The interface between the registers of an accelerator and what runs its programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "platform/memory_socket.h"
#include "sim/common/registers.h"
#include "sim/sc/common/cycle_time.h"

namespace covenant::sim::sc {

/// How a machine is connected with its platform.
struct RunnerOptions {
  uint32_t first_port = 0;   ///< added to the numbers of its ports at memories
  uint32_t outstanding = 0;  ///< bursts of each port that are under way, behind AXI masters; 0: no masters
};

/// One program at a time. Nothing that a program does leaves it as an exception.
class ProgramRunner {
 public:
  ProgramRunner() = default;
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;
  virtual ~ProgramRunner() = default;

  /// Sockets to be bound to the off-chip memory of that number.
  virtual std::vector<covenant::sc::MemorySocket*> sockets_of(uint32_t memory) = 0;
  /// Bytes at whose multiples programs begin.
  virtual uint32_t alignment() const = 0;

  /// Begins a run in cycle 0 of `time`, which is to come. Precondition: none is under way.
  virtual void start(uint32_t entry, const CycleTime& time) = 0;
  /// Called once it is known in which cycle the run ends, normally or by a fault; the state that it leaves is known
  /// then, too. The cycle is now or later.
  std::function<void(uint64_t cycle)> ended;

  /// Counters of the current or last run.
  virtual RunCounters counters() const = 0;
  /// The reason why the run was stopped, in terms of the registers.
  struct Fault {
    registers::Stop stop = registers::Stop::kMachine;
    uint64_t faults = 0;
    uint64_t address = 0;
  };
  virtual std::optional<Fault> fault() const = 0;
  /// Ends the run where it is, if it has not ended, and lets go of it. What it has written is in memory.
  virtual void detach() = 0;
};

}  // namespace covenant::sim::sc
