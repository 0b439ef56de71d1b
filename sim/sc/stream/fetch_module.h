/// Instruction fetch of a machine as a SystemC module.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>

#include "platform/memory_socket.h"
#include "sim/sc/common/cycle_time.h"
#include "sim/sc/stream/control_interface.h"
#include "sim/stream/fetch_stream.h"
#include "sim/stream/simulation.h"

namespace covenant::sim::sc {

/// Fetches the words of blocks beat by beat if their memory must be asked when it answers; otherwise it does nothing.
class FetchModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(FetchModule);
  sc_core::sc_port<ControlInterface> control;

  /// `unit`: its number after those of engines. `port`: at the memory.
  FetchModule(const sc_core::sc_module_name& name, uint32_t unit, uint32_t port);

  covenant::sc::MemorySocket memory;

  /// A run begins; both must outlive it.
  void attach(Simulation& simulation, const CycleTime& time);
  void detach();
  /// Fetches a block. Precondition: the one before has come.
  void begin(const Simulation::Fetch& fetch);
  /// Arrival cycles of the block's beats; null: it has not arrived yet.
  const std::vector<uint64_t>* arrivals() const;
  /// Bytes that have arrived in the run, those too that are not of a block.
  uint64_t bytes_read() const { return stream_ ? stream_->arrived_by(time_->now()) * beat_bytes_ : 0; }
  /// FetchStream::waited of the current run.
  uint64_t waited() const { return stream_ ? stream_->waited() : 0; }

 private:
  void step();
  void request();
  void issue();
  /// Afterwards the process waits only for the next block.
  void reset() { process_.reset(); }
  void answered(const covenant::sc::MemorySocket::Response& response);

  uint32_t unit_;
  sc_core::sc_process_handle process_;
  sc_core::sc_event reset_;
  sc_core::sc_event wake_;
  Simulation* simulation_ = nullptr;
  std::optional<FetchStream> stream_;
  std::optional<Simulation::Fetch> planned_;
  uint64_t address_ = 0;
  std::deque<uint64_t> addresses_;  ///< of beats that have been requested, and not issued
  uint64_t beat_bytes_ = 0;
  bool has_begun_ = false;
  /// An error behind a master, and when that tells the fetch unit of it.
  std::optional<covenant::sc::MemorySocket::Response> refused_;
  uint64_t fault_ = UINT64_MAX;
  const CycleTime* time_ = nullptr;
};

}  // namespace covenant::sim::sc
