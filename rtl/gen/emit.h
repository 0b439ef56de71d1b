/// Generates the SystemVerilog and C++ texts of a plan. Every function is deterministic.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rtl/gen/axi_masters.h"
#include "rtl/gen/plan.h"
#include "rtl/gen/self_test.h"

namespace covenant::rtl {

/// covenant_pkg.sv: `operation_t`, `decode`, `operand_*`, `simd_latency`.
std::string emit_package(const Plan& plan);
/// Bits that distinguish the element types that words of the machine name.
uint32_t type_bits(const acg::Machine& machine);
/// Parts of the package: widths of elements and what follows from them; `simd_latency`.
std::string emit_elements(const acg::Machine& machine);
std::string emit_latency(const Plan& plan);
/// covenant_top.sv.
std::string emit_top(const Plan& plan);
/// covenant_axi_top.sv: the top as a device, with registers that a host reads and writes.
std::string emit_axi_top(const Plan& plan, AxiMasters kind);
/// A part of both: their off-chip ports, each on a line of its own that ends in a comma.
std::string emit_memory_ports(const Plan& plan);
/// Part of the top: instances of one engine's sequencer and unit, and its ports.
std::string emit_engine_ports(const Plan& plan, uint32_t engine);
std::string emit_engine(const Plan& plan, uint32_t engine);
/// Part of that: the sequencer of one engine, and the signals (named after `signal`) between it and its unit.
std::string emit_sequencer(const Plan& plan, uint32_t engine);
std::string emit_wires(const std::string& signal);
/// Another part of the top: the signals of one scratchpad, what they are connected to, and its instance.
std::string emit_memory_wires(const MemoryPlan& memory);
std::string emit_memory(const Plan& plan, const MemoryPlan& memory);
/// A declaration of a signal.
std::string wire(uint64_t bits, const std::string& name);
/// The range of a vector, be it of one bit.
std::string vector_of(uint64_t bits);
/// covenant_ports.h: the off-chip ports of the Verilated top under names that do not depend on the machine.
std::string emit_port_access(const Plan& plan);
/// covenant_axi_ports.h: C++ access to the AXI4 masters of the Verilated device.
std::string emit_axi_port_access(const std::vector<AxiMaster>& masters);
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
