/// The VLIW family: cores that issue packets, as the shared pipeline sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/families/optimisations.h"
#include "compiler/families/target.h"

namespace covenant::compiler::vliw {

/// True if the machine issues packets.
bool is_of_family(const acg::Machine& machine);

/// Stages that `emit` can report before `assembly`: virtual (instructions on virtual registers), packets (the same in
/// packets, with loops pipelined; registers are still virtual).
std::vector<std::string> stages();

/// `machine` must outlive it.
std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations);

}  // namespace covenant::compiler::vliw
