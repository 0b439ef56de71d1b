/// Parses the text form that `print` (compiler/network/print.h) writes.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// True if the text is that of a network: it can then be compiled in place of a model.
bool is_network_text(std::string_view text);

/// The network that `text` describes, for `machine`, with the views of its layers; `file` names the text in messages.
/// Errors: NET0001 (not the text form), and those of `verify_storages` and `verify_forms`.
Result<Network> parse_network(std::string_view text, std::string_view file, const acg::Machine& machine);

}  // namespace covenant::compiler
