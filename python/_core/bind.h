/// The functions by which each binding file adds to the module covenant._core.
#pragma once

#include <pybind11/pybind11.h>

namespace covenant::python {

void bind_acg(pybind11::module_& core);        ///< machines and programs
void bind_commands(pybind11::module_& core);   ///< machines that are driven by commands
void bind_compiler(pybind11::module_& core);   ///< compile, emit
void bind_device(pybind11::module_& core);     ///< devices with registers
void bind_embedding(pybind11::module_& core);  ///< embeddings of layers into instructions
void bind_explain(pybind11::module_& core);    ///< why layers are scheduled as they are
void bind_match(pybind11::module_& core);      ///< flexible matching
void bind_parts(pybind11::module_& core);      ///< programs of several parts
void bind_runtime(pybind11::module_& core);    ///< run
void bind_rtl(pybind11::module_& core);        ///< Verilated models, lock step, mixed fidelity
void bind_searches(pybind11::module_& core);   ///< search effort of the scalar solver
void bind_values(pybind11::module_& core);     ///< values of many images at once

}  // namespace covenant::python
