/// A bus that transfer engines share: who may move the next burst (docs/reference/units/dma.md, "Shared buses").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::sim {

/// Knows no order of simulation: it is told of requests, and asked who moves once all up to a cycle are known.
class SharedBus {
 public:
  struct Member {
    uint32_t engine = 0;
    uint64_t burst = 0;  ///< beats of a burst; the last one of a transfer may be shorter
  };
  /// In the order of engines.
  SharedBus(std::string name, std::vector<Member> members);

  const std::string& name() const { return name_; }
  const std::vector<Member>& members() const { return members_; }

  /// Start of a block: the search begins with the first member. Precondition: no transfer is open.
  void clear();

  /// From `cycle` on, `member` wants to move `beats` beats. Precondition: no transfer of it is open.
  void request(size_t member, uint64_t cycle, uint64_t beats);

  /// The earliest cycle in which a burst can begin; nothing: nobody asks, or a burst goes on.
  std::optional<uint64_t> next() const;

  struct Grant {
    size_t member = 0;
    uint64_t beats = 0;
  };
  /// The burst that begins in `cycle`. It goes on until `ended`. Precondition: `cycle` is at least `next()`, and all
  /// requests up to it have been made.
  Grant grant(uint64_t cycle);

  /// The burst has moved its last beat: from `cycle` on the bus is free, and its member asks for what is left.
  void ended(uint64_t cycle);

 private:
  struct Open {
    uint64_t cycle = 0;  ///< since when it asks for its next burst
    uint64_t beats = 0;  ///< left; 0: nothing open
  };
  std::string name_;
  std::vector<Member> members_;
  std::vector<Open> open_;  ///< by member
  size_t last_ = 0;         ///< who has the bus, or had it last
  uint64_t free_ = 0;       ///< first cycle in which no burst goes on
  bool goes_on_ = false;
};

/// All of a machine, by the order in which edges name them.
std::vector<SharedBus> shared_buses(const acg::Machine& machine);

}  // namespace covenant::sim
