#include "compiler/target/families.h"

#include "compiler/target/stream/stream.h"

namespace covenant::compiler {

std::unique_ptr<Target> target_for(const acg::Machine& machine) { return stream::make_target(machine); }

std::vector<std::string> target_stages() { return stream::stages(); }

}  // namespace covenant::compiler
