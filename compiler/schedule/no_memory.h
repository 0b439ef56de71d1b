/// The refusal of an operand for which a node has no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "acg/base/diagnostic.h"
#include "acg/graph/graph.h"

namespace covenant::compiler {

/// The diagnostic CDL0052, without its place: no memory beside `node` holds the operand `tensor` of `capability`, of
/// which it takes `bytes_at_once`. `position`: that of the operand; nothing for the result.
Diagnostic no_memory(const acg::Machine& machine, acg::ComputeId node, std::optional<size_t> position,
                     const std::string& capability, const std::string& tensor, uint64_t bytes_at_once);

}  // namespace covenant::compiler
