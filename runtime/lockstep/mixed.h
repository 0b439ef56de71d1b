/// Mixed fidelity: some layers of a program run on the RTL, the rest on the SystemC model.
///
/// The initial state of a block is off-chip memory alone, so it runs anywhere from its entry address on. Adjacent
/// blocks on the RTL run together as one window; at its end off-chip memory is handed over, and compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "rtl/cosim/model.h"
#include "runtime/lockstep/difference.h"
#include "runtime/session/window.h"
#include "sim/stats/statistics.h"

namespace covenant::runtime {

/// By block: true if it runs on the RTL. `layers`: names. `words`: first and last word of the instruction stream,
/// numbered as by the disassembler; selects the blocks that contain them. At least one of the two is given. Errors:
/// RUN0012 (no such layer; lists all), RUN0013 (no such words, or nothing chosen).
Result<std::vector<bool>> choose_blocks(const acg::Program& program, const std::vector<std::string>& layers,
                                        const std::optional<std::pair<uint64_t, uint64_t>>& words);

/// kUnknown: it runs after a difference in its window.
enum class Agreement : uint8_t { kEqual, kDifferent, kUnknown };

struct MixedBlock {
  bool on_rtl = false;
  Agreement agreement = Agreement::kUnknown;  ///< for blocks on the RTL: every command and every byte
};

struct MixedResult {
  std::vector<MixedBlock> blocks;
  sim::Statistics statistics;   ///< statistics of the whole program on the SystemC model
  std::vector<uint8_t> memory;  ///< off-chip memory at the end, windows on the RTL having run there
  uint64_t instructions = 0;    ///< commands of the RTL that were compared
  uint64_t rtl_cycles = 0;      ///< cycles of all windows on the RTL
  uint64_t differences = 0;     ///< in windows, plus bytes at the end that differ from those of the whole program
  std::optional<Difference> first;
  bool is_stopped = false;  ///< stopped by `progress`
  double systemc_seconds = 0;
  double rtl_seconds = 0;
};

/// Precondition: `on_rtl` has an entry for each block; `image` as for `lockstep`. `progress` gets the cycles of the RTL
/// so far and their total; returning false ends the run. Errors: those of `lockstep`.
Result<MixedResult> run_mixed(const rtl::Model& model, const acg::Program& program, const std::vector<uint8_t>& image,
                              const std::vector<bool>& on_rtl,
                              const std::function<bool(uint64_t cycle, uint64_t cycles)>& progress = {});

}  // namespace covenant::runtime
