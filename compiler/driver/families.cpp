#include "compiler/driver/families.h"

#include "acg/base/check.h"
#include "compiler/families/stream/stream.h"
#include "compiler/families/vliw/target.h"

namespace covenant::compiler {

std::unique_ptr<Target> target_for(const acg::Machine& machine, const Optimisations& optimisations) {
  return vliw::is_of_family(machine) ? vliw::make_target(machine, optimisations)
                                     : stream::make_target(machine, optimisations);
}

const TiledTarget& tiled_target(const Target& target) {
  const TiledTarget* tiled = target.tiled();
  check(tiled != nullptr, "a family that has no layers refuses networks, schedules and explanations itself");
  return *tiled;
}

std::vector<std::string> target_stages() {
  std::vector<std::string> names;
  for (const std::vector<std::string>& of_family : {stream::stages(), vliw::stages()}) {
    names.insert(names.end(), of_family.begin(), of_family.end());
  }
  names.emplace_back("assembly");
  return names;
}

}  // namespace covenant::compiler
