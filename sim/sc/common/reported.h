/// Runs a simulation and turns a fault that stops it into a diagnostic.
#pragma once

#include "acg/base/failure.h"
#include "acg/base/result.h"
#include "sim/sc/common/kernel.h"

namespace covenant::sim::sc {

/// As guarded; turns reports of the kernel into diagnostics, too.
template <typename Simulated, typename Simulate>
Result<Simulated> reported(Simulate&& simulate) {
  try {
    return guarded<Simulated>(simulate);
  } catch (const sc_core::sc_report& report) {
    return diagnostic_of(report);
  }
}

}  // namespace covenant::sim::sc
