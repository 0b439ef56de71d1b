#include "compiler/target/families.h"

#include "compiler/target/stream/stream.h"
#include "compiler/target/vliw/target.h"

namespace covenant::compiler {

std::unique_ptr<Target> target_for(const acg::Machine& machine) {
  return vliw::is_of_family(machine) ? vliw::make_target(machine) : stream::make_target(machine);
}

std::vector<std::string> target_stages() { return stream::stages(); }

}  // namespace covenant::compiler
