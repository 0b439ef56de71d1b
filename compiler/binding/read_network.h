/// Reads a network that was written as text: the text form, and what every layer of a network must hold.
#pragma once

#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The network that `text` describes, for `machine`, complete and verified; `file` names the text in messages.
/// `declared`: codelets besides those of the library. Errors: those of `parse_network` and `verify_layers`.
Result<Network> read_network(std::string_view text, std::string_view file, const acg::Machine& machine,
                             const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
