/// The table of families that have bindings of their own.
#pragma once

#include <pybind11/pybind11.h>

#include "sim/run/family_result.h"

namespace covenant::python {

/// Adds the functions of all families to the module.
void bind_families(pybind11::module_& core);
/// Adds the keys of all families to the dictionary of a run, with what `own` has; it may be null.
void add_family_results(pybind11::dict& run, const sim::FamilyResult* own);

}  // namespace covenant::python
