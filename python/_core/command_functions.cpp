#include "python/_core/command_functions.h"

#include <algorithm>
#include <iterator>
#include <pybind11/pybind11.h>
#include <vector>

#include "acg/base/failure.h"
#include "acg/behaviour/functions.h"
#include "python/_core/common/errors.h"

namespace covenant::python {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using acg::behaviour::Behaviour;

namespace {

/// Rows after which to check whether Python wants the call to end.
constexpr py::ssize_t kRowsBetweenChecks = 64;

}  // namespace

py::array_t<int64_t> call_function(const Behaviour& behaviour, const std::string& name, const Numbers& rows) {
  acg::behaviour::Functions functions(behaviour);
  const auto results = value_or_throw(guarded<std::vector<int64_t>>([&] {
    const acg::behaviour::Function& function = functions.find(name);
    std::vector<int64_t> all;
    for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
      if (i % kRowsBetweenChecks == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
      const int64_t* row = rows.data(i, 0);
      const std::vector<int64_t> one = functions.call(function, {row, row + rows.shape(1)});
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }));
  const py::ssize_t width = rows.shape(0) == 0 ? 0 : std::ssize(results) / rows.shape(0);
  py::array_t<int64_t> made(std::vector<py::ssize_t>{rows.shape(0), width});
  std::copy(results.begin(), results.end(), made.mutable_data());
  return made;
}

py::list describe_formats(const Behaviour& behaviour) {
  py::list formats;
  for (const acg::behaviour::Format& format : behaviour.formats) {
    py::list arguments;
    for (const acg::behaviour::Variable& one : format.arguments) {
      arguments.append(py::make_tuple(one.name, text_of(one.type)));
    }
    const acg::behaviour::Function& encode = behaviour.functions[format.encode];
    formats.append(py::dict("name"_a = format.name, "arguments"_a = arguments, "unit"_a = format.unit,
                            "number"_a = text_of(encode.arguments.front().type)));
  }
  return formats;
}

}  // namespace covenant::python
