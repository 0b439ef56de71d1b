/// The family of cores that issue packets, as the shared pipeline sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/optimisations.h"
#include "compiler/target/target.h"

namespace covenant::compiler::vliw {

/// Does the machine issue packets?
bool is_of_family(const acg::Machine& machine);

/// What `emit` reports before `assembly`: virtual (instructions on virtual registers), packets (the same in packets,
/// loops pipelined; registers are virtual still).
std::vector<std::string> stages();

/// `machine` must outlive it.
std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations = {});

}  // namespace covenant::compiler::vliw
