#include "sim/stream/engine.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "sim/common/fault.h"
#include "sim/stream/common/operands.h"
#include "sim/stream/units.h"

namespace covenant::sim {

using acg::Operation;

Engine::Engine(RunContext& run, uint32_t index, const acg::Engine& description)
    : run_(run),
      index_(index),
      description_(description),
      unit_(unit_row(description.unit).make(run.machine, description)),
      port_(make_port(run, description)),
      depth_(unit_->depth()),
      pointers_(run.machine.memories.size() * acg::kMaxChannels, 0) {}

void Engine::start_block(std::span<const Word> words, uint64_t start) {
  unit_->clear();
  std::fill(pointers_.begin(), pointers_.end(), 0);
  words_ = words;
  sequencer_.start(words.size());
  arrival_ = start;
  totals_ = {};
  totals_.start = start;
  totals_.end = start;
  totals_.stalls.assign(run_.channels.size(), 0);
  transfers_ = false;
  if (port_) port_->clear();
  state_ = words.empty() ? EngineState::kDone : EngineState::kReady;
}

std::string Engine::place() const {
  std::string text = fmt::format("{}, engine {}", run_.block_name, description_.name);
  if (sequencer_.at_end()) return text;
  const size_t position = sequencer_.position();
  return text + fmt::format(", word {} ({})", position, run_.codec.disassemble(words_[position].bits));
}

void Engine::run(uint64_t horizon) {
  if (state_ != EngineState::kReady && state_ != EngineState::kWaiting && state_ != EngineState::kHeld) return;
  state_ = EngineState::kReady;
  try {
    if (transfers_) move();
    while (!sequencer_.at_end() && state_ == EngineState::kReady && arrival_ <= horizon) {
      step(words_[sequencer_.position()]);
    }
    if (state_ != EngineState::kReady || !sequencer_.at_end()) return;
    sequencer_.check_closed();
  } catch (Failure& failure) {
    failure.diagnostic.subject = place();
    throw;
  }
  state_ = EngineState::kDone;
  totals_.end = arrival_;
  run_.races.finished(index_);
}

void Engine::step(const Word& word) {
  if (arrival_ > run_.max_cycles) {
    raise("SIM0060", "the run is longer than max_cycles", fmt::format("cycle {}", arrival_),
          {fmt::format("at most {} cycles", run_.max_cycles)},
          "check the loops, or raise max_cycles if the program is meant to run that long");
  }
  switch (word.instruction.operation) {
    case Operation::kLoop:
      retire(word, {}, 0);
      sequencer_.open(word.instruction);
      return;
    case Operation::kEnd:
      retire(word, {}, 0);
      sequencer_.close(word.instruction);
      return;
    case Operation::kWait:
      wait(word);
      return;
    case Operation::kPost:
      post(word);
      return;
    default:
      execute(word);
  }
}

void Engine::wait(const Word& word) {
  const uint32_t counter = run_.channels.counter(word.instruction);
  run_.channels.claim(counter, index_, false);
  const std::optional<Channels::Taken> taken = outside_->take(counter, arrival_);
  if (!taken) {
    blocked_on_ = counter;
    state_ = EngineState::kWaiting;
    return;
  }
  if (taken->clock != nullptr) run_.races.took(index_, *taken->clock);
  const uint64_t stall = taken->issue - arrival_;
  totals_.stalls[counter] += stall;
  if (run_.trace && stall > 0) {
    slices_.push_back({index_, run_.block, arrival_, stall, true, run_.channels.cause(counter)});
  }
  arrival_ = taken->issue;
  retire(word, {}, stall);
  sequencer_.advance();
}

void Engine::post(const Word& word) {
  const uint32_t counter = run_.channels.counter(word.instruction);
  run_.channels.claim(counter, index_, true);
  const uint64_t arrived = arrival_;
  if (!(port_ ? post_in_turn(counter) : post_at_once(counter))) return;
  run_.races.posted(index_);
  next_buffer(word, counter);
  retire(word, {1, port_ ? 1 : depth_, 0, 0}, arrival_ - arrived);
  sequencer_.advance();
  if (port_) take_effects();
}

/// False if it is held.
bool Engine::post_at_once(uint32_t counter) {
  if (outside_->post(counter, post_visible(), run_.races.clock(index_))) return true;
  blocked_on_ = counter;
  state_ = EngineState::kHeld;
  return false;
}

/// After what its port has under way; false if there is no place.
bool Engine::post_in_turn(uint32_t counter) {
  const std::optional<uint64_t> issue = port_->post(arrival_);
  if (!issue) {
    state_ = EngineState::kAnswer;
    return false;
  }
  const uint64_t stall = *issue - arrival_;
  totals_.memory_stall += stall;
  if (run_.trace && stall > 0) slices_.push_back({index_, run_.block, arrival_, stall, true, "memory"});
  arrival_ = *issue;
  Pending& pending = pending_.emplace_back();
  pending.counter = counter;
  pending.clock = run_.races.clock(index_);
  if (run_.records) pending.record = records_.size();
  return true;
}

void Engine::raise_held() const {
  try {
    run_.channels.raise_overflow(blocked_on_, post_visible());
  } catch (Failure& failure) {
    failure.diagnostic.subject = place();
    throw;
  }
}

void Engine::next_buffer(const Word& word, uint32_t counter) {
  const size_t channel = operand::unsigned_value(word.instruction, operand::kTokenMemory) * acg::kMaxChannels +
                         operand::unsigned_value(word.instruction, operand::kTokenSlot);
  pointers_[channel] = (pointers_[channel] + 1) % run_.channels.buffers(counter);
}

void Engine::execute(const Word& word) {
  accesses_.clear();
  // A port carries the bytes of its transfers itself.
  CommandContext context{run_.machine,
                         run_.image,
                         port_ ? nullptr : run_.values,
                         port_.has_value(),
                         !port_ && run_.values != nullptr && run_.records,
                         run_.max_cycles - arrival_,
                         pointers_,
                         accesses_,
                         totals_.tally};
  const CommandTiming timing = unit_->execute(word.instruction, sequencer_, context);
  for (const Access& access : accesses_) {
    if (access.is_write) note_store(access.region);
  }
  if (run_.check_races && !accesses_.empty()) check_races(word);
  if (timing.port_cycles > 0 && (shares_bus_ || port_)) return begin_transfer(timing);
  retire(word, timing, 0);
  sequencer_.advance();
}

void Engine::check_races(const Word& word) {
  const RaceDetector::Command command{static_cast<uint32_t>(sequencer_.position()), word.bits, arrival_};
  for (const Access& access : accesses_) {
    const auto conflict = run_.races.access(index_, access, command);
    if (!conflict) continue;
    const std::vector<acg::Engine> engines = acg::engines(run_.machine);
    raise("SIM0050",
          fmt::format("{} bytes of {} without a token between it and engine {}, word {} ({}), which {} them",
                      access.is_write ? "writes" : "reads", run_.machine.memories[access.region.memory].name,
                      engines[conflict->engine].name, conflict->command.word_index,
                      run_.codec.disassemble(conflict->command.word), conflict->is_write ? "writes" : "reads"),
          fmt::format("bytes {}..{}, issued in cycles {} and {}", conflict->low, conflict->high - 1, arrival_,
                      conflict->command.issue),
          {}, "order the two by a token, or keep their addresses apart");
  }
}

/// Records writes to the memory of the words, and those to words that are being fetched; a correct program has none of
/// the latter.
void Engine::note_store(const Region& region) {
  if (region.memory != run_.words_memory || region.low >= region.high) return;
  run_.stores.add(region.low, region.high);
  run_.written.add(region.low, region.high);
  if (!run_.check_races) return;
  if (region.low >= run_.next_words_high || region.high <= run_.next_words_low) return;
  if (run_.next_stores.empty() || run_.next_stores.back() != region) run_.next_stores.push_back(region);
}

void Engine::retire(const Word& word, const CommandTiming& timing, uint64_t stall) {
  const uint64_t issue = arrival_;
  const uint64_t retired = issue + timing.retire_after;
  totals_.last_retire = std::max(totals_.last_retire, retired);
  ++totals_.commands;
  ++totals_.tally.words[static_cast<size_t>(word.instruction.operation)];
  if (timing.port_cycles > 0) {
    totals_.busy += timing.port_cycles;
    totals_.drain += timing.occupancy - timing.port_cycles - timing.port_stall;
    if (run_.trace) {
      slices_.push_back({index_, run_.block, issue + timing.port_wait,
                         timing.port_cycles + timing.port_stall - timing.port_wait, false,
                         run_.codec.disassemble(word.bits)});
    }
  } else {
    totals_.control += timing.occupancy;
  }
  if (run_.records) {
    const uint64_t last_port = timing.port_cycles > 0 ? issue + timing.port_cycles + timing.port_stall - 1 : issue;
    records_.push_back({run_.block, index_, static_cast<uint32_t>(sequencer_.position()), sequence_, word.bits, issue,
                        retired, issue + timing.port_wait, last_port, stall, timing.digest});
  }
  ++sequence_;
  arrival_ = issue + timing.occupancy;
}

}  // namespace covenant::sim
