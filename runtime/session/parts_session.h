/// A program of several parts on a backend: docs/reference/parts.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program_parts.h"
#include "runtime/session/session.h"

namespace covenant::runtime {

/// The run of one part.
struct PartResult {
  std::vector<Tensor> inputs;  ///< that it was given, under the names that it has for them
  RunResult run;
  double seconds = 0;  ///< wall-clock time, which two equal runs do not share
};

struct PartsResult {
  std::vector<Tensor> outputs;  ///< of the whole, in its order
  std::vector<PartResult> parts;
  uint64_t cycles = 0;  ///< the sum over the parts, which ran one after the other; each counts the clock of its machine
  double machine_seconds = 0;  ///< the sum of the times that machines took, at their clocks
};

/// One session for each part, on one backend. A part begins when the one before it is done: nothing overlaps, and
/// moving tensors from machine to machine takes no time.
class PartsSession {
 public:
  /// Errors: those of `check_parts`, and those of Session::open for a part.
  static Result<PartsSession> open(acg::ProgramParts parts, std::string_view backend, const RtlOptions& rtl = {});

  /// One run of all parts in their order, as Session::run. Options are those of each part. Errors: those of
  /// Session::run, whose subject then begins with the part, and RUN0015 (waveforms, which would go to one file).
  Result<PartsResult> run(const std::vector<Tensor>& inputs, const SessionOptions& options = {}) const;

  const acg::ProgramParts& parts() const { return parts_; }

 private:
  PartsSession(acg::ProgramParts parts, std::vector<Session> sessions)
      : parts_(std::move(parts)), sessions_(std::move(sessions)) {}

  /// By part, the inputs that the whole gives it. Precondition: check_inputs.
  std::vector<std::vector<Tensor>> given(const std::vector<Tensor>& inputs) const;

  acg::ProgramParts parts_;
  std::vector<Session> sessions_;
};

}  // namespace covenant::runtime
