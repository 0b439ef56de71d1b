#include "rtl/sc/rtl_pins.h"

#include <algorithm>
#include <map>
#include <utility>

namespace covenant::sc {

namespace {

/// After that many cycles in which nothing is asked for, nothing in the device waits for another one.
constexpr uint32_t kQuietCycles = 16;

}  // namespace

RtlAccelerator::Pins::Pins(std::shared_ptr<rtl::VerilatedDevice> device, const sc_core::sc_time& period,
                           uint32_t first_port, sc_core::sc_out<bool>& interrupt)
    : sc_core::sc_module(sc_core::sc_module_name("pins")),
      device_(std::move(device)),
      pins_(device_->pins()),
      period_(period),
      interrupt_(interrupt),
      registers_(pins_.host),
      access_("access") {
  for (rtl::ReadPins& pins : pins_.reads) {
    reads_.push_back(std::make_unique<ReadMaster>("read_" + std::to_string(pins.port), first_port, pins));
  }
  for (rtl::WritePins& pins : pins_.writes) {
    writes_.push_back(std::make_unique<WriteMaster>("write_" + std::to_string(pins.port), first_port, pins));
  }
  device_->reset();
  device_->settle();
  SC_METHOD(step);
  sensitive << tick_;
  dont_initialize();
}

std::vector<tlm::tlm_initiator_socket<>*> RtlAccelerator::Pins::sockets_of(uint32_t memory) {
  std::map<uint32_t, tlm::tlm_initiator_socket<>*> by_port;
  for (const auto& master : reads_) {
    if (master->memory() == memory) by_port[master->port()] = &master->socket().socket;
  }
  for (const auto& master : writes_) {
    if (master->memory() == memory) by_port[master->port()] = &master->socket().socket;
  }
  std::vector<tlm::tlm_initiator_socket<>*> sockets;
  for (const auto& [port, socket] : by_port) sockets.push_back(socket);
  return sockets;
}

RegisterPort::Answer RtlAccelerator::Pins::read(uint32_t address) {
  access_.lock();
  registers_.read(address);
  finish_access();
  const RegisterPort::Answer answer = registers_.answer();
  access_.unlock();
  return answer;
}

RegisterPort::Answer RtlAccelerator::Pins::write(uint32_t address, uint32_t value, uint32_t strobes) {
  access_.lock();
  registers_.write(address, value, strobes);
  finish_access();
  const RegisterPort::Answer answer = registers_.answer();
  access_.unlock();
  return answer;
}

void RtlAccelerator::Pins::finish_access() {
  run_clock();
  sc_core::wait(accessed_);
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
  for (const auto& master : reads_) master->ask();
  for (const auto& master : writes_) master->ask();
  interrupt_.write(pins_.host.interrupt);
  if (std::exchange(is_accessed_, false)) accessed_.notify(sc_core::SC_ZERO_TIME);
}

void RtlAccelerator::Pins::end_cycle() {
  const sc_core::sc_time begin = sc_core::sc_time_stamp() - sc_core::sc_time::from_value(period_.value() / 2);
  for (const auto& master : reads_) master->offer(begin);
  for (const auto& master : writes_) master->offer(begin);
  registers_.drive();
  device_->settle();
  for (const auto& master : reads_) master->take();
  for (const auto& master : writes_) master->take();
  is_accessed_ = registers_.is_under_way() && registers_.observe();
}

bool RtlAccelerator::Pins::is_quiet() const {
  const auto is_quiet = [](const auto& master) { return master->is_quiet(); };
  return !pins_.is_busy && !registers_.is_under_way() && !is_accessed_ &&
         std::all_of(reads_.begin(), reads_.end(), is_quiet) && std::all_of(writes_.begin(), writes_.end(), is_quiet);
}

}  // namespace covenant::sc
