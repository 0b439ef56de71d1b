/// Python bindings of executable files.
#pragma once

#include <pybind11/pybind11.h>

namespace covenant::python {

void bind_executables(pybind11::module_& core);

}  // namespace covenant::python
