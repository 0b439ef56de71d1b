/// A family of machines as a row of a table: which machines belong to it, and the target that compiles for them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/optimisations.h"
#include "compiler/families/target.h"

namespace covenant::compiler {

struct Family {
  std::string_view name;
  bool (*owns)(const acg::Machine& machine);
  /// `machine` must outlive the target.
  std::unique_ptr<Target> (*target)(const acg::Machine& machine, const Optimisations& optimisations);
  /// The stages of its own, before `assembly`, which all families have.
  std::vector<std::string> (*stages)();
};

}  // namespace covenant::compiler
