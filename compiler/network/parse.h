/// Parses the text form that `print` (compiler/network/print.h) writes.
#pragma once

#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// True if the text is that of a network: it can then be compiled in place of a model.
bool is_network_text(std::string_view text);

/// The network that `text` describes, for `machine`; `file` names the text in messages. `declared`: codelets besides
/// those of the library. Errors: NET0001 (not the text form), NET0002 to NET0006 (see `verify_network`).
Result<Network> parse_network(std::string_view text, std::string_view file, const acg::Machine& machine,
                              const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
