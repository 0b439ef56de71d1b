/// Faults of the machine: what a unit raises when a program asks for what its page forbids.
#pragma once

#include <string>
#include <vector>

#include "acg/base/failure.h"

namespace covenant::sim {

/// Leaves the current command with a Diagnostic; the engine that runs it adds the place (block, engine, word).
/// Never crosses the public functions of this library: `simulate` returns it as a Result.
[[noreturn]] void raise(std::string code, std::string message, std::string offending = {},
                        std::vector<std::string> allowed = {}, std::string fix = {});

}  // namespace covenant::sim
