/// A program on a backend, loaded once, run on any number of inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/program.h"
#include "runtime/device.h"
#include "runtime/rtl_options.h"
#include "runtime/tensor.h"

namespace covenant::runtime {

struct RunResult {
  std::vector<Tensor> outputs;  ///< in the order of the program's outputs
  DeviceResult cost;
  std::vector<uint8_t> memory;  ///< the off-chip image after the run, if asked for and if it had values
};

/// Of several runs at once.
struct RunTogetherResult {
  std::vector<std::vector<Tensor>> outputs;  ///< of each run, as in RunResult
  TogetherResult cost;
};

struct SessionOptions {
  DeviceOptions device;
  bool memory = false;  ///< keep the off-chip image
};

class Session {
 public:
  /// Fails as make_device does, and RUN0007 if the program's segments do not lie within its memory.
  static Result<Session> open(acg::Program program, std::string_view backend, const RtlOptions& rtl = {});

  /// One run from a fresh memory image; runs do not see each other. Inputs in any order.
  /// Fails as `write_inputs` does, and with the codes of the backend.
  Result<RunResult> run(const std::vector<Tensor>& inputs, const SessionOptions& options = {}) const;

  /// A run for each of `inputs` at once, each on a hardware context of its own; they see nothing of each other but
  /// time. At least one. Fails as `run`, with RUN0009 on a backend without contexts, and with SIM0087.
  Result<RunTogetherResult> run_together(const std::vector<std::vector<Tensor>>& inputs,
                                         const DeviceOptions& options = {}) const;

  /// What lies in each of `results` when its block is done, in their order: the same run, block by block. A block that
  /// comes later may write where it lay. Where `expected` has a tensor for one of them (of its dtype and shape), the
  /// blocks that come later read that in its place; empty: nowhere. Fails as `run`.
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
    rtl_.progress = {};  // what it tells may be gone by then
  }

  std::unique_ptr<acg::Program> program_;  // has a fixed address: the device refers to it
  std::unique_ptr<Device> device_;
  std::vector<uint8_t> image_;  ///< off-chip memory before a run: segments in place
  std::string backend_;
  RtlOptions rtl_;  ///< how its Verilated model was built
};

}  // namespace covenant::runtime
