/// Runs one program on the SystemC model and on the Verilated RTL and compares every command and every byte.
///
///     Result<rtl::Model> model = build_rtl(program.machine, {});
///     Result<LockstepResult> result = lockstep(*model, program, image);
///     if (result && result->first) fmt::print("{}\n", render(*result->first));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "rtl/cosim/model.h"
#include "runtime/lockstep/difference.h"
#include "sim/stats/statistics.h"

namespace covenant::runtime {

struct LockstepOptions {
  std::filesystem::path wave = {};  ///< waveforms of the RTL; needs a model built with `wave`
  uint64_t wave_from = 0;           ///< first and last cycle in that file
  uint64_t wave_to = UINT64_MAX;
  uint64_t max_cycles = 10'000'000'000;  ///< limit for the SystemC model; the RTL may take 10,000 cycles more than that
                                         ///< took
  std::string memory = "fixed";          ///< model of off-chip memory, one for each side
  /// Seed of a checked model's state before the run, and of the initial contents of scratchpads in both models. Other
  /// models start with zeros.
  uint64_t seed = 1;
  /// Called now and then with the RTL's cycle and the cycles that it should take; false ends the run.
  std::function<bool(uint64_t cycle, uint64_t cycles)> progress = {};
};

struct LockstepResult {
  uint64_t instructions = 0;  ///< commands compared, those of the fetch unit included
  uint64_t cycles = 0;        ///< cycles of the SystemC model
  uint64_t differences = 0;   ///< 0: equal in every field of every record, every byte and the end. The run is given up
                              ///< soon after the first difference: then there may be more
  std::optional<Difference> first;
  bool is_stopped = false;              ///< stopped by `progress`: the rest has not been compared
  sim::Statistics statistics;           ///< statistics of the SystemC model
  std::vector<uint8_t> systemc_memory;  ///< off-chip memory after the run, of both
  std::vector<uint8_t> rtl_memory;
  double systemc_seconds = 0;
  double rtl_seconds = 0;
};

/// `image`: off-chip memory before the run (segments in place, inputs written). The machine of `program` must be that
/// of `model`. Errors: those of sim::simulate (the program is wrong, so there is nothing to compare), and RTL0016;
/// whatever else the RTL does or refuses to do is reported as a difference.
Result<LockstepResult> lockstep(const rtl::Model& model, const acg::Program& program, const std::vector<uint8_t>& image,
                                const LockstepOptions& options = {});

}  // namespace covenant::runtime
