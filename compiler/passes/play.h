/// Plays the tiles of a layer through: who waits for whom, tile by tile.
#pragma once

#include <vector>

#include "compiler/passes/cost.h"

namespace covenant::compiler {

/// Engines run in order and meet at tokens (docs/reference/units/sequencer.md). The order in which the codelet is
/// written is one in which every token is given before it is taken, so one walk over it finds all times.
class Player {
 public:
  Player(const TileCosts& costs, const std::vector<size_t>& order);
  /// Begins where `before`, another part of the layer, has ended: in its engines and its channels. Buffers that are
  /// `kept` were loaded by it and stay.
  void follow(const Player& before, const std::vector<bool>& kept);
  Prediction play();

 private:
  struct Time {
    uint64_t now = 0;  ///< arrival of the engine's next word
    uint64_t work = 0;
    uint64_t stall = 0;
    uint64_t retired = 0;
  };
  /// When tokens become visible: of the last full half, and of the free halves, oldest first.
  struct Channel {
    uint64_t full = 0;
    std::vector<uint64_t> free{};
  };

  size_t level_of(const TileBuffer& buffer, const TileNest& nest) const;
  void block(size_t level);
  void inner(size_t nest, size_t level);
  void run(const TileCosts::Command& command);
  void wait(size_t engine, uint64_t visible);
  uint64_t post(size_t engine);
  void give_free(size_t buffer, size_t engine);
  void load(size_t buffer);
  void store(size_t buffer);
  void loop_words(const std::vector<size_t>& engines);
  template <typename Visit>
  void for_buffers(size_t nest, size_t level, Visit visit) const;
  void begin(size_t nest, size_t level);
  void end(size_t nest, size_t level);

  const TileCosts& costs_;
  std::vector<size_t> shared_;            ///< split ones, outermost first
  std::vector<std::vector<size_t>> own_;  ///< per nest: its split loops
  std::vector<size_t> level_;             ///< per buffer: tile loops around its declaration
  std::vector<size_t> filler_;            ///< per buffer: engine
  std::vector<size_t> emptier_;
  std::vector<std::vector<size_t>> within_;  ///< per level of shared loops: engines that work below
  std::vector<Time> times_;
  std::vector<Channel> channels_;
  std::vector<bool> kept_;  ///< per buffer
};

}  // namespace covenant::compiler
