/// Python bindings of the compiler.
#include <map>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/benchmarks/bound.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/stages.h"
#include "python/_core/bind.h"
#include "python/_core/common/compile_options.h"
#include "python/_core/common/errors.h"

namespace covenant::python {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

namespace {

py::dict layer_object(const compiler::BenchmarkLayer& layer) {
  const bool is_conv = layer.kind == compiler::BenchmarkKind::kConv;
  py::dict object("name"_a = layer.name, "kind"_a = is_conv ? "conv" : "gemm",
                  "macs"_a = compiler::benchmark_macs(layer), "note"_a = layer.note);
  if (is_conv) {
    object["batch"] = layer.batch;
    object["input"] = std::vector<uint64_t>{layer.in_channels, layer.input_rows, layer.input_columns};
    object["output"] = std::vector<uint64_t>{layer.out_channels, layer.output_rows, layer.output_columns};
    object["kernel"] = layer.kernel;
    object["stride"] = layer.stride;
    object["pad"] = layer.pad;
  } else {
    object["heads"] = layer.heads;
    object["m"] = layer.m;
    object["k"] = layer.k;
    object["n"] = layer.n;
  }
  return object;
}

/// The most that sizes may be, by name.
compiler::Crop crop_of(const std::map<std::string, uint64_t>& sizes) {
  const auto most = [&](const char* name) {
    const auto found = sizes.find(name);
    return found == sizes.end() ? 0 : found->second;
  };
  compiler::Crop crop;
  crop.heads = most("heads");
  crop.m = most("m");
  crop.output_rows = most("output_rows");
  crop.output_columns = most("output_columns");
  return crop;
}

/// The program that `run` compiles with these options, its schedules, and the results of each layer.
template <typename Run>
std::tuple<acg::Program, std::string, std::vector<acg::BlockResult>> compiled(compiler::CompileOptions options,
                                                                              Run run) {
  std::string chosen;
  std::vector<acg::BlockResult> results;
  options.after_emission = [&](const std::vector<acg::BlockResult>& made) { results = made; };
  options.after_stage = [&](std::string_view stage, const compiler::StageText& text) {
    if (stage == "scheduled") chosen = text.whole();
  };
  acg::Program program = value_or_throw<acg::Program>(run(options));
  return {std::move(program), std::move(chosen), std::move(results)};
}

}  // namespace

void bind_compiler(py::module_& core) {
  core.def(
      "compile",
      [](const std::string& model, const acg::Machine& machine, const std::string& library, const std::string& schedule,
         const std::string& file, const std::vector<std::string>& without, bool fusion, const std::string& content,
         size_t threads, const std::vector<std::pair<std::string, std::string>>& state) {
        compiler::CompileOptions chosen = options_of(library, schedule, file, without, fusion, content);
        chosen.threads = threads;
        for (const auto& [output, input] : state) chosen.state.push_back({output, input});
        return compiled(chosen, [&](const auto& options) { return compiler::compile(model, machine, options); });
      },
      "model"_a, "machine"_a, "library"_a = "", "schedule"_a = "", "schedule_file"_a = "",
      "without"_a = std::vector<std::string>{}, "fusion"_a = true, "content"_a = "", "threads"_a = 0,
      "state"_a = std::vector<std::pair<std::string, std::string>>{}, py::call_guard<py::gil_scoped_release>());
  core.def(
      "emit",
      [](const std::string& model, const acg::Machine& machine, const std::string& pass, const std::string& library,
         const std::string& schedule, const std::string& file, const std::vector<std::string>& without, bool fusion,
         const std::string& layer, const std::string& content) {
        const compiler::CompileOptions options = options_of(library, schedule, file, without, fusion, content);
        return value_or_throw(compiler::emit(model, machine, pass, options, layer));
      },
      "model"_a, "machine"_a, "after"_a, "library"_a = "", "schedule"_a = "", "schedule_file"_a = "",
      "without"_a = std::vector<std::string>{}, "fusion"_a = true, "layer"_a = "", "content"_a = "",
      py::call_guard<py::gil_scoped_release>());
  core.def("stage_names", [] { return compiler::stage_names(); });
  core.def("benchmark_layers", [] {
    py::list layers;
    for (const compiler::BenchmarkLayer& layer : compiler::benchmark_layers()) layers.append(layer_object(layer));
    return layers;
  });
  core.def("cropped_layer", [](const std::string& name, const std::map<std::string, uint64_t>& crop) {
    return layer_object(compiler::cropped(value_or_throw(compiler::benchmark_layer(name)), crop_of(crop)));
  });
  core.def("benchmark_weights",
           [](const std::string& layer) { return py::bytes(value_or_throw(compiler::benchmark_weights(layer))); });
  core.def("benchmark_bound", [](const std::string& name, const acg::Machine& machine, uint64_t words) {
    const compiler::Bound bound = compiler::bound_of(value_or_throw(compiler::benchmark_layer(name)), machine, words);
    return py::dict("cycles"_a = bound.cycles, "busiest"_a = bound.busiest, "fixed"_a = bound.fixed,
                    "limited_by"_a = bound.limited_by);
  });
  core.def(
      "compile_layer",
      [](const std::string& layer, const acg::Machine& machine, const std::string& schedule, const std::string& file,
         const std::vector<std::string>& without, const std::map<std::string, uint64_t>& crop) {
        return compiled(options_of("", schedule, file, without), [&](const auto& options) {
          return compiler::compile_layer(layer, machine, crop_of(crop), options);
        });
      },
      "layer"_a, "machine"_a, "schedule"_a = "", "schedule_file"_a = "", "without"_a = std::vector<std::string>{},
      "crop"_a = std::map<std::string, uint64_t>{}, py::call_guard<py::gil_scoped_release>());
  core.def(
      "emit_layer",
      [](const std::string& layer, const acg::Machine& machine, const std::string& pass, const std::string& schedule,
         const std::string& file, const std::vector<std::string>& without) {
        const compiler::CompileOptions options = options_of("", schedule, file, without);
        return value_or_throw(compiler::emit_layer(layer, machine, pass, options));
      },
      "layer"_a, "machine"_a, "after"_a, "schedule"_a = "", "schedule_file"_a = "",
      "without"_a = std::vector<std::string>{}, py::call_guard<py::gil_scoped_release>());
}

}  // namespace covenant::python
