/// Python bindings of programs of several parts.
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "acg/program/parts_file.h"
#include "acg/program/program_parts.h"
#include "compiler/driver/compile_parts.h"
#include "python/_core/bind.h"
#include "python/_core/common/arrays.h"
#include "python/_core/common/callback.h"
#include "python/_core/common/compile_options.h"
#include "python/_core/common/errors.h"
#include "python/_core/common/file_bindings.h"
#include "python/_core/common/tensor_object.h"
#include "python/_core/run_object.h"
#include "runtime/session/parts_session.h"
#include "runtime/session/state.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

py::list links_of(const acg::ProgramParts& parts) {
  py::list list;
  for (const auto& [output, input] : parts.links) {
    list.append(py::make_tuple(output.part, output.tensor, input.part, input.tensor));
  }
  return list;
}

py::list parts_of(const acg::ProgramParts& parts) {
  py::list list;
  for (const acg::Part& part : parts.parts) list.append(py::make_tuple(part.name, part.program));
  return list;
}

/// The results of each part's layers.
using Results = std::vector<std::vector<acg::BlockResult>>;

std::pair<acg::ProgramParts, Results> compile_parts(const std::string& model, const acg::Machine& machine,
                                                    const std::vector<std::pair<std::string, acg::Machine>>& parts,
                                                    const std::string& library, const std::vector<std::string>& without,
                                                    bool fusion, const std::string& content, size_t threads,
                                                    const std::vector<std::pair<std::string, std::string>>& state) {
  compiler::CompileOptions options = options_of(library, "", "", without, fusion, content);
  options.threads = threads;
  for (const auto& [output, input] : state) options.state.push_back({output, input});
  Results results;
  options.after_emission = [&](const std::vector<acg::BlockResult>& made) { results.push_back(made); };
  std::vector<compiler::Cut> cuts;
  for (const auto& [after, target] : parts) cuts.push_back({after, target});
  acg::ProgramParts made = value_or_throw(compiler::compile_parts(model, machine, cuts, options));
  return {std::move(made), std::move(results)};
}

runtime::PartsSession open_parts(const acg::ProgramParts& parts, const std::string& backend, const py::dict& rtl) {
  const BuildTelling telling(rtl);
  std::optional<Result<runtime::PartsSession>> session;
  {
    const runtime::RtlOptions options = telling.options();
    const py::gil_scoped_release released;
    session.emplace(runtime::PartsSession::open(parts, backend, options));
  }
  telling.rethrow();
  return value_or_throw(*std::move(session));
}

py::dict run_parts(const runtime::PartsSession& session, const py::dict& inputs, bool values, bool trace, bool records,
                   const std::string& memory) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const Callback interruptible(py::none{});
  runtime::SessionOptions options;
  options.device.values = values;
  options.device.trace = trace;
  options.device.records = records;
  options.device.memory = memory;
  options.device.progress = [&](uint64_t) { return interruptible(); };
  Result<runtime::PartsResult> done = runtime::PartsResult{};
  {
    const py::gil_scoped_release released;
    done = session.run(tensors, options);
  }
  interruptible.rethrow();
  runtime::PartsResult result = value_or_throw(std::move(done));
  py::list parts;
  for (runtime::PartResult& part : result.parts) {
    py::dict one = run_object(std::move(part.run));
    one["seconds"] = part.seconds;
    parts.append(py::make_tuple(to_arrays(part.inputs), one));
  }
  return py::dict("outputs"_a = to_arrays(result.outputs), "cycles"_a = result.cycles,
                  "machine_seconds"_a = result.machine_seconds, "parts"_a = parts);
}

}  // namespace

void bind_parts(py::module_& core) {
  py::class_<acg::ProgramParts> bound(core, "ProgramParts");
  bound.def_readonly("model", &acg::ProgramParts::model)
      .def_property_readonly("parts", &parts_of)
      .def_property_readonly("links", &links_of)
      .def_property_readonly("inputs",
                             [](const acg::ProgramParts& parts) { return tensor_objects(acg::inputs_of(parts)); })
      .def_property_readonly("outputs",
                             [](const acg::ProgramParts& parts) { return tensor_objects(acg::outputs_of(parts)); });
  bind_file(bound, &acg::write_parts);
  core.def("is_parts_file", [](const std::string& data) { return acg::is_parts_file(bytes_of(data)); }, "data"_a);
  core.def(
      "read_parts",
      [](const std::string& data, const std::string& file_name) {
        return value_or_throw(acg::read_parts(bytes_of(data), file_name));
      },
      "data"_a, "file_name"_a, py::call_guard<py::gil_scoped_release>());
  core.def("compile_parts", &compile_parts, "model"_a, "machine"_a, "parts"_a, "library"_a = "",
           "without"_a = std::vector<std::string>{}, "fusion"_a = true, "content"_a = "", "threads"_a = 0,
           "state"_a = std::vector<std::pair<std::string, std::string>>{}, py::call_guard<py::gil_scoped_release>());
  py::class_<runtime::PartsSession>(core, "PartsSession")
      .def(py::init(&open_parts), "parts"_a, "backend"_a, "rtl"_a)
      .def("run", &run_parts, "inputs"_a, "values"_a, "trace"_a, "records"_a, "memory"_a)
      .def("initial_state", [](const runtime::PartsSession& session) {
        py::dict state;
        const acg::ProgramParts& parts = session.parts();
        for (const runtime::Tensor& tensor : runtime::initial_state(acg::inputs_of(parts), parts.state)) {
          state[py::str(tensor.name)] = to_array(tensor);
        }
        return state;
      });
}

}  // namespace covenant::python
