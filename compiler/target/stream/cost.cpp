#include "compiler/target/stream/cost.h"

#include <algorithm>
#include <numeric>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/target/stream/schedule_simulator.h"

namespace covenant::compiler {
namespace {

/// A layer has about this many words, and an engine sets about this many before its first command.
constexpr uint64_t kWords = 80;
constexpr uint64_t kWordsOfAPart = 40;  // a further part finds some of its settings made
constexpr uint64_t kSetUpWords = 14;
/// Words that stand around a command: the wait and post of what it moves.
constexpr uint64_t kTokenWords = 2;

/// Beats of all runs: each touches as many aligned beats as its length and its alignment need. Where runs start at
/// multiples of `alignment` only, they touch on average (n + beat - alignment) / beat, n rounded up to the alignment.
uint64_t beats(const ContiguousSegments& runs, const TransferShape& shape, uint64_t beat) {
  uint64_t count = 1;
  uint64_t alignment = beat;
  for (const SegmentLoop& loop : runs.loops) {
    count *= static_cast<uint64_t>(loop.trips);
  }
  for (size_t d = 0; d < shape.offchip.size(); ++d) {
    const auto stride = static_cast<uint64_t>(shape.offchip[d]);
    const bool moves = shape.extents[d] > 1 && stride * static_cast<uint64_t>(shape.extents[d]) > runs.segment_bytes;
    if (moves) alignment = std::gcd(alignment, stride);
  }
  const uint64_t length = round_up(runs.segment_bytes, alignment);
  return ceil_divide(count * (length + beat - alignment), beat);
}

uint64_t latency_of(const acg::Compute& node, const codelet::Compute& compute) {
  for (const acg::Capability& capability : node.capabilities) {
    if (capability.name == compute.capability) return capability.latency;
  }
  return 1;
}

}  // namespace

TileCosts::TileCosts(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling,
                     const TilingLimits& limits, uint64_t parts)
    : problem_(problem), machine_(machine), tiling_(tiling), limits_(limits), engines_(acg::engines(machine)) {
  const uint64_t latency = acg::get(machine, acg::outermost_memory(machine)).latency;
  for (const acg::Engine& engine : engines_) depth_.push_back(acg::pipeline_depth(machine, engine));
  std::vector<uint64_t> commands(engines_.size());
  for (const TileBuffer& buffer : problem.buffers) {
    transfers_.push_back(transfer(buffer));
    if (buffer.role != TileRole::kIntermediate) ++commands[transfers_.back().engine];
  }
  for (const TileNest& one : problem.nests) {
    nests_.push_back(nest(one));
    ++commands[nests_.back().engine];
  }
  for (const uint64_t count : commands) extra_.push_back(count > 1 ? kChangedWords : 0);
  start_ = latency + 2;
  const uint64_t words = kWords + (parts - 1) * kWordsOfAPart;
  for (const acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (to == nullptr || acg::get(machine, *to).kind != acg::MemoryKind::kInstruction) continue;
    start_ += words / std::max<uint64_t>(1, edge.bandwidth / machine.word_bits);
  }
  set_up_ = kSetUpWords;
  share_buses();
}

void TileCosts::share_buses() {
  for (const acg::Engine& engine : engines_) {
    bus_.push_back(TimedEngine::kNoBus);
    burst_.push_back(engine.edge ? machine_.edges[*engine.edge].burst : 0);
    if (!engine.edge || acg::sharing_bus(machine_, *engine.edge).size() == 1) continue;
    const std::string& name = machine_.edges[*engine.edge].bus;
    bus_.back() = static_cast<size_t>(std::find(buses_.begin(), buses_.end(), name) - buses_.begin());
    if (bus_.back() == buses_.size()) buses_.push_back(name);
  }
}

TileCosts::Command TileCosts::transfer(const TileBuffer& buffer) const {
  if (buffer.role == TileRole::kIntermediate) return {};
  const acg::MemoryId outermost = acg::outermost_memory(machine_);
  const bool is_load = buffer.role == TileRole::kLoad;
  const acg::MemoryId nearest = is_load ? buffer.memories.front() : buffer.memories.back();
  const auto edge =
      is_load ? acg::edge_between(machine_, outermost, nearest) : acg::edge_between(machine_, nearest, outermost);
  check(edge.has_value(), "a tile comes along an edge");
  const TransferShape shape = transfer_shape(problem_, buffer, acg::get(machine_, nearest), tiling_);
  const auto runs =
      contiguous_segments(shape, bytes(buffer.dtype), limits_.max_segment_bytes, limits_.max_transfer_loops);
  check(runs.has_value(), "the cost of an invalid tiling");
  Command command;
  command.occupancy = beats(runs.value(), shape, std::max<uint64_t>(1, machine_.edges[edge.value()].bandwidth / 8));
  for (size_t i = 0; i < engines_.size(); ++i) {
    if (engines_[i].edge == edge) command.engine = i;
  }
  return command;
}

TileCosts::Command TileCosts::nest(const TileNest& nest) const {
  Command command;
  command.engine = acg::find_engine(engines_, nest.compute.location).value();
  command.occupancy = 1;
  for (size_t i = 0; i < problem_.shared; ++i) command.occupancy *= static_cast<uint64_t>(tiling_[i]);
  for (const size_t loop : nest.loops) command.occupancy *= static_cast<uint64_t>(tiling_[loop]);
  const acg::Engine& engine = engines_[command.engine];
  // The lanes drain before their next word.
  if (engine.unit == acg::UnitKind::kSimdArray)
    command.occupancy += 2 + latency_of(acg::get(machine_, engine.compute.value()), nest.compute);
  return command;
}

std::vector<size_t> TileCosts::split_loops(const std::vector<size_t>& loops) const {
  std::vector<size_t> split;
  for (const size_t loop : loops) {
    if (tiles_of(loop) > 1) split.push_back(loop);
  }
  return split;
}

/// How often a transfer turns inside of these loops: hoisted out of those behind the last that moves its operand.
uint64_t TileCosts::turns(const std::vector<size_t>& around, const TileBuffer& buffer) const {
  uint64_t product = 1;
  uint64_t needed = 1;
  for (const size_t loop : around) {
    product *= tiles_of(loop);
    if (buffer.depends_on(loop)) needed = product;
  }
  return needed;
}

Prediction TileCosts::sum(const std::vector<size_t>& order) const {
  std::vector<uint64_t> work(engines_.size());
  std::vector<uint64_t> control(engines_.size());
  const std::vector<size_t> shared = split_loops(order);
  uint64_t first = 0;  // before anything overlaps
  uint64_t last = 0;
  const auto count = [&](const Command& command, uint64_t turns) {
    work[command.engine] += turns * command.occupancy;
    control[command.engine] += turns * (kTokenWords + 1 + extra_[command.engine]);
  };
  for (size_t n = 0; n < problem_.nests.size(); ++n) {
    const TileNest& nest = problem_.nests[n];
    std::vector<size_t> around = shared;
    for (const size_t loop : split_loops(nest.loops)) around.push_back(loop);
    uint64_t all = 1;
    for (const size_t loop : around) all *= tiles_of(loop);
    count(nests_[n], all);
    for (const size_t operand : nest.operands) {
      if (operand == kNone || problem_.buffers[operand].role != TileRole::kLoad) continue;
      count(transfers_[operand], turns(around, problem_.buffers[operand]));
      first = std::max(first, transfers_[operand].occupancy);
    }
    const TileBuffer& result = problem_.buffers[nest.destination];
    if (result.role != TileRole::kStore) continue;
    count(transfers_[nest.destination], turns(shared, result));
    last = std::max(last, transfers_[nest.destination].occupancy);
  }
  Prediction prediction;
  prediction.fetch = start_;
  uint64_t longest = 0;
  for (size_t i = 0; i < engines_.size(); ++i) {
    longest = std::max(longest, work[i] + control[i]);
    if (work[i] > 0) prediction.engines.push_back({engines_[i].name, work[i], control[i], 0});
  }
  for (EngineCost& bus : bus_costs(work)) {
    longest = std::max(longest, bus.work);
    prediction.engines.push_back(std::move(bus));
  }
  prediction.cycles = start_ + set_up_ + first + longest + last + 2 * depth_.back();
  finish(prediction);
  return prediction;
}

std::vector<EngineCost> TileCosts::bus_costs(const std::vector<uint64_t>& work) const {
  std::vector<EngineCost> result;
  for (size_t bus = 0; bus < buses_.size(); ++bus) {
    EngineCost cost{buses_[bus]};
    for (size_t i = 0; i < engines_.size(); ++i) {
      if (bus_[i] == bus) cost.work += work[i];
    }
    if (cost.work > 0) result.push_back(std::move(cost));
  }
  return result;
}

void TileCosts::finish(Prediction& prediction) const {
  uint64_t most = 0;
  for (const EngineCost& engine : prediction.engines) {
    if (engine.work <= most) continue;
    most = engine.work;
    prediction.limited_by = engine.name;
  }
}

Prediction TileCosts::simulate(const std::vector<size_t>& order, uint64_t most_commands) const {
  Prediction summed = sum(order);
  uint64_t commands = 0;
  for (const EngineCost& engine : summed.engines) commands += engine.control / (kTokenWords + 1);
  if (commands > most_commands) return summed;
  Prediction prediction = ScheduleSimulator(*this, order).simulate();
  finish(prediction);
  return prediction;
}

Prediction TileCosts::simulate_after(const TileCosts& first, const std::vector<size_t>& first_order,
                                     const std::vector<size_t>& order, const std::vector<bool>& kept) const {
  ScheduleSimulator before(first, first_order);
  before.walk();
  ScheduleSimulator player(*this, order);
  player.follow(before, kept);
  Prediction prediction = player.simulate();
  finish(prediction);
  return prediction;
}

}  // namespace covenant::compiler
