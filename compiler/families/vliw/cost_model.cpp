#include "compiler/families/vliw/cost_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/families/vliw/cache_traffic.h"
#include "compiler/families/vliw/caches.h"
#include "compiler/families/vliw/compute_size.h"
#include "compiler/families/vliw/row_vectors.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint64_t kMemorySlots = 2;     // loads and stores in a packet
constexpr uint64_t kTurnPackets = 6;     // packets that a run of a loop takes in addition to its body: its first and
                                         // last trips
constexpr uint64_t kTripsOverTurn = 16;  // further instructions of a trip for each additional packet
constexpr uint64_t kEarlyTrips = 4;      // trips of a loop that loads words for its next trips
constexpr uint64_t kMostComputes = 512;  // computes of a tile, which is straight code
// Instructions of a tile without sums. It is one trip of a loop, and the values of overlapping trips take registers,
// more of them the longer the trips are.
constexpr uint64_t kMostStraight = 16;
// Bytes that offsets from one pointer reach: for vectors, for words.
constexpr uint64_t kReachedBytes = 2048, kReachedByWords = 8192;
constexpr uint32_t kPointerBits = 32;
constexpr uint64_t kSpareRegisters = 6;  // registers of each file that tiles leave free
constexpr uint64_t kSlack = 8;           // one in so many memory slots stays empty, which gives loads time
constexpr uint64_t kOverlap = 3;         // one part in so many of the core's work does not overlap with transfers
constexpr uint64_t kProducts = 2;        // products in a packet
constexpr uint64_t kInterleaved = 4;     // vectors of bytes whose products are added up at once
constexpr size_t kFactors = 2;           // operands that a sum multiplies; the one after them is its initial value
constexpr uint64_t kCounters = 7;        // scalar registers for loops and the return address, and those that pairs
                                         // waste

class VliwCosts final : public ProblemCosts {
 public:
  VliwCosts(const TileProblem& problem, const acg::Machine& machine)
      : problem_(problem), machine_(machine), words_(scalar_registers(machine)), delay_(delay_of_words(machine)) {
    if (words_) caches_ = caches_of(machine, *words_);
    const acg::MemoryId offchip = acg::outermost_memory(machine);
    for (const acg::Edge& edge : machine.edges) {
      if (edge.from == acg::NodeId{offchip}) offchip_bytes_ = std::max(1U, edge.bandwidth / 8);
    }
    if (std::ranges::any_of(problem.nests, [&](const TileNest& nest) { return turns(nest); })) return;
    for (const TileNest& nest : problem.nests) straight_ += instructions_of(problem, nest, machine);
  }

  bool is_feasible(const Tiling& tiling) override { return infeasible_because(tiling).empty(); }

  std::string infeasible_because(const Tiling& tiling) const override {
    for (size_t i = 0; i < problem_.loops.size(); ++i) {
      if (problem_.loops[i].trips % tiling[i] == 0) continue;
      return fmt::format("tiles of {} trips do not divide loop {}, and a tile in registers has no fill", tiling[i],
                         problem_.loops[i].variable);
    }
    for (const TileNest& nest : problem_.nests) {
      for (size_t i = 0; i < nest.operands.size(); ++i) {
        if (codelet::step_of(nest.compute, i) > RowVectors::kWidestStep) return "rows lie too far apart for a vector";
      }
      const uint64_t computes = computes_of(nest, tiling);
      if (computes > kMostComputes) return fmt::format("a tile takes {} instructions", computes);
    }
    const uint64_t together = product(problem_.shared, tiling);
    if (together > least_together() && straight_ * together > kMostStraight) {
      return fmt::format("a tile without sums takes {} instructions", straight_ * together);
    }
    for (uint32_t i = 0; i < machine_.memories.size(); ++i) {
      const acg::Memory& memory = machine_.memories[i];
      if (memory.kind != acg::MemoryKind::kRegisterFile) continue;
      const bool holds_pointers = memory.data_width == kPointerBits;
      const uint64_t held = registers_in(acg::MemoryId{i}, tiling) + interleaved_in(acg::MemoryId{i}, tiling) +
                            (holds_pointers ? pointers(tiling) : 0);
      if (held > 0 && held + kSpareRegisters > memory.depth)
        return fmt::format("tiles take {} registers of {}", held, memory.name);
    }
    return "";
  }

  void select(const Tiling& tiling) override {
    tiling_ = tiling;
    std::vector<size_t> order(problem_.shared);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // A transfer is executed at least as often as its own loops run.
    least_ = machine_.packet.interval *
             packets([&](const TileBuffer& buffer, const TileNest&) { return own_turns(buffer); });
  }

  /// The larger of the packets and the traffic between cache and off-chip memory, plus part of the other.
  uint64_t sum(const std::vector<size_t>& order) const override {
    const uint64_t issued =
        packets([&](const TileBuffer& buffer, const TileNest& nest) { return turns(buffer, nest, order); });
    const uint64_t core = issued * machine_.packet.interval + waits_for_words(order), moved = offchip_cycles(order);
    // The larger one does not hide all of the other.
    return std::max(core, moved) + std::min(core, moved) / kOverlap;
  }
  uint64_t least_sum() const override { return least_; }

  Prediction simulate(const std::vector<size_t>& order, uint64_t /*most_commands*/) const override {
    Prediction prediction;
    prediction.cycles = sum(order);
    prediction.is_simulated = true;
    prediction.engines.push_back({problem_.nests.front().compute.location, prediction.cycles, 0, 0});
    prediction.limited_by = prediction.engines.front().name;
    return prediction;
  }

 private:
  uint64_t offchip_cycles(const std::vector<size_t>& order) const {
    if (caches_.empty()) return 0;
    const CacheTraffic traffic(acg::get(machine_, caches_.back()).buffer_bytes());
    return traffic.bytes(problem_, tiling_, order, std::nullopt) / offchip_bytes_;
  }

  /// Scalar loads that miss the nearest cache stall if there are not enough registers to issue them early.
  uint64_t waits_for_words(const std::vector<size_t>& order) const {
    if (caches_.size() < 2 || are_words_early()) return 0;
    const acg::Memory& nearest = acg::get(machine_, caches_.front());
    const uint64_t line = std::max<uint64_t>(1, nearest.element_bits() / 8);
    return CacheTraffic(nearest.buffer_bytes()).bytes(problem_, tiling_, order, words_) / line * delay_;
  }

  /// True if there are registers for the words being loaded while earlier ones are multiplied, two products per packet.
  bool are_words_early() const {
    for (const TileNest& nest : problem_.nests) {
      for (const size_t operand : nest.operands) {
        if (!turns(nest) || operand == kNone || !lies_in(problem_.buffers[operand], words_.value())) continue;
        if (innermost_tiles(nest) < kEarlyTrips) return false;
        const TileBuffer& buffer = problem_.buffers[operand];
        const uint64_t words = moved(buffer), together = are_pairs(buffer) ? 2 : 1;
        const uint64_t rows = words * 4 / static_cast<uint64_t>(buffer.extents.back().evaluate(tiling_));
        // Within a row, one load follows another after so many packets, and its words stay alive as long.
        const uint64_t apart =
            std::max<uint64_t>(1, together * rows * computes_of(nest, tiling_) / (words * kProducts));
        const uint64_t alive = ceil_divide(ceil_divide<uint64_t>(delay_, machine_.packet.interval) + apart, apart);
        const uint64_t wanted = rows * together * alive + pointers(tiling_) + kCounters;
        if (wanted > acg::get(machine_, words_.value()).depth) return false;
      }
    }
    return true;
  }

  /// True if the nest has a loop of its own with more than one trip.
  bool turns(const TileNest& nest) const {
    return std::ranges::any_of(nest.loops, [&](size_t loop) { return problem_.loops[loop].trips > 1; });
  }

  uint64_t pointers(const Tiling& tiling) const {
    uint64_t sum = 0;
    for (const TileBuffer& buffer : problem_.buffers) {
      if (buffer.role != TileRole::kIntermediate) sum += pointers(buffer, tiling);
    }
    return sum;
  }

  /// Registers for addresses: one for each row of a tile that offsets from the one before do not reach.
  uint64_t pointers(const TileBuffer& buffer, const Tiling& tiling) const {
    if (buffer.vector_shape.size() == 2) return matrix_streams(buffer, tiling);
    const uint64_t reached = words_ && lies_in(buffer, *words_) ? kReachedByWords : kReachedBytes;
    uint64_t rows = 1;
    for (size_t d = 0; d < buffer.extents.size(); ++d) {
      const auto extent = static_cast<uint64_t>(buffer.extents[d].evaluate(tiling));
      const uint64_t reach = extent * bytes(buffer.dtype) * static_cast<uint64_t>(buffer.tensor_strides[d]);
      rows *= std::min(extent, std::max<uint64_t>(1, ceil_divide(reach, reached)));
    }
    return rows;
  }

  /// Matrices are stored tile by tile.
  static uint64_t matrix_streams(const TileBuffer& buffer, const Tiling& tiling) {
    uint64_t together = bytes(buffer.dtype) * buffer.vector_shape[0] * buffer.vector_shape[1];
    for (size_t d = 0; d + 2 < buffer.extents.size(); ++d) {
      together *= static_cast<uint64_t>(buffer.extents[d].evaluate(tiling));
    }
    return ceil_divide(together, kReachedBytes);
  }

  template <typename Of>
  static uint64_t product(const std::vector<size_t>& loops, Of of) {
    uint64_t result = 1;
    for (const size_t loop : loops) result *= of(loop);
    return result;
  }
  uint64_t tiles(size_t loop) const { return static_cast<uint64_t>(problem_.loops[loop].tiles(tiling_[loop])); }

  /// Computes in one tile.
  uint64_t computes_of(const TileNest& nest, const Tiling& tiling) const {
    return product(problem_.shared, tiling) *
           product(nest.loops, [&](size_t loop) { return static_cast<uint64_t>(tiling[loop]); });
  }
  /// Product of the sizes of the first loops.
  static uint64_t product(size_t loops, const Tiling& tiling) {
    uint64_t result = 1;
    for (size_t i = 0; i < loops; ++i) result *= static_cast<uint64_t>(tiling[i]);
    return result;
  }

  /// Trips of the shared loops that no tile divides.
  uint64_t least_together() const {
    uint64_t result = 1;
    for (size_t i = 0; i < problem_.shared; ++i) {
      if (!problem_.loops[i].splittable) result *= static_cast<uint64_t>(problem_.loops[i].trips);
    }
    return result;
  }

  /// True if the buffer is summed up in a loop of its own.
  bool is_sum(size_t buffer) const {
    return std::any_of(problem_.nests.begin(), problem_.nests.end(),
                       [&](const TileNest& nest) { return nest.destination == buffer && turns(nest); });
  }

  static bool lies_in(const TileBuffer& buffer, acg::MemoryId memory) {
    return std::find(buffer.memories.begin(), buffer.memories.end(), memory) != buffer.memories.end();
  }
  /// True if the buffer is added to sums, alone or multiplied. Initial values of sums do not count.
  bool is_summed(size_t buffer) const {
    return std::any_of(problem_.nests.begin(), problem_.nests.end(), [&](const TileNest& nest) {
      const auto factors = std::span(nest.operands).first(std::min(nest.operands.size(), kFactors));
      return turns(nest) && std::find(factors.begin(), factors.end(), buffer) != factors.end();
    });
  }

  /// Registers of sums and of what is loaded for them. Others are loaded where they are used, and used or stored
  /// immediately.
  uint64_t registers_in(acg::MemoryId memory, const Tiling& tiling) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const TileBuffer& buffer = problem_.buffers[i];
      if (!lies_in(buffer, memory)) continue;
      const uint64_t all = registers(buffer, acg::get(machine_, memory), tiling);
      if (is_sum(i)) sum += all;
      if (buffer.role == TileRole::kLoad && (bytes(buffer.dtype) == 1 || is_summed(i))) sum += all;
    }
    return sum;
  }

  /// Registers for inputs and weights of lane-by-lane products, of which several vectors are interleaved. Sums that are
  /// computed at once share the weights; all are alive together with the loaded ones.
  uint64_t interleaved_in(acg::MemoryId memory, const Tiling& tiling) const {
    uint64_t sum = 0;
    for (const TileNest& nest : problem_.nests) {
      const bool is_at_once =
          std::ranges::all_of(nest.loops, [&](size_t loop) { return problem_.loops[loop].tiles(tiling[loop]) == 1; });
      if (nest.compute.capability != "MAC" || nest.operands[1] == kNone) continue;
      const TileBuffer& weights = problem_.buffers[nest.operands[1]];
      if (!lies_in(weights, memory) || bytes(weights.dtype) != 1) continue;
      const uint64_t taps = registers(weights, acg::get(machine_, memory), tiling);
      sum += kInterleaved + (is_at_once ? round_up(taps, kInterleaved) : kInterleaved);
    }
    return sum;
  }

  /// Registers of a tile, which its rows share.
  static uint64_t registers(const TileBuffer& buffer, const acg::Memory& memory, const Tiling& tiling) {
    uint64_t all = bytes(buffer.dtype);
    for (const Extent& extent : buffer.extents) all *= static_cast<uint64_t>(extent.evaluate(tiling));
    return ceil_divide(all, memory.unit_bytes());
  }

  /// Registers that a transfer of the buffer moves.
  uint64_t moved(const TileBuffer& buffer) const {
    return registers(buffer, acg::get(machine_, buffer.memories.front()), tiling_);
  }
  uint64_t own_turns(const TileBuffer& buffer) const {
    return product(buffer.loops, [&](size_t loop) { return tiles(loop); });
  }
  /// Number of tiles of the loops around it, up to the last one that moves it.
  uint64_t turns(const TileBuffer& buffer, const TileNest& nest, const std::vector<size_t>& order) const {
    uint64_t around = 1, result = 1;
    const auto enter = [&](size_t loop) {
      around *= tiles(loop);
      if (tiles(loop) > 1 && buffer.depends_on(loop)) result = around;
    };
    for (const size_t loop : order) enter(loop);
    for (const size_t loop : nest.loops) enter(loop);
    return result;
  }

  /// Instructions of one kind of code: loops of sums, or the code between them.
  struct Work {
    uint64_t computes = 0, vectors = 0, words = 0, steps = 0;  ///< `steps`: those that advance pointers

    /// Packets, limited by the scarcest resource: slots, memory slots, the slot of vector loads, or multipliers.
    uint64_t packets(uint64_t slots) const {
      return std::max({ceil_divide(computes + vectors + words + steps, slots),
                       ceil_divide(kSlack * (vectors + words), (kSlack - 1) * kMemorySlots), vectors,
                       ceil_divide(computes, slots / 2)});
    }
  };

  template <typename TurnsOf>
  uint64_t packets(TurnsOf turns_of) const {
    uint64_t shared = 1, begun = 0, stored = 0;
    Work sums, others;
    for (size_t i = 0; i < problem_.shared; ++i) shared *= tiles(i);
    for (const TileNest& nest : problem_.nests) {
      const uint64_t all = shared * product(nest.loops, [&](size_t loop) { return tiles(loop); });
      Work& work = !turns(nest) ? others : sums;
      // A sum takes one product per packet: a single sum leaves half of the multipliers idle.
      const uint64_t idle = turns(nest) && moved(problem_.buffers[nest.destination]) == 1 ? kProducts : 1;
      work.computes += all * computes_of(nest, tiling_) * idle;
      if (turns(nest)) {
        begun += all / std::max<uint64_t>(1, innermost_tiles(nest)) *
                 (kTurnPackets + computes_of(nest, tiling_) / kTripsOverTurn);
      }
      for (const size_t operand : nest.operands) {
        if (operand == kNone) continue;
        const TileBuffer& buffer = problem_.buffers[operand];
        if (buffer.role != TileRole::kLoad) continue;
        const uint64_t turns = turns_of(buffer, nest);
        add_loads(buffer, moved(buffer) * turns, work);
        work.steps += pointers(buffer, tiling_) * turns;
      }
      const TileBuffer& result = problem_.buffers[nest.destination];
      if (result.role == TileRole::kStore) stored += moved(result) * own_turns(result);
    }
    others.vectors = std::max(others.vectors, stored);  // a load and a store share a packet
    const uint64_t slots = machine_.packet.slots;
    return sums.packets(slots) + others.packets(slots) + begun;
  }

  /// Adjacent words are loaded two at a time.
  void add_loads(const TileBuffer& buffer, uint64_t registers, Work& work) const {
    if (acg::get(machine_, buffer.memories.front()).data_width > kPointerBits) {
      work.vectors += registers;
    } else {
      work.words += are_pairs(buffer) ? registers / 2 : registers;
    }
  }
  bool are_pairs(const TileBuffer& buffer) const {
    return static_cast<uint64_t>(buffer.extents.back().evaluate(tiling_)) * bytes(buffer.dtype) % 8 == 0;
  }

  /// Trips of the loop that is pipelined.
  uint64_t innermost_tiles(const TileNest& nest) const {
    for (size_t i = nest.loops.size(); i-- > 0;) {
      if (tiles(nest.loops[i]) > 1) return tiles(nest.loops[i]);
    }
    for (size_t i = problem_.shared; i-- > 0;) {
      if (tiles(i) > 1) return tiles(i);
    }
    return 1;
  }

  const TileProblem& problem_;
  const acg::Machine& machine_;
  std::optional<acg::MemoryId> words_;  ///< the scalar registers
  uint32_t delay_;
  std::vector<acg::MemoryId> caches_;  ///< from these registers outwards
  uint64_t offchip_bytes_ = 1;         ///< bytes per cycle
  Tiling tiling_;
  uint64_t least_ = 0;
  uint64_t straight_ = 0;  ///< instructions of the computes of a problem without sums
};

}  // namespace

std::unique_ptr<ProblemCosts> VliwCostModel::costs_of(const TileProblem& problem) const {
  return std::make_unique<VliwCosts>(problem, machine());
}

Prediction VliwCostModel::simulate_parts(const TiledProblem& first, const TiledProblem& second,
                                         const std::vector<bool>& /*kept*/) const {
  VliwCosts before(first.problem, machine()), after(second.problem, machine());
  before.select(first.tiling);
  after.select(second.tiling);
  Prediction prediction = before.simulate(first.order, 0);
  const Prediction added = after.simulate(second.order, 0);
  prediction.cycles += added.cycles;
  prediction.engines.front().work += added.engines.front().work;
  return prediction;
}

Status VliwCostModel::check_emittable(const codelet::Codelet& /*tiled*/) const { return Done{}; }

}  // namespace covenant::compiler::vliw
