/// Plays the tiles of a layer through: who waits for whom, tile by tile.
#pragma once

#include <vector>

#include "compiler/passes/cost.h"
#include "compiler/passes/timeline.h"

namespace covenant::compiler {

/// The order in which the codelet is written is one in which every token is posted before it is waited for, so one walk
/// over it gives a timeline its words.
class Player {
 public:
  Player(const TileCosts& costs, const std::vector<size_t>& order);
  /// Begins where `before`, another part of the layer, has been walked through: in its engines and its channels.
  /// Buffers that are `kept` were loaded by it and stay.
  void follow(const Player& before, const std::vector<bool>& kept);
  /// Gives the timeline all words.
  void walk();
  /// The same, and what comes of it.
  Prediction play();

 private:
  static std::vector<TimedEngine> timed_engines(const TileCosts& costs);
  static std::vector<size_t> halves(const TileCosts& costs);
  size_t level_of(const TileBuffer& buffer, const TileNest& nest) const;
  void block(size_t level);
  void inner(size_t nest, size_t level);
  void run(const TileCosts::Command& command);
  void load(size_t buffer);
  void store(size_t buffer);
  void loop_words(const std::vector<size_t>& engines);
  template <typename Visit>
  void for_buffers(size_t nest, size_t level, Visit visit) const;
  bool is_used(size_t nest, size_t first, size_t end, size_t buffer) const;
  void begin(size_t nest, size_t level);
  void end(size_t nest, size_t level);

  const TileCosts& costs_;
  std::vector<size_t> shared_;            ///< split ones, outermost first
  std::vector<std::vector<size_t>> own_;  ///< per nest: its split loops
  std::vector<size_t> level_;             ///< per buffer: tile loops around its declaration
  std::vector<size_t> filler_;            ///< per buffer: engine
  std::vector<size_t> emptier_;
  std::vector<std::vector<size_t>> within_;  ///< per level of shared loops: engines that work below
  std::vector<size_t> channel_;              ///< per buffer
  Timeline timeline_;
  std::vector<bool> kept_;  ///< per buffer
};

}  // namespace covenant::compiler
