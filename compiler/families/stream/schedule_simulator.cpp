#include "compiler/families/stream/schedule_simulator.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "acg/graph/queries.h"

namespace covenant::compiler::stream {

ScheduleSimulator::ScheduleSimulator(const TileCosts& costs, const std::vector<size_t>& order)
    : costs_(costs),
      shared_(costs.split_loops(order)),
      level_(costs.problem_.buffers.size()),
      filler_(costs.problem_.buffers.size(), kNone),
      users_(costs.problem_.buffers.size()),
      between_(costs.problem_.buffers.size()),
      loads_(shared_.size() + 1),
      own_loads_(costs.problem_.nests.size()),
      timeline_(timed_engines(costs), costs.machine_.buses.size()),
      kept_(costs.problem_.buffers.size()) {
  const TileProblem& problem = costs.problem_;
  for (size_t n = 0; n < problem.nests.size(); ++n) {
    const TileNest& nest = problem.nests[n];
    own_.push_back(costs.split_loops(nest.loops));
    const size_t engine = costs.nests_[n].engine;
    for (const size_t operand : nest.operands) {
      if (operand == kNone) continue;
      if (problem.buffers[operand].role == TileRole::kLoad) {
        filler_[operand] = last_mover(operand);
        level_[operand] = level_of(problem.buffers[operand], nest);
      }
      add_user(operand, engine);
    }
    level_[nest.destination] = shared_.size();
    add_user(nest.destination, engine);
    if (problem.buffers[nest.destination].role == TileRole::kStore) {
      add_user(nest.destination, first_mover(nest.destination));
    }
  }
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    for (size_t hop = 1; hop < costs.transfers_[i].size(); ++hop) between_[i].push_back(add_channel(i, hop));
  }
  sort_loads();
  for (size_t level = 0; level < shared_.size(); ++level) {
    std::set<size_t> engines;
    for (size_t n = 0; n < problem.nests.size(); ++n) engines.insert(costs.nests_[n].engine);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      if (level_[i] > level) for_movers(i, [&](size_t engine) { engines.insert(engine); });
    }
    within_.emplace_back(engines.begin(), engines.end());
  }
}

std::vector<TimedEngine> ScheduleSimulator::timed_engines(const TileCosts& costs) {
  std::vector<TimedEngine> engines;
  for (size_t i = 0; i < costs.machine_.engines.size(); ++i) {
    const MachineCosts& machine = costs.machine_;
    engines.push_back({costs.start_ + costs.set_up_[i], machine.depth[i], machine.bus_of[i], machine.burst[i]});
  }
  return engines;
}

/// Adds a channel of the memory before transfer `hop` of a buffer's path.
size_t ScheduleSimulator::add_channel(size_t buffer, size_t hop) {
  const TileBuffer& one = costs_.problem_.buffers[buffer];
  const acg::MemoryId memory = one.memories.at(one.role == TileRole::kLoad ? hop - 1 : hop);
  return timeline_.add_channel(std::max<size_t>(1, acg::get(costs_.machine_.machine, memory).buffers));
}

/// Calls `visit` with each engine that moves a buffer, in the order of its path.
template <typename Visit>
void ScheduleSimulator::for_movers(size_t buffer, Visit visit) const {
  for (const TileCosts::Command& hop : costs_.transfers_[buffer]) visit(hop.engine);
}

/// The first engine of a buffer fills it; each further one shares a channel of its own with it.
void ScheduleSimulator::add_user(size_t buffer, size_t engine) {
  if (filler_[buffer] == kNone) filler_[buffer] = engine;
  const auto is_engine = [engine](const User& user) { return user.engine == engine; };
  if (filler_[buffer] == engine || std::any_of(users_[buffer].begin(), users_[buffer].end(), is_engine)) return;
  users_[buffer].push_back({engine, add_channel(buffer, node_hop(buffer))});
}

/// Number of tile loops around the declaration of a load: all up to the last one that moves it.
size_t ScheduleSimulator::level_of(const TileBuffer& buffer, const TileNest& nest) const {
  std::vector<size_t> around = shared_;
  for (const size_t loop : costs_.split_loops(nest.loops)) around.push_back(loop);
  size_t level = 0;
  for (size_t i = 0; i < around.size(); ++i) {
    if (buffer.depends_on(around[i])) level = i + 1;
  }
  return level;
}

void ScheduleSimulator::follow(const ScheduleSimulator& before, const std::vector<bool>& kept) {
  timeline_ = before.timeline_;
  kept_ = kept;
  const auto are_one = [](const User& a, const User& b) { return a.engine == b.engine; };
  for (size_t i = 0; i < users_.size(); ++i) {
    const std::vector<User>& old = before.users_[i];
    if (filler_[i] == before.filler_[i] &&
        std::equal(users_[i].begin(), users_[i].end(), old.begin(), old.end(), are_one)) {
      users_[i] = old;
    } else {
      for (User& user : users_[i]) user.channel = add_channel(i, node_hop(i));
    }
    const bool is_same_way = costs_.problem_.buffers[i].memories == before.costs_.problem_.buffers[i].memories;
    for (size_t k = 0; k < between_[i].size(); ++k) {
      between_[i][k] = is_same_way ? before.between_[i][k] : add_channel(i, k + 1);
    }
  }
  // Every engine sets its commands anew.
  for (size_t i = 0; i < costs_.machine_.engines.size(); ++i) {
    if (timeline_.is_used(i)) timeline_.word(i, TileCosts::kChangedWords);
  }
}

void ScheduleSimulator::walk() { walk(block(0)); }

void ScheduleSimulator::walk(const Steps& steps) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::kWords:
        timeline_.word(step.engine, step.count);
        break;
      case Step::Kind::kRun:
        timeline_.run(step.engine, step.count);
        break;
      case Step::Kind::kWait:
        timeline_.wait(step.engine, step.channel, step.token);
        break;
      case Step::Kind::kPost:
        timeline_.post(step.engine, step.channel, step.token);
        break;
      case Step::Kind::kLoop:
        for (uint64_t i = 0; i < step.count; ++i) walk(step.body);
        break;
    }
  }
}

Prediction ScheduleSimulator::simulate() {
  walk();
  timeline_.finish();
  Prediction prediction;
  prediction.is_simulated = true;
  prediction.fetch = costs_.start_;
  std::vector<uint64_t> work;
  for (size_t i = 0; i < costs_.machine_.engines.size(); ++i) {
    const Timeline::Times& time = timeline_.of(i);
    prediction.cycles = std::max(prediction.cycles, time.retired);
    work.push_back(time.work);
    if (time.work == 0) continue;
    const uint64_t all = time.now - costs_.start_;
    prediction.engines.push_back(
        {costs_.machine_.engines[i].name, time.work, all - time.work - time.stall, time.stall});
  }
  for (EngineCost& bus : costs_.machine_.bus_costs(work)) prediction.engines.push_back(std::move(bus));
  return prediction;
}

void ScheduleSimulator::run(const TileCosts::Command& command, Steps& steps) const {
  const uint64_t extra = costs_.extra_[command.engine];
  if (extra > 0) steps.push_back({.engine = command.engine, .count = extra});
  steps.push_back({.kind = Step::Kind::kRun, .engine = command.engine, .count = command.occupancy});
}

/// Assigns each load, once, to where it is declared: in the shared loops, or in those of a nest.
void ScheduleSimulator::sort_loads() {
  const TileProblem& problem = costs_.problem_;
  for (size_t n = 0; n < problem.nests.size(); ++n) {
    for (const size_t operand : problem.nests[n].operands) {
      if (operand == kNone || problem.buffers[operand].role != TileRole::kLoad) continue;
      std::vector<size_t>& loads = level_[operand] < loads_.size() ? loads_[level_[operand]] : own_loads_[n];
      if (std::find(loads.begin(), loads.end(), operand) == loads.end()) loads.push_back(operand);
    }
  }
}

/// Calls `visit` with the channels that an engine shares with others for a buffer: for the filler those of all users,
/// or of `only` one; for a user that of the filler.
template <typename Visit>
void ScheduleSimulator::for_channels(size_t engine, size_t buffer, size_t only, Visit visit) const {
  for (const User& user : users_[buffer]) {
    if (only != kNone && user.engine != only) continue;
    if (engine == filler_[buffer] || engine == user.engine) visit(user.channel);
  }
}

/// Waits: the filler for a buffer that all users have released, a user for a full one.
void ScheduleSimulator::take(size_t engine, size_t buffer, size_t only, Steps& steps) const {
  const TokenKind token = engine == filler_[buffer] ? TokenKind::kFree : TokenKind::kFull;
  for_channels(engine, buffer, only, [&](size_t channel) {
    steps.push_back({.kind = Step::Kind::kWait, .token = token, .engine = engine, .channel = channel});
  });
}

void ScheduleSimulator::give(size_t engine, size_t buffer, size_t only, Steps& steps) const {
  const TokenKind token = engine == filler_[buffer] ? TokenKind::kFull : TokenKind::kFree;
  for_channels(engine, buffer, only, [&](size_t channel) {
    steps.push_back({.kind = Step::Kind::kPost, .token = token, .engine = engine, .channel = channel});
  });
}

void ScheduleSimulator::load(size_t buffer, size_t only, Steps& steps) const {
  if (!kept_[buffer]) transfer(buffer, only, steps);
}

void ScheduleSimulator::transfer(size_t buffer, size_t only, Steps& steps) const {
  const std::vector<TileCosts::Command>& hops = costs_.transfers_[buffer];
  const bool is_load = costs_.problem_.buffers[buffer].role == TileRole::kLoad;
  for (size_t hop = 0; hop < hops.size(); ++hop) {
    const size_t engine = hops[hop].engine;
    const bool meets_users = hop == (is_load ? hops.size() - 1 : 0);
    const auto meet = [&](Step::Kind kind, TokenKind token, size_t channel) {
      steps.push_back({.kind = kind, .token = token, .engine = engine, .channel = channel});
    };
    if (hop > 0) meet(Step::Kind::kWait, TokenKind::kFull, between_[buffer][hop - 1]);
    if (meets_users) take(engine, buffer, only, steps);
    if (hop + 1 < hops.size()) meet(Step::Kind::kWait, TokenKind::kFree, between_[buffer][hop]);
    run(hops[hop], steps);
    if (hop > 0) meet(Step::Kind::kPost, TokenKind::kFree, between_[buffer][hop - 1]);
    if (meets_users) give(engine, buffer, only, steps);
    if (hop + 1 < hops.size()) meet(Step::Kind::kPost, TokenKind::kFull, between_[buffer][hop]);
  }
}

void ScheduleSimulator::loop_words(const std::vector<size_t>& engines, Steps& steps) {
  for (const size_t engine : engines) steps.push_back({.engine = engine, .count = 1});
}

/// Calls `visit` once with each buffer of a nest that is declared at `level` and that its node shares with another
/// engine.
template <typename Visit>
void ScheduleSimulator::for_buffers(size_t nest, size_t level, Visit visit) const {
  const TileNest& one = costs_.problem_.nests[nest];
  std::vector<size_t> buffers = one.operands;
  buffers.push_back(one.destination);
  for (auto buffer = buffers.begin(); buffer != buffers.end(); ++buffer) {
    if (*buffer == kNone || std::find(buffers.begin(), buffer, *buffer) != buffer) continue;
    if (level_[*buffer] == level && !users_[*buffer].empty()) visit(*buffer);
  }
}

/// True if one of the nests [first, end) on the node of `nest` uses the buffer, or writes it, if that node is its
/// filler.
bool ScheduleSimulator::is_used(size_t nest, size_t first, size_t end, size_t buffer) const {
  const std::vector<TileNest>& nests = costs_.problem_.nests;
  const size_t engine = costs_.nests_[nest].engine;
  for (size_t other = first; other < end; ++other) {
    if (costs_.nests_[other].engine != engine) continue;
    if (nests[other].destination == buffer) return true;
    const std::vector<size_t>& operands = nests[other].operands;
    const bool reads = std::find(operands.begin(), operands.end(), buffer) != operands.end();
    if (reads && filler_[buffer] != engine) return true;
  }
  return false;
}

/// Waits before the first use.
void ScheduleSimulator::begin(size_t nest, size_t level, Steps& steps) const {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    if (is_used(nest, 0, nest, buffer)) return;
    if (kept_[buffer]) return steps.push_back({.engine = engine, .count = 1});
    take(engine, buffer, kNone, steps);
  });
}

/// Posts after the last use; the filler posts after its last write, since it may read what others read, too.
void ScheduleSimulator::end(size_t nest, size_t level, Steps& steps) const {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    if (filler_[buffer] == engine && costs_.problem_.nests[nest].destination != buffer) return;
    if (is_used(nest, nest + 1, costs_.nests_.size(), buffer)) return;
    if (kept_[buffer]) return steps.push_back({.engine = engine, .count = 1});
    give(engine, buffer, kNone, steps);
  });
}

/// The steps inside of `level` shared loops.
ScheduleSimulator::Steps ScheduleSimulator::block(size_t level) const {
  const TileProblem& problem = costs_.problem_;
  Steps steps;
  for (const size_t buffer : loads_[level]) load(buffer, kNone, steps);
  if (level < shared_.size()) {
    for (size_t n = 0; n < problem.nests.size(); ++n) begin(n, level, steps);
    loop_words(within_[level], steps);
    Steps body = block(level + 1);
    loop_words(within_[level], body);
    steps.push_back({.kind = Step::Kind::kLoop, .count = costs_.tiles_of(shared_[level]), .body = std::move(body)});
    for (size_t n = 0; n < problem.nests.size(); ++n) end(n, level, steps);
    return steps;
  }
  for (size_t n = 0; n < problem.nests.size(); ++n) {
    begin(n, level, steps);
    Steps own = inner(n, level);
    std::move(own.begin(), own.end(), std::back_inserter(steps));
    end(n, level, steps);
  }
  for (const TileNest& nest : problem.nests) {
    if (problem.buffers[nest.destination].role == TileRole::kStore) transfer(nest.destination, kNone, steps);
  }
  return steps;
}

/// The steps of a nest inside of its own tile loops, from `level` on.
ScheduleSimulator::Steps ScheduleSimulator::inner(size_t nest, size_t level) const {
  const std::vector<size_t>& loops = own_[nest];
  const size_t depth = level - shared_.size();
  Steps steps;
  if (depth == loops.size()) {
    run(costs_.nests_[nest], steps);
    return steps;
  }
  const size_t engine = costs_.nests_[nest].engine;
  std::vector<size_t> engines{engine};
  for (const size_t buffer : own_loads_[nest]) {
    if (level_[buffer] > level) for_movers(buffer, [&](size_t mover) { engines.push_back(mover); });
  }
  loop_words(engines, steps);
  Steps body;
  for (const size_t buffer : own_loads_[nest]) {
    if (level_[buffer] == level + 1) load(buffer, engine, body);
  }
  begin(nest, level + 1, body);
  Steps within = inner(nest, level + 1);
  std::move(within.begin(), within.end(), std::back_inserter(body));
  end(nest, level + 1, body);
  loop_words(engines, body);
  steps.push_back({.kind = Step::Kind::kLoop, .count = costs_.tiles_of(loops[depth]), .body = std::move(body)});
  return steps;
}

}  // namespace covenant::compiler::stream
