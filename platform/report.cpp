#include "platform/report.h"

namespace covenant::sc {

void report(const Diagnostic& diagnostic) {
  SC_REPORT_ERROR(("covenant/" + diagnostic.code).c_str(), render(diagnostic).c_str());
}

void report_phase(const sc_core::sc_object& module, const std::string& phase, const std::string& state) {
  Diagnostic diagnostic;
  diagnostic.code = "SIM0103";
  diagnostic.subject = module.name();
  diagnostic.message = "a transaction comes with a phase that the base protocol does not allow here: " + state;
  diagnostic.offending = phase;
  diagnostic.fix = "correct the module that sends it";
  report(diagnostic);
}

uint64_t picoseconds(const sc_core::sc_time& time) { return time.value(); }

sc_core::sc_time time_of_picoseconds(uint64_t picoseconds) { return sc_core::sc_time::from_value(picoseconds); }

void check_resolution(const sc_core::sc_object& module) {
  const sc_core::sc_time resolution = sc_core::sc_get_time_resolution();
  if (resolution == sc_core::sc_time(1, sc_core::SC_PS)) return;
  Diagnostic diagnostic;
  diagnostic.code = "SIM0104";
  diagnostic.subject = module.name();
  diagnostic.message = "the time resolution of SystemC is another than that of the memories";
  diagnostic.offending = resolution.to_string();
  diagnostic.allowed = {"1 ps"};
  diagnostic.fix = "leave out the call of sc_set_time_resolution";
  report(diagnostic);
}

}  // namespace covenant::sc
