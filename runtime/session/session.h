/// A program on a backend, loaded once, run on any number of inputs.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "runtime/session/device.h"
#include "runtime/session/rtl_options.h"
#include "runtime/session/tensor.h"
#include "sim/run/byte_bounds.h"

namespace covenant::runtime {

struct RunResult {
  std::vector<Tensor> outputs;  ///< in the order of the program's outputs
  DeviceResult cost;
  std::vector<uint8_t> memory;  ///< the off-chip image after the run, if requested and if the run computed values
};

/// Results of several runs at once.
struct RunTogetherResult {
  std::vector<std::vector<Tensor>> outputs;  ///< outputs of each run, as in RunResult
  TogetherResult cost;
};

struct SessionOptions {
  DeviceOptions device;
  bool memory = false;  ///< keep the off-chip image
};

class Session {
 public:
  /// Errors: those of make_device, and RUN0007 if the program's segments are not within its memory.
  static Result<Session> open(acg::Program program, std::string_view backend, const RtlOptions& rtl = {});

  /// One run from a fresh memory image; runs do not see each other. Inputs in any order.
  /// Fails as `write_inputs` does, and with the codes of the backend.
  Result<RunResult> run(const std::vector<Tensor>& inputs, const SessionOptions& options = {}) const;

  /// One run for each of `inputs`, at least one, all at once, each on a hardware context of its own; they affect only
  /// each other's timing. Errors: those of `run`, RUN0009 on a backend without contexts, and SIM0087.
  Result<RunTogetherResult> run_together(const std::vector<std::vector<Tensor>>& inputs,
                                         const DeviceOptions& options = {}) const;

  /// The contents of each of `results` when its block is done, in order, from one run block by block, since a later
  /// block may overwrite them. If `expected` has a tensor for one of them (of its dtype and shape), later blocks read
  /// that instead; it may be empty. Errors: those of `run`.
  Result<std::vector<Tensor>> run_blocks(const std::vector<Tensor>& inputs,
                                         const std::vector<acg::BlockResult>& results,
                                         const std::vector<std::optional<Tensor>>& expected = {}) const;

  const acg::Program& program() const { return *program_; }

 private:
  Session(std::unique_ptr<acg::Program> program, std::unique_ptr<Device> device, std::vector<uint8_t> image,
          std::string_view backend, RtlOptions rtl)
      : program_(std::move(program)),
        device_(std::move(device)),
        image_(std::move(image)),
        backend_(backend),
        rtl_(std::move(rtl)) {
    rtl_.progress = {};  // the caller's object may be gone by then
  }

  /// An off-chip memory as it is before a run: that of a run before, if one is kept, or a copy.
  std::vector<uint8_t> fresh_memory() const;
  /// Keeps the memory of a run, put right where it has been written: most of it are constants.
  void keep(std::vector<uint8_t> memory, const sim::ByteBounds& written) const;

  struct Spare {
    std::mutex mutex;
    std::vector<uint8_t> memory;
  };

  std::unique_ptr<acg::Program> program_;  // has a fixed address: the device refers to it
  std::unique_ptr<Device> device_;
  std::vector<uint8_t> image_;  ///< off-chip memory before a run: segments in place
  std::unique_ptr<Spare> spare_ = std::make_unique<Spare>();
  std::string backend_;
  RtlOptions rtl_;  ///< how its Verilated model was built
};

}  // namespace covenant::runtime
