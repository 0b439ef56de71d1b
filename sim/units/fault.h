/// Faults of the machine: what a unit raises when a program asks for what its page forbids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/failure.h"

namespace covenant::sim {

/// Leaves the current command with a Diagnostic; the engine that runs it adds the place (block, engine, word).
/// Never crosses the public functions of this library: `simulate` returns it as a Result.
[[noreturn]] void raise(std::string code, std::string message, std::string offending = {},
                        std::vector<std::string> allowed = {}, std::string fix = {});

/// A Failure of which a device knows more than what to say.
struct PlacedFailure : Failure {
  std::optional<uint32_t> engine{};   ///< whose it is, where that is not who runs
  std::optional<uint64_t> address{};  ///< what off-chip memory does not have
};
[[noreturn]] void raise_of_memory(uint64_t address, std::string code, std::string message, std::string offending,
                                  std::vector<std::string> allowed, std::string fix);

}  // namespace covenant::sim
