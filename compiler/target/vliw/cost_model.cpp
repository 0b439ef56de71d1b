#include "compiler/target/vliw/cost_model.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint64_t kMemorySlots = 2;      // of a packet: loads and stores
constexpr uint64_t kTurnPackets = 4;      // that a turn of a loop takes beside its body: its first and last trips
constexpr uint64_t kMostComputes = 512;   // of a tile, which is straight code
constexpr uint64_t kReachedBytes = 2048;  // by the offsets of vectors from one pointer
constexpr uint32_t kPointerBits = 32;
constexpr uint64_t kSpareRegisters = 10;  // of each file: for what no tile holds

class VliwCosts final : public ProblemCosts {
 public:
  VliwCosts(const TileProblem& problem, const acg::Machine& machine) : problem_(problem), machine_(machine) {}

  bool is_feasible(const Tiling& tiling) override { return infeasible_because(tiling).empty(); }

  std::string infeasible_because(const Tiling& tiling) const override {
    for (size_t i = 0; i < problem_.loops.size(); ++i) {
      if (problem_.loops[i].trips % tiling[i] == 0) continue;
      return fmt::format("tiles of {} trips do not divide loop {}, and a tile in registers has no fill", tiling[i],
                         problem_.loops[i].variable);
    }
    for (const TileNest& nest : problem_.nests) {
      const uint64_t computes = computes_of(nest, tiling);
      if (computes > kMostComputes) return fmt::format("a tile takes {} instructions", computes);
    }
    for (uint32_t i = 0; i < machine_.memories.size(); ++i) {
      const acg::Memory& memory = machine_.memories[i];
      if (memory.kind != acg::MemoryKind::kRegisterFile) continue;
      const bool holds_pointers = memory.data_width == kPointerBits;
      const uint64_t held = registers_in(acg::MemoryId{i}, tiling) + (holds_pointers ? pointers(tiling) : 0);
      if (held > 0 && held + kSpareRegisters > memory.depth)
        return fmt::format("tiles take {} registers of {}", held, memory.name);
    }
    return "";
  }

  void select(const Tiling& tiling) override {
    tiling_ = tiling;
    std::vector<size_t> order(problem_.shared);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // A transfer is never done more rarely than its own loops turn.
    least_ = packets([&](const TileBuffer& buffer, const TileNest&) { return own_turns(buffer); });
  }

  uint64_t sum(const std::vector<size_t>& order) const override {
    return packets([&](const TileBuffer& buffer, const TileNest& nest) { return turns(buffer, nest, order); });
  }
  uint64_t least_sum() const override { return least_; }

  Prediction simulate(const std::vector<size_t>& order, uint64_t /*most_commands*/) const override {
    Prediction prediction;
    prediction.cycles = sum(order) * machine_.packet.interval;
    prediction.engines.push_back({problem_.nests.front().compute.location, prediction.cycles, 0, 0});
    prediction.limited_by = prediction.engines.front().name;
    return prediction;
  }

 private:
  /// Registers for addresses: one for each row of a tile that offsets do not reach from the one before it.
  uint64_t pointers(const Tiling& tiling) const {
    uint64_t sum = 0;
    for (const TileBuffer& buffer : problem_.buffers) {
      if (buffer.role == TileRole::kIntermediate) continue;
      uint64_t rows = 1;
      for (size_t d = 0; d < buffer.extents.size(); ++d) {
        const auto extent = static_cast<uint64_t>(buffer.extents[d].evaluate(tiling));
        const uint64_t reach = extent * bytes(buffer.dtype) * static_cast<uint64_t>(buffer.tensor_strides[d]);
        rows *= std::min(extent, std::max<uint64_t>(1, ceil_divide(reach, kReachedBytes)));
      }
      sum += rows;
    }
    return sum;
  }

  template <typename Of>
  static uint64_t product(const std::vector<size_t>& loops, Of of) {
    uint64_t result = 1;
    for (const size_t loop : loops) result *= of(loop);
    return result;
  }
  uint64_t tiles(size_t loop) const { return static_cast<uint64_t>(problem_.loops[loop].tiles(tiling_[loop])); }

  /// In one tile.
  uint64_t computes_of(const TileNest& nest, const Tiling& tiling) const {
    uint64_t computes = product(nest.loops, [&](size_t loop) { return static_cast<uint64_t>(tiling[loop]); });
    for (size_t i = 0; i < problem_.shared; ++i) computes *= static_cast<uint64_t>(tiling[i]);
    return computes;
  }

  /// Is it summed up in a loop of its own?
  bool is_sum(size_t buffer) const {
    return std::any_of(problem_.nests.begin(), problem_.nests.end(),
                       [&](const TileNest& nest) { return nest.destination == buffer && !nest.loops.empty(); });
  }

  static bool lies_in(const TileBuffer& buffer, acg::MemoryId memory) {
    return std::find(buffer.memories.begin(), buffer.memories.end(), memory) != buffer.memories.end();
  }
  uint64_t registers_in(acg::MemoryId memory, const Tiling& tiling) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const TileBuffer& buffer = problem_.buffers[i];
      // Others are loaded where they are used, or stored as soon as they are made.
      const bool is_held = buffer.role == TileRole::kLoad    ? bytes(buffer.dtype) == 1
                           : buffer.role == TileRole::kStore ? is_sum(i)
                                                             : true;
      if (is_held && lies_in(buffer, memory)) sum += buffer.units(acg::get(machine_, memory), tiling);
    }
    return sum;
  }

  /// Registers that a transfer of the buffer moves.
  uint64_t moved(const TileBuffer& buffer) const {
    return buffer.units(acg::get(machine_, buffer.memories.front()), tiling_);
  }
  uint64_t own_turns(const TileBuffer& buffer) const {
    return product(buffer.loops, [&](size_t loop) { return tiles(loop); });
  }
  /// Tiles of the loops around it, up to the last one that moves it.
  uint64_t turns(const TileBuffer& buffer, const TileNest& nest, const std::vector<size_t>& order) const {
    uint64_t around = 1, result = 1;
    const auto enter = [&](size_t loop) {
      around *= tiles(loop);
      if (buffer.depends_on(loop)) result = around;
    };
    for (const size_t loop : order) enter(loop);
    for (const size_t loop : nest.loops) enter(loop);
    return result;
  }

  /// By whatever is short: slots, or those of memory. Multiplications have half of the slots, too.
  template <typename TurnsOf>
  uint64_t packets(TurnsOf turns_of) const {
    uint64_t shared = 1, computes = 0, accesses = 0, begun = 0;
    for (size_t i = 0; i < problem_.shared; ++i) shared *= tiles(i);
    for (const TileNest& nest : problem_.nests) {
      const uint64_t all = shared * product(nest.loops, [&](size_t loop) { return tiles(loop); });
      computes += all * computes_of(nest, tiling_);
      begun += all / std::max<uint64_t>(1, innermost_tiles(nest));
      for (const size_t operand : nest.operands) {
        if (operand == kNone) continue;
        const TileBuffer& buffer = problem_.buffers[operand];
        if (buffer.role == TileRole::kLoad) accesses += moved(buffer) * turns_of(buffer, nest);
      }
      const TileBuffer& result = problem_.buffers[nest.destination];
      if (result.role == TileRole::kStore) accesses += moved(result) * own_turns(result);
    }
    const uint64_t slots = machine_.packet.slots;
    return std::max({ceil_divide(computes + accesses, slots), ceil_divide(accesses, kMemorySlots),
                     ceil_divide(computes, slots / 2)}) +
           kTurnPackets * begun;
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
  Tiling tiling_;
  uint64_t least_ = 0;
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
