#include "sim/sc/core_module.h"

#include <algorithm>

#include "sim/sc/kernel.h"

namespace covenant::sim::sc {

namespace {
constexpr uint64_t kAhead = 1 << 20;  // packets in one go
}  // namespace

CoreModule::CoreModule(const sc_core::sc_module_name& name, vliw::Core& core, vliw::Services& services,
                       uint64_t max_packets, std::vector<Stop> stops)
    : sc_core::sc_module(name), core_(core), services_(services), max_packets_(max_packets), stops_(std::move(stops)) {
  SC_METHOD(step);
}

void CoreModule::step() {
  // Exceptions must not pass through the kernel.
  try {
    if (!advance()) return;
  } catch (...) {
    failure_ = std::current_exception();
    return;
  }
  const uint64_t now = Kernel::now();
  const uint64_t reached = core_.pipeline() ? core_.pipeline()->cycles() : core_.packets();
  next_trigger(Kernel::time_of(std::max(reached, now + 1) - now));
}

/// Is anything left to do?
bool CoreModule::advance() {
  const bool stops = next_stop_ < stops_.size();
  core_.run(std::min(kAhead, max_packets_ - core_.packets()),
            stops ? stops_[next_stop_].address : vliw::Core::kNowhere);
  if (stops && is_at_last_stop()) return false;
  if (const std::optional<int32_t> service = core_.take_service()) services_.serve(core_, *service);
  return !services_.exit_code() && core_.packets() < max_packets_;
}

bool CoreModule::is_at_last_stop() {
  while (next_stop_ < stops_.size() && core_.address() == stops_[next_stop_].address) stops_[next_stop_++].reached();
  return next_stop_ == stops_.size();
}

void CoreModule::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace covenant::sim::sc
