/// The hardware contexts of a vliw_core, each with registers, program and memory of its own, executed in the order in
/// which their packets issue.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "acg/base/failure.h"
#include "acg/graph/graph.h"
#include "sim/vliw/core.h"

namespace covenant::sim::vliw {

class Contexts {
 public:
  /// Initial state of a context.
  struct Start {
    AddressSpace memory;
    uint32_t entry = 0;
    std::vector<CommonRange> common{};  ///< ranges that it shares with contexts before it
  };
  /// Registers are zero. `counts_cycles`, `machine`: as of Core. Faults: SIM0087 (more than the machine has), and those
  /// of Core.
  Contexts(const acg::Machine& machine, std::vector<Start> starts, bool counts_cycles = true);

  size_t count() const { return members_.size(); }
  Core& at(size_t context) { return members_.at(context).core; }
  const Core& at(size_t context) const { return members_.at(context).core; }

  /// From now on off-chip memory is asked when it answers (LineEdge::ask_with). Precondition: a single context, which
  /// has timing and has not run yet.
  void ask_with(std::function<void(const LineEdge::Request&)> ask);
  /// The edge of off-chip memory. Precondition: they count cycles.
  LineEdge& edge() { return shared_->memory.edge(); }
  const LineEdge& edge() const { return shared_->memory.edge(); }
  /// Bytes of a line of the cache next to off-chip memory, the unit of requests.
  uint64_t line_bytes() const { return shared_->memory.last_line_bytes(); }
  /// If memory is asked: true if the times of all packets are known by now.
  bool settle();

  /// From now on the context ends its turns when its next packet would be that at `address`.
  void stop_at(size_t context, uint32_t address) { members_.at(context).stop = address; }
  /// It issues nothing any more.
  void finish(size_t context);
  bool are_finished() const { return live_.empty(); }

  /// Runs until a context requests a service, reaches its stop, or has executed `most` packets, and returns that
  /// context, which needs attention before the next call. Nothing: all contexts together have executed `packets`
  /// packets, or a core waits for memory. Among ready packets, the one that has been ready for longest issues first;
  /// then the one of the context that has issued longest ago, then the first. Faults: those of Core::run.
  std::optional<size_t> run(uint64_t packets, uint64_t most = UINT64_MAX);

  /// Executes `body` for a context; if there are several, a fault names it.
  template <typename Body>
  void of_context(size_t context, Body&& body) const {
    try {
      body();
    } catch (Failure& failure) {
      name(context, failure);
      throw;
    }
  }

  /// Cycle in which everything that has issued is done.
  uint64_t cycles() const;
  /// Executed by all.
  uint64_t packets() const;

 private:
  struct Member {
    Core core;
    uint32_t stop = Core::kNowhere;
    std::optional<uint64_t> ready{};  ///< cycle in which its next packet could issue, once requested
    uint64_t issued = 0;              ///< number of its last packet among all packets
  };
  bool wants_attention(const Member& member, uint64_t most) const;
  size_t first_to_issue();
  void name(size_t context, Failure& failure) const;

  std::shared_ptr<SharedSide> shared_;  ///< null without cycles
  std::deque<Member> members_;          ///< a deque, so that places of members do not move
  std::vector<size_t> live_;            ///< by number
  bool counts_cycles_;
  uint64_t issued_ = 0;  ///< packets of all
};

}  // namespace covenant::sim::vliw
