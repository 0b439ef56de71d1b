/// Turns scheduled layers into a program of packets.
#pragma once

#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/packetize.h"
#include "compiler/network/network.h"
#include "compiler/network/stage_text.h"

namespace covenant::compiler::vliw {

/// Precondition: `tiled[i]` is the codelet of `network.layers[i]` after the last pass. The program's code is a function
/// that executes one layer after the other (acg/program/packet_program.h). Reports the stages `virtual` and `packets`.
/// Errors: those of `lowered`, `allocated` and `assemble`, about the layer.
Staged<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& tiled,
                                  const acg::Machine& machine, const std::string& model, const PacketOptions& options,
                                  const StageReport& report);

}  // namespace covenant::compiler::vliw
