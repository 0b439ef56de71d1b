/// The RTL of a systolic array (docs/reference/units/systolic_array.md): covenant_systolic_array, with the weights that
/// it multiplies inside, and its claims on the memories of its roles.
#pragma once

#include <memory>

#include "rtl/gen/common/unit_row.h"

namespace covenant::rtl {

std::unique_ptr<Unit> make_systolic_array(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
PackagePart systolic_array_package(const Plan& plan);

}  // namespace covenant::rtl
