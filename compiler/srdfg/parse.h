/// Reads the text form that `print` (compiler/srdfg/print.h) writes.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// The graph that `text` describes; `file` names the text in diagnostics. ONX0018 if it is not the text form, ONX0019
/// if the graph it describes is not well formed (see verify.h).
Result<Graph> parse(std::string_view text, std::string_view file = "<string>");

}  // namespace covenant::compiler::srdfg
