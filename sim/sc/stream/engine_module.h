/// One engine of a machine as a SystemC module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "platform/memory_socket.h"
#include "sim/sc/common/cycle_time.h"
#include "sim/sc/stream/bus_channel.h"
#include "sim/sc/stream/control_interface.h"
#include "sim/sc/stream/token_channel.h"
#include "sim/stream/engine.h"

namespace covenant::sim::sc {

/// Its process runs the engine ahead to its next point of synchronisation and waits until it may continue. What an AXI
/// master issues comes from a process of its own: the engine does not wait for that.
class EngineModule : public sc_core::sc_module, private Surroundings {
 public:
  SC_HAS_PROCESS(EngineModule);
  sc_core::sc_port<TokenInterface, 0> tokens;  ///< in the order of `scratchpads`
  sc_core::sc_port<BusInterface, 1, sc_core::SC_ZERO_OR_MORE_BOUND> bus;
  sc_core::sc_port<ControlInterface> control;

  /// `scratchpads`: numbers of the memories whose channels `tokens` is bound to. `port`: of an off-chip edge, its
  /// number at the memory.
  EngineModule(const sc_core::sc_module_name& name, uint32_t index, std::vector<uint32_t> scratchpads,
               std::optional<uint32_t> port);

  /// The socket of an engine of an off-chip edge; null for others.
  covenant::sc::MemorySocket* memory() { return memory_.get(); }

  /// A run begins; both must outlive it.
  void attach(Engine& engine, const CycleTime& time);
  /// Nothing of the run is left.
  void detach();
  /// A block begins: its engine has words, from `cycle` on.
  void start(uint64_t cycle) { start_.notify(time_->until(cycle)); }

 private:
  void step();
  /// Afterwards the process waits only for the next start.
  void reset() { process_.reset(); }
  void go_on();
  void await();
  void ask();
  void attend();
  void answered(const covenant::sc::MemorySocket::Response& response);
  void refuse(const covenant::sc::MemorySocket::Response& response);

  void end_of_elaboration() override;
  TokenInterface& channel(uint32_t counter) { return *channels_[counter / (acg::kMaxChannels * 2)]; }
  std::optional<Channels::Taken> take(uint32_t counter, uint64_t arrival) override {
    return channel(counter).take(counter, arrival);
  }
  bool post(uint32_t counter, uint64_t visible, const Clock& clock) override {
    return channel(counter).post(counter, visible, clock);
  }
  void request_bus(uint64_t cycle, uint64_t beats) override { bus->request(index_, cycle, beats); }
  void end_burst(uint64_t cycle) override { bus->end_burst(cycle); }

  uint32_t index_;
  std::vector<uint32_t> scratchpads_;
  std::vector<TokenInterface*> channels_;  ///< by memory: the channel bound to `tokens`, looked up once
  std::unique_ptr<covenant::sc::MemorySocket> memory_;
  sc_core::sc_process_handle process_;
  sc_core::sc_event reset_;
  sc_core::sc_event start_;
  sc_core::sc_event answered_;
  sc_core::sc_event attend_;                                     ///< the master may have something to do
  std::optional<covenant::sc::MemorySocket::Response> refused_;  ///< behind a master
  Engine* engine_ = nullptr;
  const CycleTime* time_ = nullptr;
};

}  // namespace covenant::sim::sc
