/// The hardware contexts of a vliw_core as a SystemC module.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "sim/sc/common/cycle_time.h"
#include "sim/sc/vliw/line_port.h"
#include "sim/vliw/contexts.h"
#include "sim/vliw/services.h"

namespace covenant::sim::sc {

/// Runs ahead of the kernel's time up to a service that a context requests, to a point that depends on an answer of
/// memory, or for a number of packets; then waits until the kernel has reached that time.
class CoreModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CoreModule);
  /// A place that a run passes for the first time: its address, and the action to take then.
  struct Stop {
    uint32_t address = vliw::Core::kNowhere;
    std::function<void()> reached;
  };
  /// Environment of a context. It ends by a service, after `max_packets` packets, or at the last of `stops`, which are
  /// passed in order. Without services, requesting one is a fault.
  struct Behind {
    vliw::Services* services = nullptr;
    std::vector<Stop> stops{};
  };
  /// A run. `contexts`, and what `behind` refers to, one entry for each context, must outlive it.
  struct Run {
    vliw::Contexts* contexts = nullptr;
    std::vector<Behind> behind{};
    uint64_t max_packets = UINT64_MAX;
    CycleTime time{};  ///< cycle 0 is now or later
    /// If memory is to be asked at the port: the bytes stored in lines. For a single context only.
    LinePort::Bytes stored{};
    /// Lives until the run is let go of, which may be after `release`: in the middle of a packet.
    std::shared_ptr<vliw::Contexts> owned{};
  };
  /// `port`: at off-chip memory, of a core that may ask it.
  explicit CoreModule(const sc_core::sc_module_name& name, std::optional<uint32_t> port = std::nullopt);

  /// Null without a port. It must be bound.
  LinePort* port() { return port_.get(); }
  void start(Run run);
  /// Waits, in the middle of a packet, until the kernel has reached the cycle in which that issues: what the packet
  /// reads and writes in memory is there in its time. Precondition: it has a port.
  void catch_up();
  /// Lets go of the run that is under way, or has ended: a new one may begin.
  void release();

  /// Called once the times of all packets are known, or something has stopped the run. The last of its cycles may be
  /// still to come.
  std::function<void()> ended;
  bool has_finished() const { return has_finished_; }
  /// The exception that has stopped the run; null if it is still running.
  std::exception_ptr failure() const { return failure_; }
  /// Rethrows it.
  void check() const;

 private:
  void step();
  void live();
  std::optional<sc_core::sc_time> go_on();
  void guarded(const std::function<void()>& body);
  void advance();
  void finish();
  void answered();
  void take_answers();
  bool is_at_its_end(size_t context);
  bool is_at_last_stop(size_t context);
  uint64_t reached() const;

  std::unique_ptr<LinePort> port_;
  sc_core::sc_event wake_;
  Run run_;
  std::vector<size_t> next_stop_;  ///< per context
  uint64_t resumes_ = 0;           ///< cycle in which it continues
  bool waits_ = false;             ///< waits for an answer before it can continue
  bool has_finished_ = false;
  sc_core::sc_event released_;
  uint64_t released_runs_ = 0;
  bool is_catching_up_ = false;
  bool has_new_answers_ = false;  ///< some came in the meantime
  std::exception_ptr failure_;
};

}  // namespace covenant::sim::sc
