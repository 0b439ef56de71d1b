/// The family of cores that issue packets, as the shared pipeline sees it.
#pragma once

#include <memory>

#include "compiler/target/target.h"

namespace covenant::compiler::vliw {

/// Does the machine issue packets?
bool is_of_family(const acg::Machine& machine);

/// `machine` must outlive it.
std::unique_ptr<Target> make_target(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
