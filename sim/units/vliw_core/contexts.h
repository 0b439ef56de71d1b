/// The hardware contexts of a vliw_core, each with registers, program and memory of its own, in the order in which
/// their packets issue.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "acg/base/failure.h"
#include "acg/graph/graph.h"
#include "sim/units/vliw_core/core.h"

namespace covenant::sim::vliw {

class Contexts {
 public:
  /// What a context begins with.
  struct Start {
    AddressSpace memory;
    uint32_t entry = 0;
    std::vector<CommonRange> common{};  ///< what it has in common with contexts before it
  };
  /// Registers are zero. `counts_cycles`, `machine`: as of Core. Faults: SIM0087 (more than the machine has), and those
  /// of Core.
  Contexts(const acg::Machine& machine, std::vector<Start> starts, bool counts_cycles = true);

  size_t count() const { return members_.size(); }
  Core& at(size_t context) { return members_.at(context).core; }
  const Core& at(size_t context) const { return members_.at(context).core; }

  /// From now on off-chip memory says itself when it answers (LineEdge::ask_with). Precondition: one context, which has
  /// time, and has not run yet.
  void ask_with(std::function<void(const LineEdge::Request&)> ask);
  /// The edge of off-chip memory. Precondition: they count cycles.
  LineEdge& edge() { return shared_->memory.edge(); }
  const LineEdge& edge() const { return shared_->memory.edge(); }
  /// Of a line of the cache before off-chip memory, which is what it is asked for.
  uint64_t line_bytes() const { return shared_->memory.last_line_bytes(); }
  /// Where memory is asked: are the times of all packets known by now?
  bool settle();

  /// From now on the context ends its turns where its next packet would be that at `address`.
  void stop_at(size_t context, uint32_t address) { members_.at(context).stop = address; }
  /// It issues nothing any more.
  void finish(size_t context);
  bool are_finished() const { return live_.empty(); }

  /// Runs until a context asks for a service, is where it stops, or has executed `most` packets: says which; it wants
  /// something to be done before the next call. Nothing: `packets` packets have been executed meanwhile, by all, or a
  /// core waits for memory.
  /// Of packets that are ready the one that has been for longest issues first; of those the one of the context that
  /// has issued longest ago, then the first. Faults: those of Core::run.
  std::optional<size_t> run(uint64_t packets, uint64_t most = UINT64_MAX);

  /// Does what is about a context; a fault names it, if there are several.
  template <typename Body>
  void of_context(size_t context, Body&& body) const {
    try {
      body();
    } catch (Failure& failure) {
      name(context, failure);
      throw;
    }
  }

  /// Cycle in which all that has issued is done.
  uint64_t cycles() const;
  /// Executed by all.
  uint64_t packets() const;

 private:
  struct Member {
    Core core;
    uint32_t stop = Core::kNowhere;
    std::optional<uint64_t> ready{};  ///< cycle in which its next packet could issue, once that is asked for
    uint64_t issued = 0;              ///< which packet of all its last one was
  };
  bool wants_attention(const Member& member, uint64_t most) const;
  size_t first_to_issue();
  void name(size_t context, Failure& failure) const;

  std::shared_ptr<SharedSide> shared_;  ///< null without cycles
  std::deque<Member> members_;          ///< whose places stay
  std::vector<size_t> live_;            ///< by number
  bool counts_cycles_;
  uint64_t issued_ = 0;  ///< packets of all
};

}  // namespace covenant::sim::vliw
