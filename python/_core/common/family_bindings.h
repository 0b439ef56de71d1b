/// Bindings for one family of machines: a folder beside this one and a row of `python/_core/families.cpp`.
#pragma once

#include <pybind11/pybind11.h>

#include "sim/run/family_result.h"

namespace covenant::python {

struct FamilyBindings {
  /// Adds the functions of the family to the module.
  void (*bind)(pybind11::module_& core);
  /// Adds to the dictionary of a run the results that only programs of the family have: all of its keys, empty ones if
  /// `own` is null or of another family. Null: nothing.
  void (*add_result)(pybind11::dict& run, const sim::FamilyResult* own) = nullptr;
};

}  // namespace covenant::python
