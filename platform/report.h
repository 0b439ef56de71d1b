/// Reports mistakes in the use of the platform's modules.
#pragma once

#include <string>
#include <systemc>

#include "acg/base/diagnostic.h"

namespace covenant::sc {

/// Reports the diagnostic as an SC_ERROR: its type is "covenant/CODE", its text the rendered diagnostic. As long as the
/// user has not set other actions, SystemC throws it as an sc_report.
void report(const Diagnostic& diagnostic);

/// Reports a transaction whose phase is not allowed in the present state (SIM0103).
void report_phase(const sc_core::sc_object& module, const std::string& phase, const std::string& state);

/// A time in picoseconds. All times of memories are whole numbers of them.
uint64_t picoseconds(const sc_core::sc_time& time);
sc_core::sc_time time_of_picoseconds(uint64_t picoseconds);

/// Checks that the kernel counts picoseconds, as by default (SIM0104).
void check_resolution(const sc_core::sc_object& module);

}  // namespace covenant::sc
