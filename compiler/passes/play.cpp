#include "compiler/passes/play.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "acg/graph/queries.h"

namespace covenant::compiler {

Player::Player(const TileCosts& costs, const std::vector<size_t>& order)
    : costs_(costs),
      shared_(costs.split_loops(order)),
      level_(costs.problem_.buffers.size()),
      filler_(costs.problem_.buffers.size()),
      emptier_(costs.problem_.buffers.size()),
      channel_(costs.problem_.buffers.size()),
      timeline_(timed_engines(costs), halves(costs), costs.buses_.size()),
      kept_(costs.problem_.buffers.size()) {
  const TileProblem& problem = costs.problem_;
  std::iota(channel_.begin(), channel_.end(), size_t{0});
  for (size_t n = 0; n < problem.nests.size(); ++n) {
    const TileNest& nest = problem.nests[n];
    own_.push_back(costs.split_loops(nest.loops));
    const size_t engine = costs.nests_[n].engine;
    for (const size_t operand : nest.operands) {
      if (operand == kNone) continue;
      emptier_[operand] = engine;
      if (problem.buffers[operand].role != TileRole::kLoad) continue;
      filler_[operand] = costs.transfers_[operand].engine;
      level_[operand] = level_of(problem.buffers[operand], nest);
    }
    filler_[nest.destination] = engine;
    emptier_[nest.destination] = engine;
    level_[nest.destination] = shared_.size();
    if (problem.buffers[nest.destination].role == TileRole::kStore) {
      emptier_[nest.destination] = costs.transfers_[nest.destination].engine;
    }
  }
  for (size_t level = 0; level < shared_.size(); ++level) {
    std::set<size_t> engines;
    for (size_t n = 0; n < problem.nests.size(); ++n) engines.insert(costs.nests_[n].engine);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      if (problem.buffers[i].role != TileRole::kIntermediate && level_[i] > level) {
        engines.insert(costs.transfers_[i].engine);
      }
    }
    within_.emplace_back(engines.begin(), engines.end());
  }
}

std::vector<TimedEngine> Player::timed_engines(const TileCosts& costs) {
  std::vector<TimedEngine> engines;
  for (size_t i = 0; i < costs.engines_.size(); ++i) {
    engines.push_back({costs.start_ + costs.set_up_, costs.depth_[i], costs.bus_[i]});
  }
  return engines;
}

/// Of the memory that each buffer lies in.
std::vector<size_t> Player::halves(const TileCosts& costs) {
  std::vector<size_t> result;
  for (const TileBuffer& buffer : costs.problem_.buffers) {
    result.push_back(std::max<size_t>(1, acg::get(costs.machine_, buffer.memories.front()).buffers));
  }
  return result;
}

/// Tile loops around the declaration of a load: all up to the last that moves it.
size_t Player::level_of(const TileBuffer& buffer, const TileNest& nest) const {
  std::vector<size_t> around = shared_;
  for (const size_t loop : costs_.split_loops(nest.loops)) around.push_back(loop);
  size_t level = 0;
  for (size_t i = 0; i < around.size(); ++i) {
    if (buffer.depends_on(around[i])) level = i + 1;
  }
  return level;
}

void Player::follow(const Player& before, const std::vector<bool>& kept) {
  timeline_ = before.timeline_;
  kept_ = kept;
  const std::vector<size_t> count = halves(costs_);
  for (size_t i = 0; i < channel_.size(); ++i) {
    const bool is_same = filler_[i] == before.filler_[i] && emptier_[i] == before.emptier_[i];
    channel_[i] = is_same ? before.channel_[i] : timeline_.add_channel(count[i]);
  }
  // Every engine sets its commands anew.
  for (size_t i = 0; i < costs_.engines_.size(); ++i) {
    if (timeline_.is_used(i)) timeline_.word(i, TileCosts::kChangedWords);
  }
}

void Player::walk() { block(0); }

Prediction Player::play() {
  walk();
  timeline_.finish();
  Prediction prediction;
  prediction.is_played = true;
  prediction.fetch = costs_.start_;
  std::vector<uint64_t> work;
  for (size_t i = 0; i < costs_.engines_.size(); ++i) {
    const Timeline::Times& time = timeline_.of(i);
    prediction.cycles = std::max(prediction.cycles, time.retired);
    work.push_back(time.work);
    if (time.work == 0) continue;
    const uint64_t all = time.now - costs_.start_;
    prediction.engines.push_back({costs_.engines_[i].name, time.work, all - time.work - time.stall, time.stall});
  }
  for (EngineCost& bus : costs_.bus_costs(work)) prediction.engines.push_back(std::move(bus));
  return prediction;
}

void Player::run(const TileCosts::Command& command) {
  if (const uint64_t extra = costs_.extra_[command.engine]; extra > 0) timeline_.word(command.engine, extra);
  timeline_.run(command.engine, command.occupancy);
}

void Player::load(size_t buffer) {
  if (kept_[buffer]) return;
  const size_t engine = filler_[buffer];
  timeline_.wait(engine, channel_[buffer], Token::kFree);
  run(costs_.transfers_[buffer]);
  timeline_.post(engine, channel_[buffer], Token::kFull);
}

void Player::store(size_t buffer) {
  const size_t engine = emptier_[buffer];
  timeline_.wait(engine, channel_[buffer], Token::kFull);
  run(costs_.transfers_[buffer]);
  timeline_.post(engine, channel_[buffer], Token::kFree);
}

void Player::loop_words(const std::vector<size_t>& engines) {
  for (const size_t engine : engines) timeline_.word(engine);
}

/// Buffers of a nest that are declared at `level` and that its node shares with another engine, each once.
template <typename Visit>
void Player::for_buffers(size_t nest, size_t level, Visit visit) const {
  const TileNest& one = costs_.problem_.nests[nest];
  std::vector<size_t> buffers = one.operands;
  buffers.push_back(one.destination);
  for (auto buffer = buffers.begin(); buffer != buffers.end(); ++buffer) {
    if (*buffer == kNone || std::find(buffers.begin(), buffer, *buffer) != buffer) continue;
    if (level_[*buffer] == level && filler_[*buffer] != emptier_[*buffer]) visit(*buffer);
  }
}

/// True if one of the nests [first, end) on the node of `nest` uses the buffer.
bool Player::is_used(size_t nest, size_t first, size_t end, size_t buffer) const {
  const std::vector<TileNest>& nests = costs_.problem_.nests;
  for (size_t other = first; other < end; ++other) {
    if (costs_.nests_[other].engine != costs_.nests_[nest].engine) continue;
    const std::vector<size_t>& operands = nests[other].operands;
    if (nests[other].destination == buffer || std::find(operands.begin(), operands.end(), buffer) != operands.end()) {
      return true;
    }
  }
  return false;
}

/// Waits in front of the first use.
void Player::begin(size_t nest, size_t level) {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    if (is_used(nest, 0, nest, buffer)) return;
    if (kept_[buffer]) return timeline_.word(engine);
    timeline_.wait(engine, channel_[buffer], filler_[buffer] == engine ? Token::kFree : Token::kFull);
  });
}

/// Posts behind the last use.
void Player::end(size_t nest, size_t level) {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    if (is_used(nest, nest + 1, costs_.nests_.size(), buffer)) return;
    if (kept_[buffer]) return timeline_.word(engine);
    timeline_.post(engine, channel_[buffer], filler_[buffer] == engine ? Token::kFull : Token::kFree);
  });
}

void Player::block(size_t level) {
  const TileProblem& problem = costs_.problem_;
  for (const TileNest& nest : problem.nests) {
    for (const size_t operand : nest.operands) {
      if (operand != kNone && problem.buffers[operand].role == TileRole::kLoad && level_[operand] == level)
        load(operand);
    }
  }
  if (level < shared_.size()) {
    for (size_t n = 0; n < problem.nests.size(); ++n) begin(n, level);
    loop_words(within_[level]);
    for (uint64_t tile = 0; tile < costs_.tiles_of(shared_[level]); ++tile) {
      block(level + 1);
      loop_words(within_[level]);
    }
    for (size_t n = 0; n < problem.nests.size(); ++n) end(n, level);
    return;
  }
  for (size_t n = 0; n < problem.nests.size(); ++n) {
    begin(n, level);
    inner(n, level);
    end(n, level);
  }
  for (const TileNest& nest : problem.nests) {
    if (problem.buffers[nest.destination].role == TileRole::kStore) store(nest.destination);
  }
}

/// A nest inside of its own tile loops, from `level` on.
void Player::inner(size_t nest, size_t level) {
  const std::vector<size_t>& loops = own_[nest];
  const size_t depth = level - shared_.size();
  if (depth == loops.size()) return run(costs_.nests_[nest]);
  const size_t engine = costs_.nests_[nest].engine;
  std::vector<size_t> engines{engine};
  for (const size_t operand : costs_.problem_.nests[nest].operands) {
    if (operand != kNone && level_[operand] > level) engines.push_back(filler_[operand]);
  }
  loop_words(engines);
  for (uint64_t tile = 0; tile < costs_.tiles_of(loops[depth]); ++tile) {
    for (const size_t operand : costs_.problem_.nests[nest].operands) {
      if (operand != kNone && level_[operand] == level + 1) load(operand);
    }
    begin(nest, level + 1);
    inner(nest, level + 1);
    end(nest, level + 1);
    loop_words(engines);
  }
}

}  // namespace covenant::compiler
