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
#include "acg/isa/program.h"
#include "acg/isa/retire_record.h"

namespace covenant::rtl {

struct BuildOptions {
  std::filesystem::path cache;  ///< folder for built models, one sub-folder for each, named by the hash of its sources
  bool wave = false;            ///< able to write FST waveforms (slower)
  bool quick = false;           ///< built in a third of the time, runs at half the speed
  uint32_t jobs = 2;            ///< compilers at a time
  std::function<void(const std::string& line)> progress = {};  ///< told what is being done
};

struct RunOptions {
  bool records = false;  ///< keep a retire record of every command
  bool digests = true;   ///< of what it wrote
  uint64_t max_cycles = 10'000'000'000;
  std::filesystem::path wave = {};  ///< file for waveforms; needs a model built with `wave`
};

struct RunResult {
  uint64_t cycles = 0;                     ///< cycle in which the last block is done
  std::vector<acg::RetireRecord> records;  ///< by block, then engine (the fetch unit last), then order of execution
};

/// A Verilated model, loaded. Movable; runs may follow one another, each starts from reset.
class Model {
 public:
  /// Runs `program` in `memory`, the off-chip image (segments in place, inputs written). The machine of the program
  /// must be the one that the model was built of. Errors: RTL0013 (the RTL says that the program is wrong), RTL0014 (it
  /// does not come to an end in time); `memory` is then partly written.
  Result<RunResult> run(const acg::Program& program, std::vector<uint8_t>& memory,
                        const RunOptions& options = {}) const;

  const std::filesystem::path& folder() const { return folder_; }  ///< sources, library, log of the build
  double build_seconds() const { return build_seconds_; }          ///< 0 if it was in the cache
  /// Holds the loaded library.
  struct Library;

 private:
  friend Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options);
  std::filesystem::path folder_;
  double build_seconds_ = 0;
  std::shared_ptr<const Library> library_;
  std::vector<std::string> fault_names_;
};

/// Generates, verilates and compiles the RTL of `machine`, unless the cache has it. Two processes may do so at once.
/// Errors: those of `generate`; RTL0010 (Verilator or a compiler is missing), RTL0011 (the build failed; names the
/// log), RTL0012 (the library cannot be loaded).
Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options);

}  // namespace covenant::rtl
