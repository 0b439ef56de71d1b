/// Arbitration: which of several initiators gets a path next, and for how long.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "platform/agenda.h"

namespace covenant::sc {

enum class Arbitration {
  kRoundRobin,  ///< the next one after the one that had it last
  kPriorities,  ///< the one with the lowest number, whatever the others wait
};

/// Chooses among waiting initiators. Precondition of `next`: one is waiting.
class Arbiter {
 public:
  /// Initiators without a priority have their own number as one; of equal ones the lower initiator goes first.
  Arbiter(Arbitration arbitration, std::vector<uint32_t> priorities)
      : arbitration_(arbitration), priorities_(std::move(priorities)) {}

  uint32_t next(const std::vector<bool>& waits);

 private:
  uint32_t priority_of(uint32_t initiator) const;

  Arbitration arbitration_;
  std::vector<uint32_t> priorities_;
  uint32_t last_ = UINT32_MAX;  ///< the last one served, among those that take turns
};

/// A path to one target that one transaction at a time holds.
class Path : public sc_core::sc_module {
 public:
  struct Request {
    uint32_t initiator = 0;
    tlm::tlm_generic_payload* transaction = nullptr;
    sc_core::sc_event* blocked = nullptr;  ///< event that b_transport waits for; null for nb_transport
    sc_core::sc_time asked{};
    uint64_t beats = 0;
    sc_core::sc_time holds{};  ///< how long it occupies the path; more than zero
  };
  /// A request has the path from now on.
  using Granted = std::function<void(const Request&)>;

  SC_HAS_PROCESS(Path);
  Path(const sc_core::sc_module_name& name, Arbiter arbiter, Granted granted);

  /// Before the simulation starts.
  void resize(size_t initiators) { waiting_.resize(initiators); }

  /// Adds a request that comes at `request.asked`. Requests of one initiator are granted in their order.
  void ask(const Request& request) { agenda_.put(request.asked, request.initiator, request); }

 private:
  void step();
  void grant_next();

  Arbiter arbiter_;
  Granted granted_;
  Agenda<Request> agenda_;
  std::vector<std::deque<Request>> waiting_;  ///< per initiator
  sc_core::sc_time free_at_;
};

}  // namespace covenant::sc
