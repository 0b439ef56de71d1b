/// The stream family: decoupled access/execute machines (Smith, ISCA 1982), whose engines run streams of words of their
/// own, in order, and synchronise by tokens of scratchpads (GeneSys, DNNWeaver; docs/reference/units/control.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/optimisations.h"
#include "compiler/families/target.h"

namespace covenant::compiler::stream {

/// True for all machines that issue no packets, whatever they lack.
bool is_of_family(const acg::Machine& machine);

/// `machine` must outlive the target. The family has none of the optimisations that can be disabled.
std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations);

/// Stages that `emit` can report before `assembly` (words): buffered (locals have channels and offsets).
std::vector<std::string> stages();

}  // namespace covenant::compiler::stream
