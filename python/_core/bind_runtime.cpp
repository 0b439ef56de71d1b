/// Python bindings for running programs.
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "compiler/layers/accumulators.h"
#include "compiler/reference/evaluate.h"
#include "offchip/make_model.h"
#include "offchip/parameters.h"
#include "python/_core/bind.h"
#include "python/_core/common/arrays.h"
#include "python/_core/common/callback.h"
#include "python/_core/common/errors.h"
#include "python/_core/common/events.h"
#include "python/_core/common/requantization_name.h"
#include "python/_core/families.h"
#include "python/_core/run_object.h"
#include "runtime/session/session.h"
#include "runtime/session/state.h"
#include "sim/stats/statistics.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

runtime::Session open_session(const acg::Program& program, const std::string& backend, const py::dict& rtl) {
  const BuildTelling telling(rtl);
  std::optional<Result<runtime::Session>> session;
  {
    const runtime::RtlOptions options = telling.options();
    const py::gil_scoped_release released;
    session.emplace(runtime::Session::open(program, backend, options));
  }
  telling.rethrow();
  return value_or_throw(*std::move(session));
}

py::dict run(const runtime::Session& session, const py::dict& inputs, bool values, bool trace, bool records,
             const std::string& wave, bool profile, std::pair<uint64_t, uint64_t> packets, const std::string& memory) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const Callback interruptible(py::none{});
  runtime::SessionOptions options;
  options.device.values = values;
  options.device.records = records;
  options.device.trace = trace;
  options.device.wave = wave;
  options.device.profile = profile;
  options.device.commands = {packets.first, packets.second};
  options.device.memory = memory;
  options.device.progress = [&](uint64_t) { return interruptible(); };
  Result<runtime::RunResult> done = runtime::RunResult{};
  {
    const py::gil_scoped_release released;
    done = session.run(tensors, options);
  }
  interruptible.rethrow();
  return run_object(value_or_throw(std::move(done)));
}

/// `inputs`: of each run.
py::dict run_together(const runtime::Session& session, const std::vector<py::dict>& inputs, bool trace, bool records,
                      bool profile, std::pair<uint64_t, uint64_t> packets, const std::string& memory) {
  std::vector<std::vector<runtime::Tensor>> tensors;
  for (const py::dict& given : inputs) tensors.push_back(to_tensors(given));
  runtime::DeviceOptions options;
  options.records = records;
  options.trace = trace;
  options.profile = profile;
  options.commands = {packets.first, packets.second};
  options.memory = memory;
  Result<runtime::RunTogetherResult> done = runtime::RunTogetherResult{};
  {
    const py::gil_scoped_release released;
    done = session.run_together(tensors, options);
  }
  runtime::RunTogetherResult result = value_or_throw(std::move(done));
  py::list contexts;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    runtime::DeviceResult& cost = result.cost.contexts[i];
    py::dict run("outputs"_a = to_arrays(result.outputs[i]), "cycles"_a = cost.cycles,
                 "stats"_a = std::move(cost.statistics), "events"_a = to_python(result.cost.context_events[i]));
    add_family_results(run, cost.own.get());
    contexts.append(run);
  }
  return py::dict("cycles"_a = result.cost.cycles, "packets"_a = result.cost.commands,
                  "events"_a = to_python(result.cost.events), "trace"_a = result.cost.trace, "contexts"_a = contexts);
}

/// One array for each of `results`, with the contents that its block leaves. `expected`: for each, its replacement or
/// None.
py::list run_blocks(const runtime::Session& session, const py::dict& inputs,
                    const std::vector<acg::BlockResult>& results,
                    const std::vector<std::optional<py::array>>& expected) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  std::vector<std::optional<runtime::Tensor>> replaced(expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (const std::optional<py::array>& given = expected[i]) {
      replaced[i] = to_tensor(results.at(i).tensor.name, *given);
    }
  }
  Result<std::vector<runtime::Tensor>> made = std::vector<runtime::Tensor>{};
  {
    const py::gil_scoped_release released;
    made = session.run_blocks(tensors, results, replaced);
  }
  py::list arrays;
  for (const runtime::Tensor& tensor : value_or_throw(std::move(made))) arrays.append(to_array(tensor));
  return arrays;
}

/// The outputs of a model by the reference operators: no program. `content`: its bytes in place of those of its file,
/// or empty. `all`: every value that a node makes. `requant`: how sums are scaled. `alone`: each node so, given what
/// others make in single precision. `accumulators`: the machine in whose sums are made; none: in 32 bits.
py::dict evaluate_reference(const std::string& model, const py::dict& inputs, const std::string& content, bool all,
                            const std::string& requant, bool alone, const acg::Machine* accumulators) {
  // Problems of the model are reported before arrays are checked.
  const compiler::srdfg::Graph graph = [&] {
    const py::gil_scoped_release released;
    compiler::CompileOptions options;
    options.content = content;
    compiler::srdfg::Graph read = value_or_throw<compiler::srdfg::Graph>(compiler::read_model(model, options));
    if (accumulators == nullptr) return read;
    return value_or_throw(compiler::with_accumulators(std::move(read), *accumulators));
  }();
  const Requantization how = requantization_named(requant);
  compiler::reference::Tensors given;
  for (const auto& [name, array] : inputs) {
    runtime::Tensor tensor = to_tensor(py::str(name), py::cast<py::array>(array));
    given[tensor.name] = {tensor.dtype, tensor.shape, std::move(tensor.bytes)};
  }
  compiler::reference::Tensors found;
  {
    const py::gil_scoped_release released;
    const auto evaluate = alone ? &compiler::reference::evaluate_alone
                          : all ? &compiler::reference::evaluate_all
                                : &compiler::reference::evaluate;
    found = value_or_throw(evaluate(graph, given, how));
  }
  py::dict outputs;
  for (const auto& [name, tensor] : found) {
    outputs[py::str(name)] = to_array(runtime::Tensor{name, tensor.dtype, tensor.shape, tensor.bytes});
  }
  return outputs;
}

/// The resolved parameter set of a memory; None for `fixed`, which has none.
py::object memory_parameters(const std::string& memory) {
  if (memory == offchip::kFixedMemory) return py::none();
  const offchip::Parameters set = value_or_throw(offchip::load_parameters(memory));
  const offchip::Organization& parts = set.organization;
  const offchip::Timing& time = set.timing;
  return py::dict("about"_a = set.about, "sources"_a = set.sources, "channels"_a = parts.channels,
                  "banks"_a = parts.banks_of_channel(), "row_bytes"_a = parts.columns * parts.access_bytes,
                  "access_bytes"_a = parts.access_bytes, "bytes"_a = parts.bytes(),
                  "clock_picoseconds"_a = set.clock_ps, "burst_picoseconds"_a = time.burst * set.clock_ps,
                  "row_open_picoseconds"_a = time.ras * set.clock_ps,
                  "row_cycle_picoseconds"_a = time.rc * set.clock_ps, "refresh_picoseconds"_a = time.rfc * set.clock_ps,
                  "peak_bytes_per_second"_a = set.peak_bytes_per_second());
}

}  // namespace

void bind_runtime(py::module_& core) {
  core.def("memory_names", &offchip::memory_names);
  core.def("memory_parameters", &memory_parameters, "memory"_a);
  core.def("evaluate_reference", &evaluate_reference, "model"_a, "inputs"_a, "content"_a = "", "all"_a = false,
           "requant"_a = "fp32", "alone"_a = false, "accumulators"_a = nullptr);
  core.def("backend_names", &runtime::backend_names);
  // Statistics are turned into text only on request: this takes a tenth of the time of a run for its cycles alone.
  py::class_<sim::Statistics>(core, "Statistics").def("to_json", &sim::to_json);
  py::class_<runtime::Session>(core, "Session")
      .def(py::init(&open_session), "program"_a, "backend"_a, "rtl"_a)
      .def("run", &run, "inputs"_a, "values"_a, "trace"_a, "records"_a, "wave"_a, "profile"_a, "packets"_a, "memory"_a)
      .def("run_together", &run_together, "inputs"_a, "trace"_a, "records"_a, "profile"_a, "packets"_a, "memory"_a)
      .def("initial_state",
           [](const runtime::Session& session) {
             py::dict state;
             for (const runtime::Tensor& tensor : runtime::initial_state(session.program())) {
               state[py::str(tensor.name)] = to_array(tensor);
             }
             return state;
           })
      .def("run_blocks", &run_blocks, "inputs"_a, "results"_a, "expected"_a);
}

}  // namespace covenant::python
