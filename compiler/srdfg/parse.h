/// Parses the text form that `print` (compiler/srdfg/print.h) writes.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// The graph that `text` describes; `file` names the text in diagnostics. Errors: ONX0018 (not the text form), ONX0019
/// (the graph is not well formed, see verify.h).
Result<Graph> parse(std::string_view text, std::string_view file = "<string>");

}  // namespace covenant::compiler::srdfg
