/// Faults of the machine, raised by a unit if a program violates the rules on its page.
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

/// A Failure with the place of the fault, for devices.
struct PlacedFailure : Failure {
  std::optional<uint32_t> engine{};   ///< engine that caused it, if it is not the running one
  std::optional<uint64_t> address{};  ///< address that off-chip memory does not have
};
[[noreturn]] void raise_of_memory(uint64_t address, std::string code, std::string message, std::string offending,
                                  std::vector<std::string> allowed, std::string fix);

}  // namespace covenant::sim
