/// The row of VLIW machines.
#pragma once

#include "python/_core/common/family_bindings.h"

namespace covenant::python {

extern const FamilyBindings kVliwBindings;

}  // namespace covenant::python
