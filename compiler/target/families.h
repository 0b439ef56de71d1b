/// The families of machines that there are compilers for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/optimisations.h"
#include "compiler/target/target.h"

namespace covenant::compiler {

/// The family of `machine`, which must outlive it. A machine that issues no packets is one of streams, whose
/// `check_supported` says what is missing.
std::unique_ptr<Target> target_for(const acg::Machine& machine, const Optimisations& optimisations = {});

/// Stages that families have after those that all share: of each its own, then `assembly`, which all have.
std::vector<std::string> target_stages();

}  // namespace covenant::compiler
