/// Runs programs on the cycle-accurate model of their machine.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "sim/run/byte_bounds.h"
#include "sim/run/command_range.h"
#include "sim/run/event_count.h"
#include "sim/run/family_result.h"
#include "sim/stats/statistics.h"

namespace covenant::sim {

class ProgramModel;

struct SimulateOptions {
  /// Compute values. Without them the run is that of simulate_cycles.
  bool values = true;
  bool records = false;  ///< keep a retire record of every command
  bool trace = false;    ///< write a Perfetto trace
  bool profile = false;  ///< report where cycles go, for families that can (sim/vliw/packet_result.h)
  /// Those that have a record and a place in the trace, for families that can leave out others: those of packets.
  CommandRange commands{};
  /// The model of off-chip memory: a name or file that offchip::make_model takes; of several contexts at once
  /// `fixed` alone.
  std::string memory = "fixed";
  bool check_races = true;  ///< refuse unordered accesses (always leave this on unless SIM0052 says otherwise)
  uint64_t seed = 0;        ///< seed of the initial contents of scratchpads (acg::initial_byte); 0: zeros
  uint64_t max_cycles = 10'000'000'000;  ///< a longer run is a fault (SIM0060), detected before the work is done
};

struct SimulateResult {
  uint64_t cycles = 0;                      ///< cycle in which the last block is done
  std::vector<acg::RetireRecord> records;   ///< by block, then engine (the fetch unit last), then order of execution
  std::shared_ptr<const FamilyResult> own;  ///< what only programs of its family have; may be null
  Statistics statistics;
  std::string trace;  ///< Perfetto JSON; empty unless requested
  /// Bounds of the image's bytes that have been written; nothing where that is not known.
  std::optional<ByteBounds> written{};
};

/// Runs a program any number of times on a model of its machine that is built once, since building takes most of the
/// time of short runs.
///
///     sim::Simulator simulator(program);
///     Result<sim::SimulateResult> result = simulator.simulate(memory);
class Simulator {
 public:
  /// `program` must outlive it.
  explicit Simulator(const acg::Program& program);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  /// Like the functions of these names below. Runs are independent of each other, even of a failed one. Several threads
  /// may call; one runs at a time.
  Result<SimulateResult> simulate(std::vector<uint8_t>& memory, const SimulateOptions& options = {});
  Result<SimulateResult> simulate_cycles(const std::vector<uint8_t>& memory, const SimulateOptions& options = {});

 private:
  template <typename Run>
  Result<SimulateResult> with_model(const Run& run);

  const acg::Program& program_;
  std::mutex mutex_;
  std::unique_ptr<ProgramModel> model_;  ///< built for the first run
};

/// Runs `program` in `memory`, the off-chip image: segments in place, inputs written, `program.memory_bytes` bytes.
/// Outputs are in `memory` afterwards. One run at a time per process: a second caller waits.
/// Errors: SIM0001 .. SIM0070 (docs/reference/diagnostics/SIM.md); `memory` is then partly written.
Result<SimulateResult> simulate(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options = {});

/// The cycles of that run, without its arithmetic: scratchpads have no content, retire records no digests, and a
/// program that rewrites its own later words is timed as it was loaded. Cycles depend on no value, so inputs need not
/// be there.
Result<SimulateResult> simulate_cycles(const acg::Program& program, const std::vector<uint8_t>& memory,
                                       const SimulateOptions& options = {});

/// Result of running one program on several images at once.
struct SimulateTogetherResult {
  uint64_t cycles = 0;                                  ///< until the last one was done
  uint64_t commands = 0;                                ///< executed by all contexts
  std::vector<EventCount> events;                       ///< counters of the whole core
  std::vector<SimulateResult> contexts;                 ///< result of each image, without a trace
  std::vector<std::vector<EventCount>> context_events;  ///< per image: counters that it does not share with the others
  std::string trace;                                    ///< tracks of each context, one below the other
};

/// Runs a program on several images, each on a hardware context of its own; they share the constants of the program.
/// `options` apply to each. Error also: SIM0087 (more images than the machine has contexts, or no contexts).
Result<SimulateTogetherResult> simulate_together(const acg::Program& program,
                                                 std::vector<std::vector<uint8_t>>& memories,
                                                 const SimulateOptions& options = {});

}  // namespace covenant::sim
