#include "compiler/driver/families.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "compiler/families/stream/stream.h"
#include "compiler/families/vliw/target.h"

namespace covenant::compiler {

Families known_families() {
  static constexpr std::array kFamilies{
      Family{"stream", stream::is_of_family, stream::make_target, stream::stages},
      Family{"vliw", vliw::is_of_family, vliw::make_target, vliw::stages},
  };
  return kFamilies;
}

FamilyTarget target_for(const acg::Machine& machine, const Optimisations& optimisations, Families families) {
  const auto found = std::ranges::find_if(families, [&](const Family& family) { return family.owns(machine); });
  check(found != families.end(), "every machine belongs to a family");
  return {*found, found->target(machine, optimisations)};
}

Result<const TiledTarget*> tiled_target(const FamilyTarget& target, std::string_view asked) {
  if (const TiledTarget* tiled = target->tiled()) return tiled;
  std::vector<std::string> stages{"normalized"};
  for (std::string& stage : target.family.stages()) stages.push_back(std::move(stage));
  stages.emplace_back("assembly");
  return Diagnostic{.code = "GEN0031",
                    .where = {},
                    .subject = std::string(target.family.name),
                    .message = "machines of this family take a graph as a whole: it is not compiled layer by layer",
                    .offending = std::string(asked),
                    .allowed = std::move(stages),
                    .fix = "compile the model, and look at the stages of this family"};
}

std::vector<std::string> target_stages(Families families) {
  std::vector<std::string> names;
  for (const Family& family : families) {
    for (std::string& stage : family.stages()) names.push_back(std::move(stage));
  }
  names.emplace_back("assembly");
  return names;
}

}  // namespace covenant::compiler
