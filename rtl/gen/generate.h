/// Generates the SystemVerilog of a machine: everything that Verilator or a synthesiser needs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "rtl/gen/axi/axi_sharing.h"
#include "rtl/gen/self_test.h"

namespace covenant::rtl {

/// Files of the RTL of `machine`, by name:
///   covenant_pkg.sv       operations, and the decoder of words made from the mnemonics
///   covenant_top.sv       the engines, memories and ports of this machine
///   covenant_axi_top.sv   the same as a device, with registers that a host reads and writes;
///                         AXI4 masters as `axi` says
///   covenant_*.sv         the modules they are made of, the same for every machine
///   covenant.f            list of the sources in order of compilation, with the lint waivers
///   covenant_axi.f        the same with those of covenant_axi_top
///   waivers.vlt           lint waivers, each with its reason
///   covenant_axi_ports.h  C++ access to the AXI4 masters of the Verilated device, for rtl/cosim
///   covenant_observer.h   C++ access to the ports of the Verilated top, for rtl/cosim
///   Makefile, README.md   lint, lint-modules, synth; how to use them
/// The same machine gives the same bytes. Precondition: the machine has passed `validate`.
/// Without `axi`, a machine that AXI4 does not carry (RTL0018) has no device: its sources are left out.
/// Errors: RTL0002 .. RTL0009, RTL0017, with `axi` RTL0018 (docs/reference/diagnostics/RTL.md): what this RTL does not
/// build.
Result<std::map<std::string, std::string>> generate(const acg::Machine& machine, std::optional<AxiMasters> axi = {});

/// The same with a self-checking program (self_test.h): `make test` builds the bench with Verilator and runs it.
/// Precondition: `test` is of a program for this machine.
Result<std::map<std::string, std::string>> generate(const acg::Machine& machine, const SelfTest& test,
                                                    std::optional<AxiMasters> axi = {});

}  // namespace covenant::rtl
