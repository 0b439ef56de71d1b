#include "sim/sc/common/kernel.h"

#include <fmt/format.h>

namespace covenant::sim::sc {

namespace {

/// Guards the kernel's process-wide current context.
std::mutex& kernel_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

// sc_curr_simcontext and sc_default_global_context are what sc_get_curr_simcontext() itself consults; SystemC offers no
// documented way to elaborate twice in one process (its error E529).
Kernel::Kernel() : lock_(kernel_mutex(), std::defer_lock), mine_(new sc_core::sc_simcontext) {
  enter();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
}

Kernel::~Kernel() {
  if (!lock_.owns_lock()) enter();
  delete mine_;
  leave();
}

void Kernel::enter() {
  lock_.lock();
  before_ = sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = mine_;
  sc_core::sc_default_global_context = mine_;
}

void Kernel::leave() {
  sc_core::sc_curr_simcontext = before_;
  sc_core::sc_default_global_context = before_;
  lock_.unlock();
}

void Kernel::elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

void Kernel::run() { sc_core::sc_start(); }

Diagnostic diagnostic_of(const sc_core::sc_report& report) {
  Diagnostic diagnostic;
  diagnostic.code = "SIM0070";
  diagnostic.message = "the SystemC kernel has reported an error";
  diagnostic.offending = fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
  diagnostic.fix = "report this, with the program file";
  return diagnostic;
}

}  // namespace covenant::sim::sc

/// Never called: the SystemC library refers to it, and a shared library that links SystemC would not load without it. A
/// program that has its own one goes first.
extern "C" [[gnu::weak]] int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
