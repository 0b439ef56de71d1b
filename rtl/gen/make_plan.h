/// Makes the plan of a machine's RTL.
#pragma once

#include "acg/base/result.h"
#include "rtl/gen/common/plan.h"

namespace covenant::rtl {

/// Keeps pointers into `machine`, which must outlive the plan. Errors: RTL0002 .. RTL0009, RTL0017.
Result<Plan> make_plan(const acg::Machine& machine);

}  // namespace covenant::rtl
