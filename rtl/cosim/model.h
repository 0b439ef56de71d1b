/// Builds the Verilated model of a machine and runs programs on it.
///
///     Result<rtl::Model> model = rtl::build_model(program.machine, {.cache = "build/rtl"});
///     std::vector<uint8_t> memory = ...;                       // the off-chip image, as sim::simulate takes it
///     Result<rtl::RunResult> result = model->run(program, memory, {.records = true});
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "offchip/model.h"
#include "rtl/cosim/build_progress.h"

namespace covenant::rtl {

struct BuildOptions {
  std::filesystem::path cache;  ///< folder for built models, one sub-folder for each, named by the hash of its sources
  bool wave = false;            ///< able to write FST waveforms (slower)
  bool checked = false;         ///< with assertions, and with random state before reset and in scratchpads (slower)
  bool quick = false;           ///< built in a third of the time, runs at half the speed
  uint32_t jobs = 2;            ///< compilers at a time
  BuildProgress progress = {};
};

struct RunOptions {
  bool records = false;  ///< keep a retire record of every command
  bool digests = true;   ///< digests of the written bytes
  uint64_t seed = 1;     ///< seed of a checked model's state before the run, and of its scratchpads (acg::initial_byte)
  uint64_t max_cycles = 10'000'000'000;
  /// Models that decide when each off-chip memory answers, in the order of acg::memory_ranges, each unused so far; null
  /// or missing: the latency that the machine states. Ports are numbered as in docs/reference/off-chip-port.md.
  std::vector<offchip::Model*> memories = {};
  std::filesystem::path wave = {};  ///< file for waveforms; needs a model built with `wave`. Cycle c is at time 2 c + 8
  uint64_t wave_from = 0;           ///< first and last cycle in that file
  uint64_t wave_to = UINT64_MAX;
  /// Called with every record as its command retires (the result then keeps none); false ends the run.
  std::function<bool(const acg::RetireRecord& record)> on_record = {};
  std::function<bool(uint64_t cycle)> on_cycle = {};  ///< called now and then; false ends the run
};

/// When one block's engines start, and when everything it did is visible.
struct BlockTimes {
  uint64_t start = 0;
  uint64_t done = 0;
  bool operator==(const BlockTimes&) const = default;
};

struct RunResult {
  uint64_t cycles = 0;                     ///< cycle in which the last block is done
  std::vector<acg::RetireRecord> records;  ///< by block, then engine (the fetch unit last), then order of execution
  std::vector<BlockTimes> blocks;
  bool is_stopped = false;  ///< stopped by one of the functions in the options; `cycles` is then the cycle that was
                            ///< reached
};

/// A Verilated model, loaded. Movable; runs may follow one another, each starts from reset.
class Model {
 public:
  /// Runs `program` in `memory`, the off-chip image (segments in place, inputs written). The machine of the program
  /// must be the one that the model was built for. An assertion of the RTL that fails throws InternalError. Errors:
  /// RTL0013 (the RTL reports that the program is wrong), RTL0014 (it does not end in time), RTL0016 (no waveform
  /// file); `memory` is then partly written.
  Result<RunResult> run(const acg::Program& program, std::vector<uint8_t>& memory,
                        const RunOptions& options = {}) const;

  const std::filesystem::path& folder() const { return folder_; }  ///< sources, library, log of the build
  double build_seconds() const { return build_seconds_; }          ///< 0 if it was in the cache
  bool has_wave() const { return has_wave_; }                      ///< built with `wave`
  bool is_checked() const { return is_checked_; }                  ///< built with `checked`
  /// Holds the loaded library.
  struct Library;

 private:
  friend Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options);
  std::filesystem::path folder_;
  double build_seconds_ = 0;
  bool has_wave_ = false;
  bool is_checked_ = false;
  std::shared_ptr<const Library> library_;
  std::vector<std::string> fault_names_;
};

/// Generates, verilates and compiles the RTL of `machine`, unless the cache has it. Two processes may do so at once.
/// Errors: those of `generate`; RTL0010 (Verilator or a compiler is missing), RTL0011 (the build failed; names the
/// log), RTL0012 (the library cannot be loaded), RTL0015 (the cache cannot be written).
Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options);

}  // namespace covenant::rtl
