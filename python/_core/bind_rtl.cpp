/// Python bindings of the RTL: building its model, lock-step runs, mixed fidelity.
#include <map>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "fuzz/broken_machine.h"
#include "fuzz/random_layer.h"
#include "fuzz/random_machine.h"
#include "fuzz/refusal.h"
#include "fuzz/self_test.h"
#include "python/_core/bind.h"
#include "python/_core/common/arrays.h"
#include "python/_core/common/callback.h"
#include "python/_core/common/errors.h"
#include "rtl/gen/generate.h"
#include "runtime/lockstep/lockstep.h"
#include "runtime/lockstep/mixed.h"
#include "runtime/session/image.h"
#include "runtime/session/rtl_options.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

py::list describe(const std::vector<runtime::Neighbour>& around) {
  py::list list;
  for (const runtime::Neighbour& neighbour : around) {
    const acg::RetireRecord& r = neighbour.record;
    list.append(py::dict("sequence"_a = r.sequence, "word_index"_a = r.word_index, "issue"_a = r.issue,
                         "first_port"_a = r.first_port, "last_port"_a = r.last_port, "retire"_a = r.retire,
                         "stall"_a = r.stall, "digest"_a = r.digest, "instruction"_a = neighbour.instruction));
  }
  return list;
}

py::object describe(const std::optional<runtime::Difference>& difference) {
  if (!difference) return py::none();
  py::list fields;
  for (const runtime::DifferentField& field : difference->fields) {
    fields.append(py::dict("name"_a = field.name, "systemc"_a = field.systemc, "rtl"_a = field.rtl));
  }
  return py::dict("kind"_a = runtime::name(difference->kind), "engine"_a = difference->engine,
                  "instruction"_a = difference->instruction, "layer"_a = difference->layer,
                  "block"_a = difference->block, "word_index"_a = difference->word_index, "cycle"_a = difference->cycle,
                  "fields"_a = fields, "around_systemc"_a = describe(difference->around_systemc),
                  "around_rtl"_a = describe(difference->around_rtl), "text"_a = runtime::render(*difference));
}

rtl::Model make_model(const acg::Machine& machine, const py::dict& build) {
  const BuildTelling telling(build);
  std::optional<Result<rtl::Model>> model;
  {
    const runtime::RtlOptions options = telling.options();
    const py::gil_scoped_release released;
    model.emplace(runtime::build_rtl(machine, options));
  }
  telling.rethrow();
  return value_or_throw(*std::move(model));
}

py::dict cosim(const rtl::Model& model, const acg::Program& program, const py::dict& inputs, const std::string& wave,
               std::pair<uint64_t, uint64_t> wave_cycles, const std::string& memory, py::object progress) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const Callback tell(std::move(progress));
  runtime::LockstepOptions options;
  options.wave = wave;
  options.wave_from = wave_cycles.first;
  options.wave_to = wave_cycles.second;
  options.memory = memory;
  options.progress = [&](uint64_t cycle, uint64_t cycles) { return tell(cycle, cycles); };
  Result<runtime::LockstepResult> done = runtime::LockstepResult{};
  {
    const py::gil_scoped_release released;
    done = runtime::lockstep(model, program, value_or_throw(runtime::image_of(program, tensors)), options);
  }
  tell.rethrow();
  const runtime::LockstepResult result = value_or_throw(std::move(done));
  return py::dict("instructions"_a = result.instructions, "cycles"_a = result.cycles,
                  "differences"_a = result.differences, "first"_a = describe(result.first),
                  "stats"_a = sim::to_json(result.statistics), "systemc_seconds"_a = result.systemc_seconds,
                  "rtl_seconds"_a = result.rtl_seconds,
                  "outputs"_a = to_arrays(runtime::outputs_of(program, result.rtl_memory)));
}

const char* name(runtime::Agreement agreement) {
  switch (agreement) {
    case runtime::Agreement::kEqual:
      return "equal";
    case runtime::Agreement::kDifferent:
      return "different";
    case runtime::Agreement::kUnknown:
      break;
  }
  return "unknown";
}

py::dict run_mixed(const rtl::Model& model, const acg::Program& program, const py::dict& inputs,
                   const std::vector<bool>& on_rtl, py::object progress) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const Callback tell(std::move(progress));
  Result<runtime::MixedResult> done = runtime::MixedResult{};
  {
    const py::gil_scoped_release released;
    done = runtime::run_mixed(model, program, value_or_throw(runtime::image_of(program, tensors)), on_rtl,
                              [&](uint64_t cycle, uint64_t cycles) { return tell(cycle, cycles); });
  }
  tell.rethrow();
  const runtime::MixedResult result = value_or_throw(std::move(done));
  py::list agreements;
  for (const runtime::MixedBlock& block : result.blocks) agreements.append(name(block.agreement));
  return py::dict("outputs"_a = to_arrays(runtime::outputs_of(program, result.memory)), "agreements"_a = agreements,
                  "stats"_a = sim::to_json(result.statistics), "cycles"_a = result.statistics.cycles,
                  "instructions"_a = result.instructions, "rtl_cycles"_a = result.rtl_cycles,
                  "differences"_a = result.differences, "first"_a = describe(result.first),
                  "systemc_seconds"_a = result.systemc_seconds, "rtl_seconds"_a = result.rtl_seconds);
}

/// Precondition: one of them, or nothing.
std::optional<rtl::AxiMasters> axi_masters(const std::optional<std::string>& name) {
  if (!name) return {};
  return *name == "port" ? rtl::AxiMasters::kPort : *name == "bus" ? rtl::AxiMasters::kBus : rtl::AxiMasters::kOne;
}

/// Files of a self-contained folder with a program that tests it: `program`, or a default one.
std::map<std::string, std::string> rtl_files(const acg::Machine& machine, const acg::Program* program,
                                             const py::dict& inputs, const std::optional<std::string>& axi) {
  const std::vector<runtime::Tensor> tensors = to_tensors(inputs);
  const std::optional<rtl::AxiMasters> masters = axi_masters(axi);
  const py::gil_scoped_release released;
  value_or_throw(rtl::generate(machine, masters));  // reports what the RTL does not support, before a program is
                                                    // required
  const rtl::SelfTest test = value_or_throw(program == nullptr ? runtime::default_self_test(machine)
                                                               : runtime::self_test_of(*program, tensors));
  return value_or_throw(rtl::generate(machine, test, masters));
}

/// Text (an .acg file) and machine.
std::pair<std::string, acg::Machine> random_machine(uint64_t seed, uint64_t index) {
  runtime::RandomMachine made = runtime::random_machine(seed, index);
  return {std::move(made.text), std::move(made.machine)};
}

/// Name, program and inputs of a random layer; raises what the compiler refuses.
py::tuple random_program(const acg::Machine& machine, uint64_t seed, uint64_t index) {
  const runtime::RandomLayer layer = runtime::random_layer(seed, index, machine);
  acg::Program program = value_or_throw<acg::Program>(compiler::compile_graph(layer.graph, machine, layer.graph.name));
  return py::make_tuple(layer.graph.name, std::move(program), to_arrays(layer.inputs));
}

/// Rule and text, which need not be characters.
std::pair<std::string, py::bytes> broken_machine(uint64_t seed, uint64_t index) {
  const runtime::BrokenMachine made = runtime::broken_machine(seed, index);
  return {made.rule, py::bytes(made.text)};
}

/// Fate, code and message.
py::tuple refusal_of(const std::string& text) {
  runtime::Refusal refusal;
  {
    const py::gil_scoped_release released;
    refusal = runtime::refusal_of(text);
  }
  PyObject* message =
      PyUnicode_DecodeUTF8(refusal.message.data(), static_cast<Py_ssize_t>(refusal.message.size()), "backslashreplace");
  return py::make_tuple(runtime::name(refusal.fate), refusal.code, py::reinterpret_steal<py::str>(message));
}

}  // namespace

void bind_rtl(py::module_& core) {
  core.def("default_rtl_cache", [] { return runtime::default_rtl_cache().string(); });
  py::class_<rtl::Model>(core, "RtlModel")
      .def(py::init(&make_model), "machine"_a, "build"_a)
      .def_property_readonly("folder", [](const rtl::Model& model) { return model.folder().string(); })
      .def_property_readonly("build_seconds", &rtl::Model::build_seconds)
      .def_property_readonly("has_wave", &rtl::Model::has_wave);
  core.def("cosim", &cosim, "model"_a, "program"_a, "inputs"_a, "wave"_a, "wave_cycles"_a, "memory"_a, "progress"_a);
  core.def(
      "choose_blocks",
      [](const acg::Program& program, const std::vector<std::string>& layers,
         const std::optional<std::pair<uint64_t, uint64_t>>& words) {
        return value_or_throw(runtime::choose_blocks(program, layers, words));
      },
      "program"_a, "layers"_a, "words"_a);
  core.def("rtl_files", &rtl_files, "machine"_a, "program"_a, "inputs"_a, "axi"_a = py::none());
  core.def("broken_machine", &broken_machine, "seed"_a, "index"_a);
  core.def("breaking_rules", &runtime::breaking_rules);
  core.def("refusal_of", &refusal_of, "text"_a);
  core.def("random_machine", &random_machine, "seed"_a, "index"_a);
  core.def("random_program", &random_program, "machine"_a, "seed"_a, "index"_a);
  core.def("run_mixed", &run_mixed, "model"_a, "program"_a, "inputs"_a, "on_rtl"_a, "progress"_a);
}

}  // namespace covenant::python
