/// The compiler for Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>

#include "compiler/pipeline.h"
#include "python/_core/bind.h"
#include "python/_core/errors.h"

namespace covenant::python {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: pybind11's own idiom for keyword arguments

void bind_compiler(py::module_& core) {
  core.def(
      "compile",
      [](const std::string& model, const acg::Machine& machine) {
        return value_or_throw(compiler::compile(model, machine));
      },
      "model"_a, "machine"_a, py::call_guard<py::gil_scoped_release>());
  core.def(
      "emit",
      [](const std::string& model, const acg::Machine& machine, const std::string& pass) {
        return value_or_throw(compiler::emit(model, machine, pass));
      },
      "model"_a, "machine"_a, "after"_a, py::call_guard<py::gil_scoped_release>());
  core.def("pass_names", &compiler::pass_names);
}

}  // namespace covenant::python
