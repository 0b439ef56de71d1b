/// Buses that transfer engines share: a calendar of bursts (docs/reference/units/dma.md, "Shared buses").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::sim {

/// Who may move beats when. Engines ask with `request`; once no engine can do anything before it has been answered,
/// `advance` finishes transfers one by one, in the order of time as far as one may depend on another. It walks bursts
/// only where several engines want a bus at a time.
class Buses {
 public:
  explicit Buses(const acg::Machine& machine);

  /// No edge of the machine names a bus.
  bool empty() const { return buses_.empty(); }
  bool is_shared(uint32_t engine) const { return bus_of_[engine] != kNone; }
  /// Start of a block: every search begins with the first engine of the bus. Precondition: nobody waits for an answer.
  void clear();

  /// From cycle `cycle` on, `engine` wants to move `beats` beats. Precondition: is_shared; no request of it is open.
  void request(uint32_t engine, uint64_t cycle, uint64_t beats);

  struct Transfer {
    uint32_t engine = 0;
    uint64_t first = 0;  ///< cycle of its first beat
    uint64_t last = 0;   ///< and of its last one
  };
  /// The next transfer that comes to its end; empty if no request is open, or none can be granted a burst before
  /// `horizon`. Precondition: no request of a cycle before `horizon` will be made before the transfer is returned, but
  /// for those that engines make after transfers that are open now.
  std::optional<Transfer> advance(uint64_t horizon);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Request {
    uint32_t engine = 0;
    uint64_t cycle = 0;  ///< of the request for its next burst
    uint64_t beats = 0;  ///< left; 0: nothing open
    uint64_t first = 0;
    bool has_begun = false;
    uint64_t burst = 0;  ///< beats of a burst; the last one of a transfer may be shorter
  };
  struct Bus {
    std::vector<Request> members;  ///< in the order of engines
    size_t last = 0;               ///< who had it last
    uint64_t free = 0;             ///< first cycle in which no burst goes on
  };

  static std::optional<uint64_t> next_grant(const Bus& bus);
  static uint64_t earliest_end(const Bus& bus);
  static std::optional<Transfer> finish_one(Bus& bus, uint64_t horizon);

  std::vector<uint32_t> bus_of_;     ///< by engine
  std::vector<uint32_t> member_of_;  ///< by engine: place in its bus
  std::vector<Bus> buses_;
};

}  // namespace covenant::sim
