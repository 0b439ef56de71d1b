/// Runs a program of packets on the cycle-accurate model of a vliw_core.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/program/program.h"
#include "sim/run/simulate.h"

namespace covenant::sim {

/// Like `simulate`, for a program of packets; throws the fault that stops it. Its blocks begin with the issue of their
/// first packet. Faults: those of vliw::Core and of offchip::make_model, SIM0060.
SimulateResult simulate_packets(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options);

/// Like `simulate_together`, at the latency that the machine states. Fault also: SIM0087.
SimulateTogetherResult simulate_packets_together(const acg::Program& program,
                                                 std::vector<std::vector<uint8_t>>& memories,
                                                 const SimulateOptions& options);

}  // namespace covenant::sim
