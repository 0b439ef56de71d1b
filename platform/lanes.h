/// Lanes that carry one transaction at a time: the exclusion rules of TLM-2.0's base protocol.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "platform/agenda.h"

namespace covenant::sc {

/// A socket begins a request only after its last one has ended, and likewise for responses. A lane queues what has to
/// wait: one lane for the requests to each target, or for the responses to each initiator.
class Lanes : public sc_core::sc_module {
 public:
  /// Begins a phase on a lane, `delay` from now. Returns when the lane is free again, as the delay from now, if the
  /// other side has decided that already; otherwise `free` will be called.
  using Begin = std::function<std::optional<sc_core::sc_time>(uint32_t lane, tlm::tlm_generic_payload&,
                                                              const sc_core::sc_time& delay)>;

  SC_HAS_PROCESS(Lanes);
  Lanes(const sc_core::sc_module_name& name, Begin begin);

  /// Sets the number of lanes, before the simulation starts.
  void resize(size_t lanes) { lanes_.resize(lanes); }

  /// Begins the phase of the transaction at `when`, or as soon as the lane is free. Among transactions of one lane and
  /// time, the lower rank goes first.
  void put(uint32_t lane, uint32_t rank, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& when);

  /// The same, but tells the other side now what begins at `when`, if nothing waits for the lane: time is annotated,
  /// and no event is spent on it.
  void put_ahead(uint32_t lane, uint32_t rank, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& when);

  /// The phase that is under way ends at `when`.
  void free(uint32_t lane, const sc_core::sc_time& when);

  /// True if this transaction is the one in progress.
  bool carries(uint32_t lane, const tlm::tlm_generic_payload& transaction) const;

 private:
  struct Lane {
    uint64_t coming = 0;  ///< transactions whose time has not come
    std::deque<tlm::tlm_generic_payload*> waiting;
    tlm::tlm_generic_payload* under_way = nullptr;
    bool is_ending = false;  ///< the end of the current phase is known, but has not come yet
  };
  /// A transaction that comes onto a lane, or null: the one under way leaves it.
  struct Change {
    uint32_t lane = 0;
    tlm::tlm_generic_payload* comes = nullptr;
  };

  void step();
  void begin_next(uint32_t lane);

  Begin begin_;
  std::vector<Lane> lanes_;
  Agenda<Change> agenda_;
};

}  // namespace covenant::sc
