/// Verifies generated code on its instructions alone, independently of how they were generated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "acg/graph/graph.h"
#include "compiler/families/stream/block.h"

namespace covenant::compiler::stream {

/// Runs all engines of a block side by side, without values or time, and returns the first problem, if any:
/// - a channel with two posters or waiters of one token, more tokens than buffers, tokens missing at the end, engines
///   that wait for each other;
/// - two commands of different engines that touch a common byte, one of them writing, without tokens that order them
///   (each command counts as everything between its lowest and highest address);
/// - an address past the end of a buffer, or of the first `memory_bytes` of an off-chip memory;
/// - loops that do not nest.
///
/// Cost: proportional to the number of commands that the block executes.
std::optional<std::string> find_problem(const BlockCode& code, const acg::Machine& machine,
                                        const std::function<uint64_t(acg::MemoryId)>& memory_bytes);

}  // namespace covenant::compiler::stream
