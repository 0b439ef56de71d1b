/// The evaluator with a clock of its own, which a device has to follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/result.h"
#include "acg/behaviour/evaluator.h"

namespace covenant::sc::testing {

/// Cycles begin at edges, which count from 0. The clock stands still where nothing goes on.
class Reference {
 public:
  explicit Reference(const acg::behaviour::Behaviour& behaviour) : machine(behaviour) {}

  /// Carries out all cycles that have ended by an edge.
  void advance(uint64_t edge) {
    while (goes_on_ && edge_ < edge) tick();
    edge_ = std::max(edge_, edge);
  }
  /// Begins a command that comes at an edge, when the one before has ended.
  Status begin(const std::string& port, const acg::behaviour::Command& command, uint64_t edge) {
    advance(edge);
    if (stopped_) return *stopped_;
    Status begun = machine.begin(port, command);
    goes_on_ |= static_cast<bool>(begun);
    has_ended_ = false;
    return begun;
  }
  /// Carries out the command that has begun to its end, which is at `edge()` then.
  Result<std::vector<uint8_t>> end() {
    while (machine.is_busy() && !stopped_) tick();
    if (!has_ended_ && stopped_) return *stopped_;
    return machine.take_reply();
  }
  Result<std::vector<uint8_t>> command(const std::string& port, const acg::behaviour::Command& command, uint64_t edge) {
    if (Status begun = begin(port, command, edge); !begun) return begun.error();
    return end();
  }
  /// The cycle that begins next.
  uint64_t edge() const { return edge_; }
  bool is_stopped() const { return stopped_.has_value(); }

  acg::behaviour::Evaluator machine;

 private:
  void tick() {
    const bool was_busy = machine.is_busy();
    const Result<bool> goes_on = machine.tick();
    has_ended_ |= was_busy && goes_on && !machine.is_busy();  // before what may stop the machine later
    goes_on_ = goes_on && *goes_on;
    if (!goes_on) {
      stopped_ = goes_on.error();
    } else if (!*goes_on && machine.is_busy()) {
      stopped_ = machine.deadlock();
    }
    ++edge_;
  }

  uint64_t edge_ = 0;
  bool goes_on_ = true;
  bool has_ended_ = false;  ///< the last command
  std::optional<Diagnostic> stopped_;
};

}  // namespace covenant::sc::testing
