/// Generates the SystemVerilog and C++ texts of a plan. Every function is deterministic.
#pragma once

#include <map>
#include <string>

#include "rtl/gen/common/plan.h"
#include "rtl/gen/self_test.h"

namespace covenant::rtl {

/// covenant_pkg.sv: `operation_t`, `decode`, `operand_*`, and what each unit kind adds.
std::string emit_package(const Plan& plan);
/// covenant_top.sv.
std::string emit_top(const Plan& plan);
/// A part of the top and of the device: their off-chip ports, each on a line of its own that ends in a comma.
std::string emit_memory_ports(const Plan& plan);
/// Part of the top: the signals (named after `signal`) between a unit and its sequencer, and the sequencer.
std::string emit_sequencer_wires(const std::string& signal);
std::string emit_sequencer(const Plan& plan, const Unit& unit);
/// Another part of the top: the signals of one scratchpad, what they are connected to, and its instance.
std::string emit_memory_wires(const MemoryPlan& memory);
std::string emit_memory(const Plan& plan, const MemoryPlan& memory);
/// covenant_ports.h: the off-chip ports of the Verilated top under names that do not depend on the machine.
std::string emit_port_access(const Plan& plan);
/// covenant_observer.sv, bound to the top, and covenant_observer.h, which reads it in the Verilated model.
std::string emit_observer(const Plan& plan);
/// Part of the observer: in a checked model, acg::initial_byte of every byte of every scratchpad.
std::string emit_contents(const Plan& plan);
std::string emit_observer_access(const Plan& plan);
/// True if this file is a source of covenant_axi_top only.
bool is_of_device(const std::string& name);
/// covenant.f, Makefile and README.md for these source files, covenant_axi.f if they make a device; with `make test` if
/// there is a test.
std::map<std::string, std::string> emit_directory(const Plan& plan, const std::map<std::string, std::string>& sources,
                                                  const SelfTest* test);

}  // namespace covenant::rtl
