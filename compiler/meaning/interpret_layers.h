/// Runs the layers of a network by the codelet interpreter, on tensors that lie as their storages say.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/reference/evaluate.h"

namespace covenant::compiler {

/// Outputs for inputs, by the names of boundaries. What no layer and no host has written is arbitrary, so that a layer
/// that depends on it gives wrong bytes. `declared`: codelets besides those of the library. Precondition: the machine
/// scales in f32, and the host quantises nothing. Errors: those of `packed_codelet` and of the interpreter.
Result<reference::Tensors> interpret_layers(const Network& network, const acg::Machine& machine,
                                            const reference::Tensors& inputs,
                                            const std::vector<codelet::Codelet>& declared = {});

}  // namespace covenant::compiler
