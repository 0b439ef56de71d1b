/// Diagnostics about devices (docs/reference/diagnostics/DRV.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/program/program.h"
#include "acg/registers/bus.h"
#include "acg/registers/registers.h"

namespace covenant::driver {

Diagnostic no_device(uint32_t identity);                                                                 // DRV0001
Diagnostic other_version(uint32_t major);                                                                // DRV0002
Diagnostic other_machine(const std::string& name, uint64_t device, uint64_t machine);                    // DRV0003
Diagnostic refused_access(const std::string& name, uint32_t address, Response response, bool is_write);  // DRV0004
Diagnostic refused_memory(const acg::Program& program, const acg::MemoryRange& range, Response response,
                          bool is_write);                                             // DRV0005
Diagnostic other_program(const acg::Program& program);                                // DRV0006
Diagnostic refused_start(registers::Refusal refusal, uint64_t entry);                 // DRV0007, DRV0008
Diagnostic too_long(std::chrono::nanoseconds timeout);                                // DRV0009
Diagnostic machine_fault(const std::string& names, uint64_t cycle);                   // DRV0010
Diagnostic memory_fault(const std::string& names, uint64_t address, uint64_t cycle);  // DRV0011
Diagnostic aborted(uint64_t cycle);                                                   // DRV0012
Diagnostic nothing_started();                                                         // DRV0013
Diagnostic other_image(uint64_t bytes, uint64_t program_bytes);                       // DRV0014
Diagnostic no_bytes(uint64_t address, uint64_t length);                               // DRV0015

/// The names of the bits that are set, with commas between.
std::string names_in(uint64_t bits, const std::vector<std::string>& names);

}  // namespace covenant::driver
