/// The table of machine families that the compiler supports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/optimisations.h"
#include "compiler/families/target.h"
#include "compiler/tiled/tiled_target.h"

namespace covenant::compiler {

/// The target of the family that `machine` belongs to; `machine` must outlive it. A machine that issues no packets
/// belongs to the stream family, whose `check_supported` reports what is missing.
std::unique_ptr<Target> target_for(const acg::Machine& machine, const Optimisations& optimisations = {});

/// The target as one of tiled codelets, which all families here are so far. InternalError otherwise.
const TiledTarget& tiled_target(const Target& target);

/// Stages that families add after the shared ones: each family's own, then `assembly`, which all have.
std::vector<std::string> target_stages();

}  // namespace covenant::compiler
