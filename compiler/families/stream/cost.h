/// The cost model of the stream family: predicted cycles of a tiled layer from the machine's attributes alone
/// (formulas: docs/reference/units).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "compiler/families/stream/contiguous_segments.h"
#include "compiler/families/stream/machine_costs.h"
#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::stream {

/// Limits of the machine's loops and transfers.
struct ExpressionLimits {
  size_t max_tile_loops = acg::kTileLoops;
  size_t max_pass_loops = acg::kPassLoops;  ///< for a nest on a node other than a SIMD array
  size_t max_simd_loops = acg::kSimdLevels;
  size_t max_transfer_loops = acg::kTransferLoops;
  uint64_t max_segment_bytes = 65536;
  int64_t max_trips = 65536;  ///< trips of any loop
};

/// The limits of a machine's instruction words.
ExpressionLimits expression_limits(const acg::Machine& machine);

/// The costs of one problem on one machine.
class TileCosts final : public ProblemCosts {
 public:
  /// Problem, machine and limits must outlive it. `parts`: number of parts of the layer; the words of all are fetched
  /// before the first one begins.
  TileCosts(const TileProblem& problem, const MachineCosts& machine, const ExpressionLimits& limits,
            uint64_t parts = 1);

  bool is_feasible(const Tiling& tiling) override;
  std::string infeasible_because(const Tiling& tiling) const override;
  void select(const Tiling& tiling) override;
  uint64_t sum(const std::vector<size_t>& order) const override;
  uint64_t least_sum() const override { return least_; }
  Prediction simulate(const std::vector<size_t>& order, uint64_t most_commands) const override;

  /// Simulates `first`, another part of the layer, in `first_order` and then this part in `order`, regardless of the
  /// number of commands. `kept`: buffers that the first part loads for both.
  Prediction simulate_after(const TileCosts& first, const std::vector<size_t>& first_order,
                            const std::vector<size_t>& order, const std::vector<bool>& kept) const;

 private:
  friend class ScheduleSimulator;

  /// Approximate numbers of settings in which two commands of one engine differ, and of words before its first command.
  static constexpr uint64_t kChangedWords = 8;
  static constexpr uint64_t kSetUpWords = 14;

  /// A load, a nest or a store.
  struct Command {
    size_t engine = 0;
    uint64_t occupancy = 0;
  };

  struct TilingHash {
    size_t operator()(const Tiling& tiling) const {
      size_t hash = 0;
      for (const int64_t size : tiling) hash = hash * 0x9E3779B97F4A7C15U + static_cast<size_t>(size);
      return hash;
    }
  };
  /// A buffer's transfers between two memories, which depend only on the tiles of its own loops.
  struct Transfers {
    MachineCosts::Hop hop;
    uint64_t beat_bytes = 1;
    std::unordered_map<Tiling, std::optional<uint64_t>, TilingHash> occupancy;  ///< by those tiles; nothing: infeasible
  };

  /// An item that is executed: a nest, or the transfer of a buffer.
  struct Item {
    size_t nest = 0;
    size_t buffer = kNone;  ///< kNone for a nest
    bool is_load = false;
  };
  /// Cycles of work and control of each engine.
  struct Sums {
    std::vector<uint64_t> work;
    std::vector<uint64_t> control;
  };

  void add_items();
  std::optional<uint64_t> occupancy(size_t buffer, Transfers& transfers, const Tiling& tiling);
  std::string loops_infeasible_because(const TileNest& nest, const Tiling& tiling) const;
  std::string transfer_infeasible_because(const TileBuffer& buffer, const acg::TransferEnds& ends,
                                          const Tiling& tiling) const;
  SegmentLimits segment_limits(const acg::TransferEnds& ends) const;
  uint64_t latency_of(const TileNest& nest) const;
  std::vector<size_t> split_loops(const std::vector<size_t>& loops) const;
  uint64_t tiles_of(size_t loop) const { return tiles_[loop]; }
  std::optional<uint64_t> fixed_turns(const Item& item) const;
  uint64_t least_turns(const TileBuffer& buffer) const;
  uint64_t turns(const std::vector<size_t>& order, const TileBuffer& buffer) const;
  void count(const Item& item, uint64_t turns, Sums& sums) const;
  Sums sums(const std::vector<size_t>& order) const;
  uint64_t cycles(const Sums& sums) const;
  Prediction summed(const std::vector<size_t>& order) const;

  const TileProblem& problem_;
  const MachineCosts& machine_;
  const ExpressionLimits& limits_;
  std::vector<Item> items_;
  std::vector<std::vector<Transfers>> kinds_;  ///< by buffer, one for each hop of its path
  std::vector<uint64_t> drain_;                ///< by nest: cycles after its last step
  std::vector<uint64_t> extra_;   ///< by engine: words that an engine with several commands sets again for each
  std::vector<uint64_t> set_up_;  ///< words before the first command, by engine
  uint64_t start_ = 0;            ///< cycles until the words have arrived
  Tiling key_;                    ///< reused as key of occupancies
  // State for the selected tiling:
  std::vector<uint64_t> tiles_;                  ///< by loop
  std::vector<std::vector<Command>> transfers_;  ///< by buffer, one for each hop of its path
  std::vector<Command> nests_;                   ///< by nest
  Sums fixed_;                                   ///< sums that do not depend on the order
  std::vector<const Item*> open_;                ///< items that depend on the order
  uint64_t ends_ = 0;                            ///< cycles of the longest load and the longest store, which overlap
                                                 ///< with nothing
  uint64_t least_ = 0;
};

}  // namespace covenant::compiler::stream
