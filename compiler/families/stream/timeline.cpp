#include "compiler/families/stream/timeline.h"

#include <algorithm>
#include <optional>

#include "acg/base/check.h"

namespace covenant::compiler::stream {

Timeline::Timeline(std::vector<TimedEngine> engines, size_t buses)
    : engines_(std::move(engines)),
      times_(engines_.size()),
      is_used_(engines_.size()),
      buses_(buses),
      steps_(engines_.size()),
      next_(engines_.size()),
      on_bus_(engines_.size()) {
  for (size_t i = 0; i < engines_.size(); ++i) times_[i].now = engines_[i].start;
}

size_t Timeline::add_channel(size_t buffers) {
  queues_.emplace_back();
  queues_.push_back({std::vector<uint64_t>(buffers)});
  return queues_.size() / 2 - 1;
}

void Timeline::word(size_t engine, uint64_t count) { add(engine, {Kind::kWord, TokenKind::kFull, 0, count}); }

void Timeline::run(size_t engine, uint64_t occupancy) {
  is_used_[engine] = true;
  add(engine, {Kind::kRun, TokenKind::kFull, 0, occupancy});
}

void Timeline::wait(size_t engine, size_t channel, TokenKind token) { add(engine, {Kind::kWait, token, channel}); }

void Timeline::post(size_t engine, size_t channel, TokenKind token) { add(engine, {Kind::kPost, token, channel}); }

void Timeline::add(size_t engine, const Step& step) {
  if (!buses_.empty()) return steps_[engine].push_back(step);
  check(execute(engine, step), "a token is waited for before it is posted");
}

/// Executes a step. Returns false if it must wait for something that is not known yet.
bool Timeline::execute(size_t engine, const Step& step) {
  const TimedEngine& fixed = engines_[engine];
  Times& time = times_[engine];
  switch (step.kind) {
    case Kind::kWord:
      time.now += step.occupancy;
      return true;
    case Kind::kRun:
      on_bus_[engine] = fixed.bus != TimedEngine::kNoBus;
      if (on_bus_[engine]) {
        buses_[fixed.bus].ask(engine, time.now, step.occupancy, fixed.burst);
      } else {
        retire(engine, step.occupancy, time.now + step.occupancy);
      }
      return true;
    case Kind::kWait: {
      Queue& tokens = queue(step);
      if (tokens.taken == tokens.visible.size()) return false;
      const uint64_t visible = tokens.visible[tokens.taken++];
      if (visible > time.now) time.stall += visible - time.now;
      time.now = std::max(time.now, visible) + 1;
      return true;
    }
    case Kind::kPost:
      queue(step).visible.push_back(time.now++ + fixed.depth);
      return true;
  }
  fail("a kind of step that there is not");
}

/// Retires a command that was issued when its engine stopped, and ends after cycle `end - 1`.
void Timeline::retire(size_t engine, uint64_t occupancy, uint64_t end) {
  Times& time = times_[engine];
  time.work += occupancy;
  time.stall += end - time.now - occupancy;
  time.now = end;
  time.retired = end - 1 + engines_[engine].depth;
}

/// 1. Every engine runs until it waits for a token that has not been posted, or for the bus. 2. All requests for a bus
/// up to the next burst are now known, and the burst is granted. The engine of a finished transfer continues.
void Timeline::finish() {
  if (buses_.empty()) return;
  do {
    run_ahead();
  } while (give_bus());
  for (size_t i = 0; i < engines_.size(); ++i) check(next_[i] == steps_[i].size(), "engines wait for each other");
}

void Timeline::run_ahead() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = 0; i < engines_.size(); ++i) {
      while (!on_bus_[i] && next_[i] < steps_[i].size() && execute(i, steps_[i][next_[i]])) {
        ++next_[i];
        goes_on = true;
      }
    }
  }
}

/// Grants bursts until a transfer is finished. Returns false if none is open.
bool Timeline::give_bus() {
  size_t open = 0;
  for (const Bus& bus : buses_) open += bus.open();
  while (open > 0) {
    Bus* earliest = nullptr;
    for (Bus& bus : buses_) {
      const std::optional<uint64_t> cycle = bus.next();
      if (cycle && (earliest == nullptr || *cycle < earliest->next().value())) earliest = &bus;
    }
    if (const auto done = earliest->give(open == 1)) {
      on_bus_[done->engine] = false;
      retire(done->engine, steps_[done->engine][next_[done->engine] - 1].occupancy, done->end);
      return true;
    }
  }
  return false;
}

}  // namespace covenant::compiler::stream
