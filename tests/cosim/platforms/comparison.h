/// Compares the simulations of a scenario, each alone and beside one another.
#pragma once

#include <string>
#include <vector>

#include "tests/cosim/platforms/scenario.h"
#include "tests/cosim/platforms/simulation.h"

namespace covenant::platforms {

/// Each simulation alone: breaches of the base protocol, runs without an end, statuses that the act does not explain,
/// bytes other than those that the simulator, or a rule of the core's program, gives.
std::vector<std::string> wrong_in(const Scenario& scenario, Side side, const Simulated& simulated);

/// A model beside the RTL. In time: all registers and bursts, each in its cycle, and all bytes. Otherwise: statuses,
/// the blocks that are done, and all bytes.
std::vector<std::string> differences(const Scenario& scenario, const Simulated& model, const Simulated& rtl);

}  // namespace covenant::platforms
