#include "python/_core/common/errors.h"

#include <pybind11/pybind11.h>

#include "acg/base/check.h"
#include "acg/base/failure.h"

namespace covenant::python {
namespace {

namespace py = pybind11;

/// Diagnostics quote what users wrote, which may be no text in UTF-8: such bytes are shown as `\xa0`.
py::str shown(const std::string& bytes) {
  PyObject* made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::object to_python(const Diagnostic& diagnostic) {
  py::tuple allowed(diagnostic.allowed.size());
  for (size_t i = 0; i < diagnostic.allowed.size(); ++i) allowed[i] = shown(diagnostic.allowed[i]);
  using namespace py::literals;  // pybind11's own idiom for keyword arguments
  return py::module_::import("covenant.errors")
      .attr("Diagnostic")("code"_a = diagnostic.code, "message"_a = shown(diagnostic.message),
                          "file"_a = shown(diagnostic.where.file), "line"_a = diagnostic.where.line,
                          "column"_a = diagnostic.where.column, "subject"_a = shown(diagnostic.subject),
                          "offending"_a = shown(diagnostic.offending), "allowed"_a = allowed,
                          "fix"_a = shown(diagnostic.fix));
}

void raise(const char* type, const py::object& argument) {
  const py::object cls = py::module_::import("covenant.errors").attr(type);
  PyErr_SetObject(cls.ptr(), cls(argument).ptr());
}

}  // namespace

void translate_errors() {
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is pybind11's
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const DiagnosticException& error) {
      raise("CovenantError", to_python(error.diagnostic()));
    } catch (const InternalError& error) {
      raise("InternalError", py::str(error.what()));
    } catch (const Failure& gone) {  // it should not have left a public function
      raise("InternalError", shown(render(gone.diagnostic)));
    }
  });
}

}  // namespace covenant::python
