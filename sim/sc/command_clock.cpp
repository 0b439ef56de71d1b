#include "sim/sc/command_clock.h"

#include <utility>

#include "offchip/clock.h"
#include "platform/report.h"

namespace covenant::sc {

using acg::behaviour::Command;
using sc_core::sc_time_stamp;

CommandAccelerator::Clock::Clock(MakeEngine make, sc_core::sc_out<bool>& interrupt, ResetPin& reset_n)
    : sc_core::sc_module(sc_core::sc_module_name("clock")),
      make_(std::move(make)),
      engine_(make_()),
      interrupt_(interrupt),
      reset_n_(reset_n),
      period_(time_of_picoseconds(offchip::Clock::of_frequency(engine_->behaviour().hertz).period)),
      end_(period_) {
  SC_THREAD(run);
  SC_METHOD(reset);
  sensitive << reset_n;  // and once in the beginning: the pin may be low from there on
}

std::optional<uint64_t> CommandAccelerator::Clock::enter() {
  const uint64_t resets = resets_;
  const uint64_t mine = ++last_turn_;
  turns_.push_back(mine);
  while (!reset_n_.is_low() && resets == resets_ && turns_.front() != mine) sc_core::wait(turn_);
  if (resets == resets_ && !reset_n_.is_low()) return mine;
  leave(mine);
  refuse_in_reset();
  return std::nullopt;
}

void CommandAccelerator::Clock::leave(uint64_t turn) {
  std::erase(turns_, turn);
  turn_.notify();
}

std::optional<std::vector<uint8_t>> CommandAccelerator::Clock::go(const std::string& port, const Command& command) {
  const uint64_t resets = resets_;
  wait_for_edge();
  while (is_cycle_due()) sc_core::wait(cycle_ended_);
  if (resets == resets_ && stopped_) error_ = stopped_;
  if (resets == resets_ && !stopped_) {
    if (const Status begun = engine_->begin(port, command); !begun) {
      error_ = begun.error();
      return std::nullopt;
    }
    if (!is_running_) {
      is_running_ = true;
      end_ = sc_time_stamp() + period_;
      wake_.notify();
    }
    do {
      sc_core::wait(cycle_ended_);
    } while (resets == resets_ && !stopped_ && engine_->is_busy());
  }
  if (resets != resets_) refuse_in_reset();
  if (resets != resets_ || stopped_) return std::nullopt;
  return engine_->take_reply();
}

void CommandAccelerator::Clock::run() {
  is_running_ = !reset_n_.is_low();
  for (;;) {
    drive();
    if (is_running_) {
      end_ = sc_time_stamp() + period_;
      wait(period_, wake_);
      if (is_cycle_due()) cycle();
    } else if (is_released_) {
      is_released_ = false;
      wait_for_edge();
      is_running_ = !reset_n_.is_low();
    } else {
      wait(wake_);
    }
  }
}

void CommandAccelerator::Clock::cycle() {
  const Status attached = attach();  // a memory may have withdrawn its access
  const Result<bool> goes_on = attached ? engine_->tick() : Result<bool>(attached.error());
  is_running_ = goes_on && *goes_on;
  if (!goes_on) {
    stop(goes_on.error());
  } else if (!*goes_on && engine_->is_busy()) {
    stop(engine_->deadlock());
  }
  cycle_ended_.notify(sc_core::SC_ZERO_TIME);  // when the line has its value, which a host may look at
}

/// Only the thread of `run` drives the line.
void CommandAccelerator::Clock::drive() {
  const Result<bool> asks = engine_->is_interrupted();
  if (!asks && !stopped_) stop(asks.error());
  interrupt_->write(asks && *asks && !reset_n_.is_low());
}

void CommandAccelerator::Clock::stop(const Diagnostic& diagnostic) {
  is_running_ = false;
  stopped_ = diagnostic;
  error_ = diagnostic;
  SC_REPORT_WARNING(("covenant/" + diagnostic.code).c_str(), render(diagnostic).c_str());
}

void CommandAccelerator::Clock::reset() {
  if (resets_ == 0 && !reset_n_.is_low()) return;
  if (reset_n_.is_low()) {
    ++resets_;
    engine_ = make_();
    memories_->detach();
    turns_.clear();
    error_.reset();
    stopped_.reset();
    is_running_ = false;
  }
  is_released_ = !reset_n_.is_low();
  turn_.notify(sc_core::SC_ZERO_TIME);
  cycle_ended_.notify(sc_core::SC_ZERO_TIME);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CommandAccelerator::Clock::refuse_in_reset() {
  error_ = Diagnostic{"BEH0038", {}, engine_->behaviour().machine,           "a command of a machine in reset",
                      "",        {}, "send commands after reset_n has risen"};
}

/// Until a cycle begins: not at all, if one does now.
void CommandAccelerator::Clock::wait_for_edge() const {
  const uint64_t late = sc_time_stamp().value() % period_.value();
  if (late != 0) sc_core::wait(sc_core::sc_time::from_value(period_.value() - late));
}

}  // namespace covenant::sc
