/// Program counter and tile loops of one engine (docs/reference/units/sequencer.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "acg/operations/operation.h"

namespace covenant::sim {

class Sequencer {
 public:
  /// Start of a group of `words` words: at word 0, no loop open.
  void start(size_t words);

  bool at_end() const { return position_ == words_; }
  /// Index within the group of the word to execute next.
  size_t position() const { return position_; }
  void advance() { ++position_; }

  /// `loop`: opens a level and moves on. Faults SIM0010 (level out of range or open).
  void open(const acg::Instruction& loop);
  /// `end`: goes back to the word after the loop word, or closes the loop and moves on. Faults SIM0011 (not the
  /// innermost loop).
  void close(const acg::Instruction& end);
  /// Fault SIM0012 if a loop is still open.
  void check_closed() const;

  /// Index of every tile loop; 0 for those that are not open.
  const std::array<uint32_t, acg::kTileLoops>& indices() const { return indices_; }
  /// True if every open loop that is marked as a reduction is at index 0.
  bool at_first_reduction() const;

 private:
  struct Open {
    uint32_t level = 0;
    uint32_t last = 0;
    bool is_reduction = false;
    size_t body = 0;  ///< first word inside
  };
  size_t words_ = 0;
  size_t position_ = 0;
  std::vector<Open> open_;
  std::array<uint32_t, acg::kTileLoops> indices_{};
};

}  // namespace covenant::sim
