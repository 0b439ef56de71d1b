/// The interface of a model of one program's machine that runs that program any number of times.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/simulate.h"

namespace covenant::sim {

/// Made, run and destroyed by one thread at a time. Throws what stops a run, as Failure or as report of the kernel;
/// another run may begin then.
class ProgramModel {
 public:
  ProgramModel() = default;
  ProgramModel(const ProgramModel&) = delete;
  ProgramModel& operator=(const ProgramModel&) = delete;
  virtual ~ProgramModel() = default;

  /// `memory` as sim::simulate takes it. Precondition: options.values.
  virtual SimulateResult run(std::vector<uint8_t>& memory, const SimulateOptions& options) = 0;
  /// `memory` as sim::simulate_cycles takes it. Precondition: !options.values.
  virtual SimulateResult time(const std::vector<uint8_t>& memory, const SimulateOptions& options) = 0;
};

}  // namespace covenant::sim
