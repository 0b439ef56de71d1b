/// Simulates the schedule of a layer tile by tile, with all waits of engines for each other.
#pragma once

#include <vector>

#include "compiler/families/stream/cost.h"
#include "compiler/families/stream/timeline.h"

namespace covenant::compiler::stream {

/// In the order in which a codelet is written, every token is posted before it is waited for, so a single walk can pass
/// all words to a timeline. The work is first recorded as loops around steps, then walked.
class ScheduleSimulator {
 public:
  /// Simulates the tiling that is selected in `costs`.
  ScheduleSimulator(const TileCosts& costs, const std::vector<size_t>& order);
  /// Starts from the state of `before`, another part of the layer, after its walk: its engines and its channels.
  /// Buffers that are `kept` were loaded by it and stay.
  void follow(const ScheduleSimulator& before, const std::vector<bool>& kept);
  /// Passes all words to the timeline.
  void walk();
  /// The same, and returns the prediction.
  Prediction simulate();

 private:
  static std::vector<TimedEngine> timed_engines(const TileCosts& costs);
  size_t add_channel(size_t buffer, size_t hop);
  /// The transfer after which a buffer is in the memory that its node uses.
  size_t node_hop(size_t buffer) const {
    const TileBuffer& one = costs_.problem_.buffers[buffer];
    return one.role == TileRole::kLoad ? one.memories.size() : 0;
  }
  size_t level_of(const TileBuffer& buffer, const TileNest& nest) const;
  /// A step in the sequential work of engines: a step of one of them, or a loop.
  struct Step {
    enum class Kind : uint8_t { kWords, kRun, kWait, kPost, kLoop };
    Kind kind = Kind::kWords;
    TokenKind token = TokenKind::kFull;
    size_t engine = 0;
    size_t channel = 0;
    uint64_t count = 0;  ///< number of words, cycles or iterations
    std::vector<Step> body{};
  };
  using Steps = std::vector<Step>;
  void walk(const Steps& steps);

  Steps block(size_t level) const;
  Steps inner(size_t nest, size_t level) const;
  void run(const TileCosts::Command& command, Steps& steps) const;
  void load(size_t buffer, size_t only, Steps& steps) const;
  void transfer(size_t buffer, size_t only, Steps& steps) const;
  /// The first and the last engine that moves a buffer on its path between memories.
  size_t first_mover(size_t buffer) const { return costs_.transfers_[buffer].front().engine; }
  size_t last_mover(size_t buffer) const { return costs_.transfers_[buffer].back().engine; }
  template <typename Visit>
  void for_movers(size_t buffer, Visit visit) const;
  static void loop_words(const std::vector<size_t>& engines, Steps& steps);
  /// An engine other than the filler that uses a buffer, and the channel that the two share.
  struct User {
    size_t engine = 0;
    size_t channel = 0;
  };
  void add_user(size_t buffer, size_t engine);
  void sort_loads();
  template <typename Visit>
  void for_channels(size_t engine, size_t buffer, size_t only, Visit visit) const;
  void take(size_t engine, size_t buffer, size_t only, Steps& steps) const;
  void give(size_t engine, size_t buffer, size_t only, Steps& steps) const;
  template <typename Visit>
  void for_buffers(size_t nest, size_t level, Visit visit) const;
  bool is_used(size_t nest, size_t first, size_t end, size_t buffer) const;
  void begin(size_t nest, size_t level, Steps& steps) const;
  void end(size_t nest, size_t level, Steps& steps) const;

  const TileCosts& costs_;
  std::vector<size_t> shared_;                  ///< loops with several tiles, outermost first
  std::vector<std::vector<size_t>> own_;        ///< per nest: its loops with several tiles
  std::vector<size_t> level_;                   ///< per buffer: number of tile loops around its declaration
  std::vector<size_t> filler_;                  ///< per buffer: engine that writes it first
  std::vector<std::vector<User>> users_;        ///< per buffer
  std::vector<std::vector<size_t>> between_;    ///< per buffer: channels between the engines that move it
  std::vector<std::vector<size_t>> loads_;      ///< per level of shared loops: buffers that are loaded there
  std::vector<std::vector<size_t>> own_loads_;  ///< per nest: buffers that are loaded inside of its own loops
  std::vector<std::vector<size_t>> within_;     ///< per level of shared loops: engines with work inside
  Timeline timeline_;
  std::vector<bool> kept_;  ///< per buffer
};

}  // namespace covenant::compiler::stream
