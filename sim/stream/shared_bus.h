/// A bus shared by transfer engines: decides which one moves the next burst (docs/reference/units/dma.md, "Shared
/// buses").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::sim {

/// Independent of the order of simulation: requests are passed to it, and it decides once all requests up to a cycle
/// are known.
class SharedBus {
 public:
  struct Member {
    uint32_t engine = 0;
    uint64_t burst = 0;  ///< beats of a burst; the last one of a transfer may be shorter
  };
  /// `members`: in the order of engines.
  SharedBus(std::string name, std::vector<Member> members);

  const std::string& name() const { return name_; }
  const std::vector<Member>& members() const { return members_; }

  /// Start of a block: the search begins with the first member. Precondition: no transfer is open.
  void clear();

  /// From `cycle` on, `member` wants to move `beats` beats. Precondition: no transfer of it is open.
  void request(size_t member, uint64_t cycle, uint64_t beats);

  /// The earliest cycle in which a burst can begin. Nothing if there is no request, or during a burst.
  std::optional<uint64_t> next() const;

  struct Grant {
    size_t member = 0;
    uint64_t beats = 0;
  };
  /// The burst that begins in `cycle` and lasts until `ended`. Precondition: `cycle` is at least `next()`, and all
  /// requests up to it have been made.
  Grant grant(uint64_t cycle);

  /// The burst has moved its last beat: from `cycle` on the bus is free, and its member requests the rest of its beats.
  void ended(uint64_t cycle);

 private:
  struct Open {
    uint64_t cycle = 0;  ///< cycle from which on it requests its next burst
    uint64_t beats = 0;  ///< left; 0: nothing open
  };
  std::string name_;
  std::vector<Member> members_;
  std::vector<Open> open_;  ///< by member
  size_t last_ = 0;         ///< member that has the bus, or had it last
  uint64_t free_ = 0;       ///< first cycle after the current burst
  bool goes_on_ = false;
};

/// All of a machine, by the order in which edges name them.
std::vector<SharedBus> shared_buses(const acg::Machine& machine);

}  // namespace covenant::sim
