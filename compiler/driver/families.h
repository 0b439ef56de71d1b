/// The table of machine families that the compiler supports.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/families/family.h"
#include "compiler/families/optimisations.h"
#include "compiler/families/target.h"
#include "compiler/tiled/tiled_target.h"

namespace covenant::compiler {

/// A machine belongs to the first family of a table that owns it.
using Families = std::span<const Family>;

/// All families. Each machine is owned by one; what that one lacks for it, its `check_supported` reports.
Families known_families();

/// The family of a machine, and its compiler for it.
struct FamilyTarget {
  const Family& family;
  std::unique_ptr<Target> target;

  const Target* operator->() const { return target.get(); }
};

/// Precondition: a family owns the machine, which must outlive the result.
FamilyTarget target_for(const acg::Machine& machine, const Optimisations& optimisations = {},
                        Families families = known_families());

/// The target as one of tiled codelets, for `asked`: "an explanation of a layer". Error: GEN0031 (the family has no
/// layers).
Result<const TiledTarget*> tiled_target(const FamilyTarget& target, std::string_view asked);

/// Stages that families add after the shared ones: each family's own, then `assembly`, which all have.
std::vector<std::string> target_stages(Families families = known_families());

}  // namespace covenant::compiler
