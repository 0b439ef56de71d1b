/// Functions and number formats of machines that commands drive, for Python.
#pragma once

#include <cstdint>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>

#include "acg/behaviour/behaviour.h"

namespace covenant::python {

using Numbers = pybind11::array_t<int64_t, pybind11::array::c_style | pybind11::array::forcecast>;

/// Results of a function, a row for each row of arguments. Errors: those of Functions::call.
pybind11::array_t<int64_t> call_function(const acg::behaviour::Behaviour& behaviour, const std::string& name,
                                         const Numbers& rows);
/// `name`, `arguments` with their types, `unit`, and `number`, the type of what is encoded.
pybind11::list describe_formats(const acg::behaviour::Behaviour& behaviour);

}  // namespace covenant::python
