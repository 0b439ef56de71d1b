#include "sim/sc/core_module.h"

#include <algorithm>

#include "acg/base/check.h"
#include "sim/sc/kernel.h"

namespace covenant::sim::sc {

namespace {
constexpr uint64_t kAhead = 1 << 20;  // packets in one go
}  // namespace

CoreModule::CoreModule(const sc_core::sc_module_name& name, vliw::Contexts& contexts, std::vector<Behind> behind,
                       uint64_t max_packets)
    : sc_core::sc_module(name),
      contexts_(contexts),
      behind_(std::move(behind)),
      next_stop_(behind_.size()),
      max_packets_(max_packets) {
  covenant::check(behind_.size() == contexts_.count(), "something stands behind every context");
  for (size_t i = 0; i < behind_.size(); ++i) {
    if (!behind_[i].stops.empty()) contexts_.stop_at(i, behind_[i].stops.front().address);
  }
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
  const uint64_t now = Kernel::now(), cycles = contexts_.cycles();
  const uint64_t reached = cycles > 0 ? cycles : contexts_.packets();
  next_trigger(Kernel::time_of(std::max(reached, now + 1) - now));
}

/// Is anything left to do?
bool CoreModule::advance() {
  const std::optional<size_t> context = contexts_.run(kAhead, max_packets_);
  if (context) {
    contexts_.of_context(*context, [&] {
      if (is_at_its_end(*context)) contexts_.finish(*context);
    });
  }
  return !contexts_.are_finished();
}

/// Does what the context wants.
bool CoreModule::is_at_its_end(size_t context) {
  if (is_at_last_stop(context)) return true;
  vliw::Core& core = contexts_.at(context);
  vliw::Services& services = *behind_[context].services;
  if (const std::optional<int32_t> service = core.take_service()) services.serve(core, *service);
  return services.exit_code() || core.packets() >= max_packets_;
}

bool CoreModule::is_at_last_stop(size_t context) {
  const std::vector<Stop>& stops = behind_[context].stops;
  size_t& next = next_stop_[context];
  if (stops.empty()) return false;
  while (next < stops.size() && contexts_.at(context).address() == stops[next].address) stops[next++].reached();
  if (next == stops.size()) return true;
  contexts_.stop_at(context, stops[next].address);
  return false;
}

void CoreModule::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace covenant::sim::sc
