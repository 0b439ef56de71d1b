/// Runs a program once; for many runs open a Session (runtime/session/session.h).
#pragma once

#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace covenant::runtime {

struct RunOptions {
  std::string backend = "systemc";
  bool values = true;
  bool records = false;
  bool trace = false;
};

/// Fails as Session::open and Session::run.
Result<RunResult> run(const acg::Program& program, const std::vector<Tensor>& inputs, const RunOptions& options = {});

}  // namespace covenant::runtime
