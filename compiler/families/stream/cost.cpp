#include "compiler/families/stream/cost.h"

#include <algorithm>
#include <numeric>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "compiler/families/stream/contiguous_segments.h"
#include "compiler/families/stream/schedule_simulator.h"

namespace covenant::compiler::stream {
namespace {

/// Words around a command: the wait and the post for the tile that it moves.
constexpr uint64_t kTokenWords = 2;

/// Beats of all segments: each touches as many aligned beats as its length and alignment require. Segments that start
/// at multiples of `alignment` touch on average (n + beat - alignment) / beat, with n rounded up to the alignment.
uint64_t beats(const ContiguousSegments& segments, const TransferShape& shape, uint64_t beat) {
  uint64_t count = 1;
  uint64_t alignment = beat;
  for (const SegmentLoop& loop : segments.loops) {
    count *= static_cast<uint64_t>(loop.trips);
  }
  for (size_t d = 0; d < shape.far.size(); ++d) {
    const bool is_split = d + 1 == shape.far.size();  // into whole segments, if it is longer than one
    const uint64_t stride = is_split ? segments.segment_bytes : static_cast<uint64_t>(shape.far[d]);
    const bool moves =
        shape.extents[d] > 1 &&
        static_cast<uint64_t>(shape.far[d]) * static_cast<uint64_t>(shape.extents[d]) > segments.segment_bytes;
    if (moves) alignment = std::gcd(alignment, stride);
  }
  const uint64_t length = round_up(segments.segment_bytes, alignment);
  return ceil_divide(count * (length + beat - alignment), beat);
}

}  // namespace

ExpressionLimits expression_limits(const acg::Machine& machine) {
  const acg::WordLimits words = acg::word_limits(machine);
  ExpressionLimits limits;
  limits.max_segment_bytes = static_cast<uint64_t>(words.run_bytes);
  limits.max_trips = std::min({words.tile_trips, words.walk_trips, words.nest_trips});
  return limits;
}

TileCosts::TileCosts(const TileProblem& problem, const MachineCosts& machine, const ExpressionLimits& limits,
                     uint64_t parts)
    : problem_(problem),
      machine_(machine),
      limits_(limits),
      start_(machine.start(parts)),
      tiles_(problem.loops.size()),
      transfers_(problem.buffers.size()) {
  std::vector<uint64_t> commands(machine.engines.size());
  std::vector<uint64_t> tables(machine.engines.size());
  std::vector<uint64_t> table_words(machine.engines.size());  // words that the largest table takes
  const uint64_t part_bits = acg::word_parts(machine.machine).table.bits;
  for (const TileBuffer& buffer : problem.buffers) {
    std::vector<Transfers> hops;
    for (const MachineCosts::Hop& hop : machine.hops(buffer)) {
      hops.push_back({hop, std::max<uint64_t>(1, acg::beat_bytes(machine.machine, machine.engines[hop.engine])), {}});
      ++commands[hop.engine];
    }
    kinds_.push_back(std::move(hops));
  }
  for (const TileNest& nest : problem.nests) {
    const size_t engine = acg::find_engine(machine.engines, nest.compute.location).value();
    nests_.push_back({engine, 0});
    // The lanes drain before their next word.
    drain_.push_back(machine.engines[engine].unit == acg::UnitKind::kSimdArray ? 2 + latency_of(nest) : 0);
    ++commands[engine];
    for (const auto& operand : nest.compute.operands) {
      const auto* constant = std::get_if<codelet::Constant>(&operand);
      if (constant == nullptr || constant->table.empty()) continue;
      ++tables[engine];
      table_words[engine] = std::max(table_words[engine], (constant->table.size() * 8 + part_bits - 1) / part_bits);
    }
  }
  // A node has one table: several tables are loaded in turn.
  for (size_t i = 0; i < commands.size(); ++i) {
    extra_.push_back((commands[i] > 1 ? kChangedWords : 0) + (tables[i] > 1 ? table_words[i] : 0));
    set_up_.push_back(kSetUpWords + (tables[i] == 1 ? table_words[i] : 0));
  }
  add_items();
}

void TileCosts::add_items() {
  for (size_t n = 0; n < problem_.nests.size(); ++n) {
    items_.push_back({n, kNone, false});
    for (const size_t operand : problem_.nests[n].operands) {
      if (operand == kNone || problem_.buffers[operand].role != TileRole::kLoad) continue;
      items_.push_back({n, operand, true});
    }
    const size_t result = problem_.nests[n].destination;
    if (problem_.buffers[result].role == TileRole::kStore) items_.push_back({n, result, false});
  }
}

uint64_t TileCosts::latency_of(const TileNest& nest) const {
  const acg::Machine& machine = machine_.machine;
  const acg::Compute& node = acg::get(machine, acg::find_compute(machine, nest.compute.location).value());
  for (const acg::Capability& capability : node.capabilities) {
    if (capability.name == nest.compute.capability) return capability.latency;
  }
  return 1;
}

void TileCosts::select(const Tiling& tiling) {
  for (size_t i = 0; i < tiles_.size(); ++i) tiles_[i] = static_cast<uint64_t>(problem_.loops[i].tiles(tiling[i]));
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    transfers_[i].clear();
    for (Transfers& hop : kinds_[i]) {
      const std::optional<uint64_t> cycles = occupancy(i, hop, tiling);
      check(cycles.has_value(), "the cost of an invalid tiling");
      transfers_[i].push_back({hop.hop.engine, cycles.value()});
    }
  }
  for (size_t n = 0; n < nests_.size(); ++n) {
    uint64_t steps = 1;
    for (size_t i = 0; i < problem_.shared; ++i) steps *= static_cast<uint64_t>(tiling[i]);
    for (const size_t loop : problem_.nests[n].loops) steps *= static_cast<uint64_t>(tiling[loop]);
    nests_[n].occupancy = steps + drain_[n];
  }
  fixed_.work.assign(machine_.engines.size(), 0);
  fixed_.control.assign(machine_.engines.size(), 0);
  open_.clear();
  uint64_t first = 0;  // cycles before anything overlaps
  uint64_t last = 0;
  for (const Item& item : items_) {
    if (item.buffer != kNone) {
      uint64_t way = 0;
      for (const Command& hop : transfers_[item.buffer]) way += hop.occupancy;
      (item.is_load ? first : last) = std::max(item.is_load ? first : last, way);
    }
    if (const std::optional<uint64_t> turns = fixed_turns(item)) {
      count(item, *turns, fixed_);
    } else {
      open_.push_back(&item);
    }
  }
  ends_ = first + last;
  Sums least = fixed_;
  for (const Item* item : open_) count(*item, least_turns(problem_.buffers[item->buffer]), least);
  least_ = cycles(least);
}

SegmentLimits TileCosts::segment_limits(const acg::TransferEnds& ends) const {
  return {limits_.max_segment_bytes, limits_.max_transfer_loops, limits_.max_trips,
          acg::get(machine_.machine, ends.near).unit_bytes()};
}

/// Cycles of one transfer of a buffer; nothing if the machine cannot express it.
std::optional<uint64_t> TileCosts::occupancy(size_t index, Transfers& transfers, const Tiling& tiling) {
  const TileBuffer& buffer = problem_.buffers[index];
  key_.clear();
  for (const size_t loop : buffer.loops) key_.push_back(tiling[loop]);
  const auto known = transfers.occupancy.find(key_);
  if (known != transfers.occupancy.end()) return known->second;
  std::optional<uint64_t> cycles;
  const acg::TransferEnds& ends = transfers.hop.ends;
  if (transfer_infeasible_because(buffer, ends, tiling).empty()) {
    const TransferShape shape = transfer_shape(problem_, buffer, machine_.machine, ends, tiling);
    const auto segments = contiguous_segments(shape, bytes(buffer.dtype), segment_limits(ends));
    cycles = beats(segments.value(), shape, transfers.beat_bytes);
  }
  transfers.occupancy.emplace(key_, cycles);
  return cycles;
}

bool TileCosts::is_feasible(const Tiling& tiling) {
  for (size_t i = 0; i < tiling.size(); ++i) {
    if (tiling[i] > limits_.max_trips || problem_.loops[i].tiles(tiling[i]) > limits_.max_trips) return false;
  }
  for (const TileNest& nest : problem_.nests) {
    if (!loops_infeasible_because(nest, tiling).empty()) return false;
  }
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    for (Transfers& hop : kinds_[i]) {
      if (!occupancy(i, hop, tiling)) return false;
    }
  }
  return true;
}

std::string TileCosts::infeasible_because(const Tiling& tiling) const {
  for (size_t i = 0; i < tiling.size(); ++i) {
    const TileLoop& loop = problem_.loops[i];
    if (tiling[i] <= limits_.max_trips && loop.tiles(tiling[i]) <= limits_.max_trips) continue;
    return "loop " + loop.variable + " turns more than " + std::to_string(limits_.max_trips) + " times";
  }
  for (const TileNest& nest : problem_.nests) {
    if (std::string why_not = loops_infeasible_because(nest, tiling); !why_not.empty()) return why_not;
  }
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    for (const Transfers& hop : kinds_[i]) {
      std::string why_not = transfer_infeasible_because(problem_.buffers[i], hop.hop.ends, tiling);
      if (!why_not.empty()) return why_not;
    }
  }
  return "";
}

std::string TileCosts::loops_infeasible_because(const TileNest& nest, const Tiling& tiling) const {
  size_t tile_loops = 0;
  size_t nest_loops = 0;
  const auto count = [&](size_t loop) {
    if (tiling[loop] > 1) ++nest_loops;
    if (tiling[loop] < problem_.loops[loop].trips) ++tile_loops;
  };
  for (size_t i = 0; i < problem_.shared; ++i) count(i);
  for (const size_t loop : nest.loops) count(loop);
  const size_t engine = nests_[static_cast<size_t>(&nest - problem_.nests.data())].engine;
  const bool is_simd = machine_.engines[engine].unit == acg::UnitKind::kSimdArray;
  const size_t most = is_simd ? limits_.max_simd_loops : limits_.max_pass_loops;
  const auto too_many = [&](size_t loops, const std::string& what, size_t allowed) {
    return std::to_string(loops) + " loops " + what + " " + nest.compute.capability + " on " + nest.compute.location +
           ", which has " + std::to_string(allowed);
  };
  if (tile_loops > limits_.max_tile_loops) return too_many(tile_loops, "around", limits_.max_tile_loops);
  return nest_loops > most ? too_many(nest_loops, "within", most) : "";
}

std::string TileCosts::transfer_infeasible_because(const TileBuffer& buffer, const acg::TransferEnds& ends,
                                                   const Tiling& tiling) const {
  const std::string& tensor = buffer.reference.surrogate;
  uint64_t tile_bits = bits(buffer.dtype);
  for (const Extent& extent : buffer.extents) tile_bits *= static_cast<uint64_t>(extent.evaluate(tiling));
  // Algorithm 1: a tile is whole addressable elements of the memory that it leaves. Memories on its path are read and
  // written byte by byte.
  const acg::MemoryId left = buffer.role == TileRole::kLoad ? buffer.home : buffer.memories.front();
  const acg::Memory& source = acg::get(machine_.machine, left);
  const uint32_t grain = source.granularity == 0 ? source.data_width : source.granularity;
  if (tile_bits % grain != 0) {
    return "a tile of " + tensor + " is not whole elements of " + source.name;
  }
  const TransferShape shape = transfer_shape(problem_, buffer, machine_.machine, ends, tiling);
  if (!shape.has_whole_bytes) return "a tile of " + tensor + " does not lie in whole bytes";
  if (contiguous_segments(shape, bytes(buffer.dtype), segment_limits(ends))) return "";
  return "a tile of " + tensor + " takes more than " + std::to_string(limits_.max_transfer_loops) +
         " loops of a transfer, of " + std::to_string(limits_.max_trips) + " iterations and runs of " +
         std::to_string(limits_.max_segment_bytes) + " bytes";
}

std::vector<size_t> TileCosts::split_loops(const std::vector<size_t>& loops) const {
  std::vector<size_t> split;
  for (const size_t loop : loops) {
    if (tiles_of(loop) > 1) split.push_back(loop);
  }
  return split;
}

/// Number of executions that is the same in every order: a nest runs as often as all loops around it, and so does a
/// transfer that a loop of its nest moves, up to that loop. Nothing if the number depends on the order of the shared
/// loops.
std::optional<uint64_t> TileCosts::fixed_turns(const Item& item) const {
  uint64_t product = 1;
  for (size_t i = 0; i < problem_.shared; ++i) product *= tiles_[i];
  std::optional<uint64_t> turns;
  if (item.buffer == kNone || item.is_load) {
    for (const size_t loop : problem_.nests[item.nest].loops) {
      product *= tiles_[loop];
      const bool counts = item.buffer != kNone && tiles_[loop] > 1 && problem_.buffers[item.buffer].depends_on(loop);
      if (counts) turns = product;
    }
  }
  return item.buffer == kNone ? product : turns;
}

/// Least number of executions of a transfer that only shared loops move: all that move it count, no others.
uint64_t TileCosts::least_turns(const TileBuffer& buffer) const {
  uint64_t product = 1;
  for (const size_t loop : buffer.loops) {
    if (loop < problem_.shared) product *= tiles_[loop];
  }
  return product;
}

/// Transfers are hoisted out of the loops inside of the last one that moves their operand.
uint64_t TileCosts::turns(const std::vector<size_t>& order, const TileBuffer& buffer) const {
  uint64_t product = 1;
  uint64_t needed = 1;
  for (const size_t loop : order) {
    if (tiles_[loop] == 1) continue;
    product *= tiles_[loop];
    if (buffer.depends_on(loop)) needed = product;
  }
  return needed;
}

void TileCosts::count(const Item& item, uint64_t turns, Sums& sums) const {
  const auto add = [&](const Command& command) {
    sums.work[command.engine] += turns * command.occupancy;
    sums.control[command.engine] += turns * (kTokenWords + 1 + extra_[command.engine]);
  };
  if (item.buffer == kNone) return add(nests_[item.nest]);
  for (const Command& hop : transfers_[item.buffer]) add(hop);
}

TileCosts::Sums TileCosts::sums(const std::vector<size_t>& order) const {
  Sums result = fixed_;
  for (const Item* item : open_) {
    count(*item, turns(order, problem_.buffers[item->buffer]), result);
  }
  return result;
}

uint64_t TileCosts::cycles(const Sums& sums) const {
  uint64_t longest = 0;
  for (size_t i = 0; i < sums.work.size(); ++i) {
    longest = std::max(longest, sums.work[i] + sums.control[i] + set_up_[i] - kSetUpWords);
  }
  for (size_t bus = 0; bus < machine_.buses.size(); ++bus)
    longest = std::max(longest, machine_.bus_work(bus, sums.work));
  return start_ + kSetUpWords + ends_ + longest + 2 * machine_.depth.back();
}

uint64_t TileCosts::sum(const std::vector<size_t>& order) const { return cycles(sums(order)); }

/// Determines the engine or bus with the most work.
static void finish(Prediction& prediction) {
  uint64_t most = 0;
  for (const EngineCost& engine : prediction.engines) {
    if (engine.work <= most) continue;
    most = engine.work;
    prediction.limited_by = engine.name;
  }
}

Prediction TileCosts::summed(const std::vector<size_t>& order) const {
  const Sums all = sums(order);
  Prediction prediction;
  prediction.fetch = start_;
  for (size_t i = 0; i < all.work.size(); ++i) {
    if (all.work[i] > 0) prediction.engines.push_back({machine_.engines[i].name, all.work[i], all.control[i], 0});
  }
  for (EngineCost& bus : machine_.bus_costs(all.work)) prediction.engines.push_back(std::move(bus));
  prediction.cycles = cycles(all);
  finish(prediction);
  return prediction;
}

Prediction TileCosts::simulate(const std::vector<size_t>& order, uint64_t most_commands) const {
  const Sums all = sums(order);
  uint64_t commands = 0;
  for (size_t i = 0; i < all.work.size(); ++i) commands += all.control[i] / (kTokenWords + 1);
  if (commands > most_commands) return summed(order);
  Prediction prediction = ScheduleSimulator(*this, order).simulate();
  finish(prediction);
  return prediction;
}

Prediction TileCosts::simulate_after(const TileCosts& first, const std::vector<size_t>& first_order,
                                     const std::vector<size_t>& order, const std::vector<bool>& kept) const {
  ScheduleSimulator before(first, first_order);
  before.walk();
  ScheduleSimulator simulator(*this, order);
  simulator.follow(before, kept);
  Prediction prediction = simulator.simulate();
  finish(prediction);
  return prediction;
}

}  // namespace covenant::compiler::stream
