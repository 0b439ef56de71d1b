#include "compiler/passes/play.h"

#include <algorithm>
#include <set>

#include "acg/graph/queries.h"

namespace covenant::compiler {

Player::Player(const TileCosts& costs, const std::vector<size_t>& order)
    : costs_(costs),
      shared_(costs.split_loops(order)),
      level_(costs.problem_.buffers.size()),
      filler_(costs.problem_.buffers.size()),
      emptier_(costs.problem_.buffers.size()),
      times_(costs.engines_.size()),
      channels_(costs.problem_.buffers.size()),
      kept_(costs.problem_.buffers.size()) {
  const TileProblem& problem = costs.problem_;
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
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const acg::Memory& memory = acg::get(costs.machine_, problem.buffers[i].memories.front());
    channels_[i].free.resize(std::max<size_t>(1, memory.buffers));
  }
  for (Time& time : times_) time.now = costs.start_ + costs.set_up_;
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
  times_ = before.times_;
  kept_ = kept;
  for (size_t i = 0; i < channels_.size(); ++i) {
    const bool is_same = filler_[i] == before.filler_[i] && emptier_[i] == before.emptier_[i];
    if (is_same) channels_[i] = before.channels_[i];
  }
  // Every engine sets its commands anew.
  for (Time& time : times_) time.now += time.work > 0 ? TileCosts::kChangedWords : 0;
}

Prediction Player::play() {
  block(0);
  Prediction prediction;
  prediction.is_played = true;
  prediction.fetch = costs_.start_;
  for (size_t i = 0; i < times_.size(); ++i) {
    const Time& time = times_[i];
    prediction.cycles = std::max(prediction.cycles, time.retired);
    if (time.work == 0) continue;
    const uint64_t all = time.now - costs_.start_;
    prediction.engines.push_back({costs_.engines_[i].name, time.work, all - time.work - time.stall, time.stall});
  }
  return prediction;
}

void Player::run(const TileCosts::Command& command) {
  Time& time = times_[command.engine];
  time.now += costs_.extra_[command.engine] + command.occupancy;
  time.work += command.occupancy;
  time.retired = time.now - 1 + costs_.depth_[command.engine];
}

void Player::wait(size_t engine, uint64_t visible) {
  Time& time = times_[engine];
  if (visible > time.now) time.stall += visible - time.now;
  time.now = std::max(time.now, visible) + 1;
}

/// When the token can be seen.
uint64_t Player::post(size_t engine) { return times_[engine].now++ + costs_.depth_[engine]; }

void Player::load(size_t buffer) {
  if (kept_[buffer]) return;
  const size_t engine = filler_[buffer];
  Channel& channel = channels_[buffer];
  wait(engine, channel.free.front());
  run(costs_.transfers_[buffer]);
  channel.full = post(engine);
}

void Player::store(size_t buffer) {
  const size_t engine = emptier_[buffer];
  Channel& channel = channels_[buffer];
  wait(engine, channel.full);
  run(costs_.transfers_[buffer]);
  give_free(buffer, engine);
}

/// The oldest free half is taken; this one comes last.
void Player::give_free(size_t buffer, size_t engine) {
  std::vector<uint64_t>& free = channels_[buffer].free;
  std::rotate(free.begin(), free.begin() + 1, free.end());
  free.back() = post(engine);
}

void Player::loop_words(const std::vector<size_t>& engines) {
  for (const size_t engine : engines) ++times_[engine].now;
}

/// Buffers of a nest that are declared at `level` and that its node shares with another engine.
template <typename Visit>
void Player::for_buffers(size_t nest, size_t level, Visit visit) const {
  const TileNest& one = costs_.problem_.nests[nest];
  for (const size_t operand : one.operands) {
    if (operand != kNone && level_[operand] == level && filler_[operand] != emptier_[operand]) visit(operand);
  }
  if (level_[one.destination] == level && filler_[one.destination] != emptier_[one.destination]) visit(one.destination);
}

/// Waits in front of the first use.
void Player::begin(size_t nest, size_t level) {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    wait(engine, filler_[buffer] == engine ? channels_[buffer].free.front() : channels_[buffer].full);
  });
}

/// Posts behind the last use.
void Player::end(size_t nest, size_t level) {
  const size_t engine = costs_.nests_[nest].engine;
  for_buffers(nest, level, [&](size_t buffer) {
    if (filler_[buffer] == engine) {
      channels_[buffer].full = post(engine);
    } else {
      give_free(buffer, engine);
    }
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
