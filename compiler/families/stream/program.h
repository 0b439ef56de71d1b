/// Turns scheduled layers into a program: memory map, constants, words, bindings.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/network/staged.h"

namespace covenant::compiler::stream {

/// Precondition: `scheduled[i]` is the codelet of `network.layers[i]` after the last pass. Every block is verified
/// (verify.h) before it is encoded. Errors: those of block.h and encode.h, and of `assemble`.
Staged<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                  const acg::Machine& machine, const std::string& model);

}  // namespace covenant::compiler::stream
