#include "sim/sc/vliw/core_module.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/base/check.h"
#include "sim/common/fault.h"
#include "sim/sc/common/bus_error.h"

namespace covenant::sim::sc {

namespace {
// Most packets in one step. With a memory that is asked, few packets can run before an earlier answer is needed.
constexpr uint64_t kAhead = 1 << 20, kAheadOfMemory = 1 << 10;

/// Thrown into a run that is let go of while it waits for the kernel's time.
struct Released {};
}  // namespace

CoreModule::CoreModule(const sc_core::sc_module_name& name, std::optional<uint32_t> port) : sc_core::sc_module(name) {
  if (port) {
    port_ = std::make_unique<LinePort>("port", *port);
    port_->answered = [this] { answered(); };
    port_->refused = [this](const auto& response) { guarded([&] { raise_bus_error("the core", response); }); };
    port_->used = [](const auto& response) { raise_bus_error("the core", response); };
    SC_THREAD(live);  // it waits for the kernel's time in the middle of a packet
    return;
  }
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void CoreModule::start(Run run) {
  run_ = std::move(run);
  covenant::check(run_.behind.size() == run_.contexts->count(), "something stands behind every context");
  next_stop_.assign(run_.behind.size(), 0);
  resumes_ = 0;
  waits_ = has_finished_ = has_new_answers_ = false;
  failure_ = nullptr;
  for (size_t i = 0; i < run_.behind.size(); ++i) {
    const std::vector<Stop>& stops = run_.behind[i].stops;
    if (!stops.empty()) run_.contexts->stop_at(i, stops.front().address);
  }
  if (run_.stored) {
    run_.contexts->ask_with([this](const vliw::LineEdge::Request& request) { port_->ask(request); });
    port_->attach(run_.contexts->edge(), run_.time, run_.stored);
  }
  wake_.notify(run_.time.until(0));
}

void CoreModule::release() {
  ++released_runs_;
  if (is_catching_up_) released_.notify(sc_core::SC_ZERO_TIME);
  run_ = {};
  wake_.cancel();
  if (port_) port_->release();
}

/// Exceptions must not pass through the kernel.
void CoreModule::guarded(const std::function<void()>& body) {
  if (failure_) return;
  try {
    body();
  } catch (const Released&) {
    throw;
  } catch (...) {
    failure_ = std::current_exception();
    if (ended) ended();
  }
}

void CoreModule::step() {
  if (const std::optional<sc_core::sc_time> pause = go_on()) next_trigger(*pause, wake_);
}

void CoreModule::live() {
  while (true) {
    try {
      const std::optional<sc_core::sc_time> pause = go_on();
      pause ? wait(*pause, wake_) : wait(wake_);
    } catch (const Released&) {
      // The next run wakes it.
    }
  }
}

/// Returns the time until it goes on; nothing if something has to wake it.
std::optional<sc_core::sc_time> CoreModule::go_on() {
  if (run_.contexts == nullptr || failure_ || has_finished_) return {};
  if (!waits_ && run_.time.until(resumes_) == sc_core::SC_ZERO_TIME) guarded([this] { advance(); });
  if (run_.contexts == nullptr || failure_ || has_finished_ || waits_) return {};
  return run_.time.until(resumes_);
}

void CoreModule::catch_up() {
  const sc_core::sc_time pause = run_.time.until(reached());
  if (pause == sc_core::SC_ZERO_TIME) return;
  const uint64_t before = released_runs_;
  is_catching_up_ = true;
  wait(pause, released_);
  is_catching_up_ = false;
  if (released_runs_ != before) throw Released{};
}

void CoreModule::advance() {
  const std::shared_ptr<vliw::Contexts> kept = run_.owned;
  vliw::Contexts& contexts = *run_.contexts;
  const uint64_t ahead = run_.stored ? kAheadOfMemory : kAhead;
  if (const std::optional<size_t> context = contexts.run(ahead, run_.max_packets)) {
    contexts.of_context(*context, [&] {
      if (is_at_its_end(*context)) contexts.finish(*context);
    });
  } else {
    waits_ = contexts.at(0).is_waiting();
  }
  if (has_new_answers_) take_answers();
  if (contexts.are_finished()) return finish();
  resumes_ = std::max(reached(), run_.time.now() + 1);
}

/// The packets have all been executed; the times of the last of them may hang on answers.
void CoreModule::finish() {
  waits_ = true;
  if (!run_.contexts->settle()) return;
  has_finished_ = true;
  if (ended) ended();
}

/// In the middle of a packet, answers are kept for its end.
void CoreModule::answered() {
  if (is_catching_up_) {
    has_new_answers_ = true;
    return;
  }
  guarded([this] {
    take_answers();
    if (run_.contexts->are_finished()) finish();
  });
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::take_answers() {
  has_new_answers_ = false;
  run_.contexts->settle();
  waits_ = false;
}

/// The cycle that the core has reached; without timing, the number of packets.
uint64_t CoreModule::reached() const {
  if (run_.stored) return run_.contexts->at(0).pipeline().value().next();
  const uint64_t cycles = run_.contexts->cycles();
  return cycles > 0 ? cycles : run_.contexts->packets();
}

/// Executes what the context has requested.
bool CoreModule::is_at_its_end(size_t context) {
  if (is_at_last_stop(context)) return true;
  vliw::Core& core = run_.contexts->at(context);
  vliw::Services* const services = run_.behind[context].services;
  if (const std::optional<int32_t> service = core.take_service()) {
    if (services == nullptr) {
      raise("SIM0085", "a service is asked for where there is no system", fmt::format("trap0(#{})", *service), {},
            "run the program as an executable");
    }
    services->serve(core, *service);
  }
  return (services != nullptr && services->exit_code()) || core.packets() >= run_.max_packets;
}

bool CoreModule::is_at_last_stop(size_t context) {
  const std::vector<Stop>& stops = run_.behind[context].stops;
  size_t& next = next_stop_[context];
  if (stops.empty()) return false;
  while (next < stops.size() && run_.contexts->at(context).address() == stops[next].address) stops[next++].reached();
  if (next == stops.size()) return true;
  run_.contexts->stop_at(context, stops[next].address);
  return false;
}

void CoreModule::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace covenant::sim::sc
