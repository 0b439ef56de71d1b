/// Finds out how a machine that ought to be refused is treated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"

namespace covenant::runtime {

/// Networks of one or two layers, which together take what every machine of the GeneSys family must have: a
/// convolution, a matrix product, a sum of two tensors, a pool of each kind; a table where the machine's elements are
/// narrow enough for one.
std::vector<compiler::srdfg::Graph> probe_networks(const acg::Machine& machine);

/// kRead, kCompiled: refused when it was read, or when a probe network was compiled for it. kAccepted: every probe
/// network compiles. kInternal: the project has a bug.
enum class Fate : uint8_t { kRead, kCompiled, kAccepted, kInternal };
const char* name(Fate fate);

struct Refusal {
  Fate fate = Fate::kAccepted;
  std::string code;     ///< code of the diagnostic
  std::string message;  ///< for people; for an internal error, its text
};

/// Reads the machine `text` (JSON if it begins with a brace) and compiles the probe networks for it, up to the first
/// that is refused. Nothing is run.
Refusal refusal_of(const std::string& text);

}  // namespace covenant::runtime
