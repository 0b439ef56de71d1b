/// Running programs, for Python.
#include <cstring>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/isa/retire_record.h"
#include "compiler/frontend/load_model.h"
#include "compiler/reference/evaluate.h"
#include "python/_core/bind.h"
#include "python/_core/errors.h"
#include "python/_core/numpy_name.h"
#include "runtime/session.h"
#include "sim/stats/statistics.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: pybind11's own idiom for keyword arguments

DType dtype_of(const py::array& array) {
  for (const DTypeInfo& entry : kDTypes) {
    if (array.dtype().is(py::dtype(numpy_name(entry.dtype)))) return entry.dtype;
  }
  fail("an array of an element type that the package should have refused");
}

/// Precondition: contiguous, row-major, native byte order (the package sees to it).
runtime::Tensor to_tensor(const std::string& name, const py::array& array) {
  runtime::Tensor tensor;
  tensor.name = name;
  tensor.dtype = dtype_of(array);
  for (py::ssize_t i = 0; i < array.ndim(); ++i) tensor.shape.push_back(static_cast<uint64_t>(array.shape(i)));
  tensor.bytes.resize(static_cast<size_t>(array.nbytes()));
  if (!tensor.bytes.empty()) std::memcpy(tensor.bytes.data(), array.data(), tensor.bytes.size());
  return tensor;
}

py::array to_array(const runtime::Tensor& tensor) {
  py::array array(py::dtype(numpy_name(tensor.dtype)), tensor.shape);
  check(static_cast<size_t>(array.nbytes()) == tensor.bytes.size(), "a tensor's bytes fill its shape");
  if (!tensor.bytes.empty()) std::memcpy(array.mutable_data(), tensor.bytes.data(), tensor.bytes.size());
  return array;
}

/// uint64[commands, 11]: the columns of covenant.result.RECORD_FIELDS.
py::array_t<uint64_t> to_array(const std::vector<acg::RetireRecord>& records) {
  constexpr size_t kColumns = 11;
  py::array_t<uint64_t> array({records.size(), kColumns});
  uint64_t* out = array.mutable_data();
  for (const acg::RetireRecord& r : records) {
    for (const uint64_t value : {uint64_t{r.block}, uint64_t{r.engine}, uint64_t{r.word_index}, r.sequence,
                                 uint64_t{r.word}, r.issue, r.retire, r.first_port, r.last_port, r.stall, r.digest}) {
      *out++ = value;
    }
  }
  return array;
}

py::dict run(const runtime::Session& session, const py::dict& inputs, bool values, bool trace, bool records) {
  std::vector<runtime::Tensor> tensors;
  for (const auto& [name, array] : inputs) tensors.push_back(to_tensor(py::str(name), py::cast<py::array>(array)));
  runtime::SessionOptions options;
  options.device = {values, records, trace};
  runtime::RunResult result;
  std::string statistics;
  {
    const py::gil_scoped_release released;
    result = value_or_throw(session.run(tensors, options));
    statistics = sim::to_json(result.cost.statistics);
  }
  py::dict outputs;
  for (const runtime::Tensor& tensor : result.outputs) outputs[py::str(tensor.name)] = to_array(tensor);
  return py::dict("outputs"_a = outputs, "cycles"_a = result.cost.cycles, "stats"_a = statistics,
                  "trace"_a = result.cost.trace, "records"_a = to_array(result.cost.records));
}

/// The outputs of a model by the reference operators: no machine, no program.
py::dict evaluate_reference(const std::string& model, const py::dict& inputs) {
  compiler::reference::Tensors given;
  for (const auto& [name, array] : inputs) {
    runtime::Tensor tensor = to_tensor(py::str(name), py::cast<py::array>(array));
    given[tensor.name] = {tensor.dtype, tensor.shape, std::move(tensor.bytes)};
  }
  compiler::reference::Tensors found;
  {
    const py::gil_scoped_release released;
    found = value_or_throw(compiler::reference::evaluate(value_or_throw(compiler::frontend::load_model(model)), given));
  }
  py::dict outputs;
  for (const auto& [name, tensor] : found) {
    outputs[py::str(name)] = to_array(runtime::Tensor{name, tensor.dtype, tensor.shape, tensor.bytes});
  }
  return outputs;
}

}  // namespace

void bind_runtime(py::module_& core) {
  core.def("evaluate_reference", &evaluate_reference, "model"_a, "inputs"_a);
  core.def("backend_names", &runtime::backend_names);
  py::class_<runtime::Session>(core, "Session")
      .def(py::init([](const acg::Program& program, const std::string& backend) {
             return value_or_throw(runtime::Session::open(program, backend));
           }),
           "program"_a, "backend"_a, py::call_guard<py::gil_scoped_release>())
      .def("run", &run, "inputs"_a, "values"_a, "trace"_a, "records"_a);
}

}  // namespace covenant::python
