/// A machine as a SystemC module: control, instruction fetch, engines, and the channels between them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "acg/graph/graph.h"
#include "sim/sc/stream/bus_channel.h"
#include "sim/sc/stream/control_interface.h"
#include "sim/sc/stream/engine_module.h"
#include "sim/sc/stream/fetch_module.h"
#include "sim/sc/stream/token_channel.h"
#include "sim/stream/simulation.h"

namespace covenant::sim::sc {

/// Starts blocks, closes them, and keeps what stops a run. One event for each point of synchronisation; no clock.
class MachineModule : public sc_core::sc_module, private ControlInterface {
 public:
  SC_HAS_PROCESS(MachineModule);
  /// The structure of `machine`, which must outlive it. `first_port`: added to the numbers of ports at memories.
  MachineModule(const sc_core::sc_module_name& name, const acg::Machine& machine, uint32_t first_port = 0);

  /// Sockets to be bound to off-chip memory number `memory`: those of engines in order, then instruction fetch.
  std::vector<covenant::sc::MemorySocket*> sockets_of(uint32_t memory);
  /// Cycles in which words of the current run were due and their memory had not answered.
  uint64_t fetch_waited() const { return fetch_->waited(); }
  /// By memory: true if it does not answer all of its sockets within the machine's latency, so that it must be asked.
  /// Call after binding.
  std::vector<bool> timed_memories(const CycleTime& time);

  /// Begins a run of a program of this machine in cycle 0 of `time`, which is now or later. `simulation` must outlive
  /// the run, and know of the memories that are timed.
  void start(Simulation& simulation, const CycleTime& time);
  /// Called once the last block is closed, or something has stopped the run. All is computed then; the last of its
  /// cycles may be still to come.
  std::function<void()> ended;

  /// Its blocks are all done.
  bool has_finished() const { return finished_; }
  /// The exception that has stopped the run; null if it is still running.
  std::exception_ptr failure() const { return failure_; }
  /// Number of the engine in which the run failed, or, after the last of them, of instruction fetch; nothing: in none.
  std::optional<uint32_t> failed_in() const { return failed_in_; }
  /// Address at which off-chip memory has refused an access.
  std::optional<uint64_t> failed_at() const { return failed_at_; }
  /// Bytes that instruction fetch has read in the run, if its memory is timed.
  uint64_t fetched_bytes() const { return fetch_->bytes_read(); }
  /// Lets go of the simulation: a new run may begin.
  void detach();

 private:
  bool guarded(std::optional<uint32_t> engine, const std::function<void()>& body) override;
  void progressed() override;
  void next_block();
  bool begin_next();
  void plan_fetch();

  const acg::Machine& machine_;
  std::vector<std::unique_ptr<TokenChannel>> tokens_;
  std::vector<std::unique_ptr<BusChannel>> buses_;
  std::vector<std::unique_ptr<EngineModule>> engines_;
  std::unique_ptr<FetchModule> fetch_;
  sc_core::sc_event progress_;
  Simulation* simulation_ = nullptr;
  CycleTime time_;
  std::exception_ptr failure_;
  std::optional<uint32_t> failed_in_;
  std::optional<uint64_t> failed_at_;
  bool fetches_ = false;  ///< the words of the next block are under way
  bool running_ = false;  ///< a block has begun and is not closed yet
  bool finished_ = false;
};

}  // namespace covenant::sim::sc
