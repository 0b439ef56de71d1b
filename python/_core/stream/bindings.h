/// The row of stream machines.
#pragma once

#include "python/_core/common/family_bindings.h"

namespace covenant::python {

extern const FamilyBindings kStreamBindings;

}  // namespace covenant::python
