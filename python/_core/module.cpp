#include <pybind11/pybind11.h>

#include "python/_core/bind.h"
#include "python/_core/common/errors.h"
#include "python/_core/families.h"

PYBIND11_MODULE(_core, core) {
  core.doc() = "C++ core of covenant; use the package, not this module.";
  core.attr("version") = COVENANT_VERSION;
  covenant::python::translate_errors();
  covenant::python::bind_acg(core);
  covenant::python::bind_commands(core);
  covenant::python::bind_compiler(core);
  covenant::python::bind_device(core);
  covenant::python::bind_embedding(core);
  covenant::python::bind_explain(core);
  covenant::python::bind_families(core);
  covenant::python::bind_match(core);
  covenant::python::bind_parts(core);
  covenant::python::bind_runtime(core);
  covenant::python::bind_rtl(core);
  covenant::python::bind_searches(core);
  covenant::python::bind_values(core);
}
