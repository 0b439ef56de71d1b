/// The cost model: cycles of a tiled layer from the machine's attributes alone (formulas: docs/reference/units).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// Everything about one tiling that its order of loops does not change: what its commands cost.
class TileCosts {
 public:
  /// Precondition: the tiling is valid. `parts`: of the layer, whose words are fetched before the first of them begins.
  TileCosts(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling, const TilingLimits& limits,
            uint64_t parts = 1);

  /// Sums up each engine's work with the shared loops in `order` (indices of them, outermost first): cheap, and never
  /// far below what `play` finds.
  Prediction sum(const std::vector<size_t>& order) const;

  /// Plays all tiles through with their tokens, as the engines would. Only sums if there are more than `most_commands`.
  Prediction simulate(const std::vector<size_t>& order, uint64_t most_commands) const;

  /// Plays `first`, another part of the layer, and then this one, whatever their commands. `kept`: buffers that the
  /// first part loads for both.
  Prediction simulate_after(const TileCosts& first, const std::vector<size_t>& first_order,
                            const std::vector<size_t>& order, const std::vector<bool>& kept) const;

 private:
  friend class ScheduleSimulator;

  /// Settings in which two commands of one engine differ, about.
  static constexpr uint64_t kChangedWords = 8;

  /// A load, a nest or a store.
  struct Command {
    size_t engine = 0;
    uint64_t occupancy = 0;
  };

  std::vector<size_t> split_loops(const std::vector<size_t>& loops) const;
  uint64_t tiles_of(size_t loop) const { return static_cast<uint64_t>(problem_.loops[loop].tiles(tiling_[loop])); }
  uint64_t turns(const std::vector<size_t>& around, const TileBuffer& buffer) const;
  void share_buses();
  /// What the buses move if the engines move `work`, one for each that moves anything.
  std::vector<EngineCost> bus_costs(const std::vector<uint64_t>& work) const;
  void finish(Prediction& prediction) const;
  Command transfer(const TileBuffer& buffer) const;
  Command nest(const TileNest& nest) const;

  const TileProblem& problem_;
  const acg::Machine& machine_;
  const Tiling& tiling_;
  const TilingLimits& limits_;
  std::vector<acg::Engine> engines_;
  std::vector<uint64_t> depth_;     ///< by engine
  std::vector<size_t> bus_;         ///< by engine: the bus that it shares with others, or kNoBus
  std::vector<uint64_t> burst_;     ///< by engine: beats of a burst; 0 if it moves none
  std::vector<std::string> buses_;  ///< their names
  std::vector<uint64_t> extra_;     ///< words that an engine of several commands sets anew for each, by engine
  std::vector<Command> transfers_;  ///< by buffer; of intermediates: nothing
  std::vector<Command> nests_;      ///< by nest
  uint64_t start_ = 0;              ///< cycles until the words are there
  uint64_t set_up_ = 0;             ///< words before an engine's first command
};

}  // namespace covenant::compiler
