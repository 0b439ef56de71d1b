#include "rtl/sc/rtl_pins.h"

#include <utility>

namespace covenant::sc {

namespace {

/// After so many cycles without a request, nothing in the device waits for another one.
constexpr uint32_t kQuietCycles = 16;

}  // namespace

RtlAccelerator::Pins::Pins(std::shared_ptr<rtl::VerilatedDevice> device, const sc_core::sc_time& period,
                           uint32_t first_port, sc_core::sc_out<bool>& interrupt, ResetPin& reset_n)
    : sc_core::sc_module(sc_core::sc_module_name("pins")),
      device_(std::move(device)),
      pins_(device_->pins()),
      period_(period),
      interrupt_(interrupt),
      reset_n_(reset_n),
      masters_(pins_, first_port),
      registers_(pins_.host),
      access_("access") {
  device_->reset();
  device_->settle();
  SC_METHOD(step);
  sensitive << tick_;
  dont_initialize();
  SC_METHOD(reset);
  sensitive << reset_n;
  dont_initialize();
}

RegisterPort::Answer RtlAccelerator::Pins::read(uint32_t address) {
  return access([&] { registers_.read(address); });
}

RegisterPort::Answer RtlAccelerator::Pins::write(uint32_t address, uint32_t value, uint32_t strobes) {
  return access([&] { registers_.write(address, value, strobes); });
}

std::optional<uint32_t> RtlAccelerator::Pins::look(uint32_t address) {
  if (reset_n_.is_low()) return std::nullopt;
  return device_->look(address);
}

template <class Request>
RegisterPort::Answer RtlAccelerator::Pins::access(Request&& request) {
  access_.lock();
  RegisterPort::Answer answer{rtl::AxiResponse::kSlaveError, 0};
  if (!reset_n_.is_low()) {
    request();
    run_clock();
    sc_core::wait(accessed_);
    answer = registers_.answer();
  }
  access_.unlock();
  return answer;
}

/// Nothing is left of what was under way, and the clock stands still until the next access.
void RtlAccelerator::Pins::reset() {
  if (!reset_n_.is_low()) return;
  masters_.reset();
  if (registers_.is_under_way() || is_accessed_) accessed_.notify(sc_core::SC_ZERO_TIME);
  if (registers_.is_under_way()) registers_.refuse();
  registers_.drive();
  is_accessed_ = has_begun_ = is_running_ = false;
  device_->reset();
  device_->settle();
  tick_.cancel();
  tick_.notify(sc_core::SC_ZERO_TIME);  // for the line, which `step` drives
}

/// From the next edge on.
void RtlAccelerator::Pins::run_clock() {
  quiet_cycles_ = 0;
  if (is_running_) return;
  is_running_ = true;
  const uint64_t now = sc_core::sc_time_stamp().value();
  const uint64_t next = (now / period_.value() + 1) * period_.value();
  tick_.notify(sc_core::sc_time::from_value(next - now));
}

void RtlAccelerator::Pins::step() {
  if (!is_running_) return interrupt_.write(pins_.host.interrupt);
  const sc_core::sc_time half = sc_core::sc_time::from_value(period_.value() / 2);
  if (!has_begun_) {
    begin_cycle();
    tick_.notify(half);
  } else {
    end_cycle();
    quiet_cycles_ = is_quiet() ? quiet_cycles_ + 1 : 0;
    is_running_ = quiet_cycles_ < kQuietCycles;
    if (is_running_) tick_.notify(period_ - half);
  }
  has_begun_ = !has_begun_;
}

void RtlAccelerator::Pins::begin_cycle() {
  device_->rise();
  ++clocked_;
  for (auto& master : masters_.reads()) master.ask();
  for (auto& master : masters_.writes()) master.ask();
  interrupt_.write(pins_.host.interrupt);
  if (std::exchange(is_accessed_, false)) accessed_.notify(sc_core::SC_ZERO_TIME);
}

void RtlAccelerator::Pins::end_cycle() {
  const sc_core::sc_time begin = sc_core::sc_time_stamp() - sc_core::sc_time::from_value(period_.value() / 2);
  for (auto& master : masters_.reads()) master.offer(begin);
  for (auto& master : masters_.writes()) master.offer(begin);
  registers_.drive();
  device_->settle();
  for (auto& master : masters_.reads()) master.take();
  for (auto& master : masters_.writes()) master.take();
  is_accessed_ = registers_.is_under_way() && registers_.observe();
}

bool RtlAccelerator::Pins::is_quiet() const {
  return !pins_.is_busy && !registers_.is_under_way() && !is_accessed_ && masters_.is_quiet();
}

}  // namespace covenant::sc
