// Transfers whose timing depends on others: on a shared bus, or on a memory that must be asked when it answers.
#include <algorithm>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "sim/common/fault.h"
#include "sim/stream/engine.h"

namespace covenant::sim {

std::optional<OffchipPort> Engine::make_port(const RunContext& run, const acg::Engine& description) {
  if (!description.edge || run.is_timed.empty()) return std::nullopt;
  const acg::Edge& edge = run.machine.edges[description.edge.value()];
  const acg::TransferEnds ends = acg::transfer_ends(run.machine, edge).value();
  if (!ends.has_offchip || !run.is_timed[ends.far.value]) return std::nullopt;
  OffchipPort port(acg::get(run.machine, ends.far).latency + edge.latency, edge.bandwidth / 8, run.carries);
  if (run.outstanding > 0) {
    ends.loads ? port.read_behind_master(run.outstanding) : port.write_behind_master(run.outstanding);
  }
  return port;
}

/// Begins a transfer whose beats move when a bus or the memory lets them.
void Engine::begin_transfer(const CommandTiming& timing) {
  transfer_ = timing;
  transfers_ = true;
  beats_left_ = timing.port_cycles;
  first_beat_.reset();
  if (port_) port_->begin(unit_->kept().transfer, timing.port_cycles);
  if (shares_bus_) {
    outside_->request_bus(arrival_, timing.port_cycles);
    state_ = EngineState::kBus;
    return;
  }
  port_->grant(arrival_, timing.port_cycles);
  move();
}

void Engine::granted(uint64_t cycle, uint64_t beats) {
  check(state_ == EngineState::kBus, "beats that were not asked for");
  if (port_) {
    port_->grant(cycle, beats);
    state_ = EngineState::kReady;
    return;
  }
  if (!first_beat_) first_beat_ = cycle;
  beats_left_ -= beats;
  outside_->end_burst(cycle + beats);
  if (beats_left_ == 0) moved(*first_beat_, cycle + beats);
}

void Engine::requested() {
  check(state_ == EngineState::kRequesting || has_master(), "a burst that was not asked for");
  port_->issued();
  if (state_ == EngineState::kRequesting) state_ = EngineState::kReady;
}

void Engine::answered(uint64_t cycle, std::span<const uint8_t> data) {
  port_->answered(cycle, data);
  take_effects();
  if (state_ == EngineState::kAnswer) state_ = EngineState::kReady;
}

/// Goes on with the transfer of its port.
void Engine::move() {
  const OffchipPort::Next next = port_->move();
  take_effects();
  if (next == OffchipPort::Next::kRequest) state_ = EngineState::kRequesting;
  if (next == OffchipPort::Next::kAnswer) state_ = EngineState::kAnswer;
  if (next != OffchipPort::Next::kMoved) return;
  if (shares_bus_) outside_->end_burst(port_->next_cycle());
  if (port_->beats_left() > 0) {
    state_ = EngineState::kBus;
    return;
  }
  moved(port_->first_cycle(), port_->next_cycle());
}

/// The transfer has moved all beats, the last one in the cycle before `end`.
void Engine::moved(uint64_t first, uint64_t end) {
  transfer_.port_wait = first - arrival_;
  transfer_.port_stall = end - arrival_ - transfer_.port_cycles;
  transfer_.occupancy += transfer_.port_stall;
  (shares_bus_ ? totals_.bus_stall : totals_.memory_stall) += transfer_.port_stall;
  const Word& word = words_[sequencer_.position()];
  if (run_.trace && transfer_.port_wait > 0) {
    slices_.push_back({index_, run_.block, arrival_, transfer_.port_wait, true, shares_bus_ ? "bus" : "memory"});
  }
  if (port_) {
    transfer_.retire_after = 0;  // when it takes effect
    Pending& pending = pending_.emplace_back();
    if (run_.records) pending.record = records_.size();
    if (run_.records && run_.values != nullptr) pending.written = unit_->kept().written;
  } else {
    transfer_.retire_after += transfer_.port_stall;
  }
  retire(word, transfer_, transfer_.port_stall);
  sequencer_.advance();
  transfers_ = false;
  state_ = EngineState::kReady;
  if (port_) take_effects();
}

/// Completes the commands of its port in order, as far as the memory has answered.
void Engine::take_effects() {
  while (!pending_.empty()) {
    const std::optional<uint64_t> visible = port_->take_effect();
    if (!visible) return;
    Pending pending = std::move(pending_.front());
    pending_.pop_front();
    totals_.last_retire = std::max(totals_.last_retire, *visible);
    if (pending.record) records_[*pending.record].retire = *visible;
    if (pending.record && !pending.counter && run_.values != nullptr) {
      records_[*pending.record].digest = digest_of(pending.written, run_.image.bytes(pending.written.memory));
    }
    if (!pending.counter) continue;
    if (!outside_->post(*pending.counter, *visible, pending.clock)) {
      run_.channels.raise_overflow(*pending.counter, *visible);
    }
  }
}

}  // namespace covenant::sim
