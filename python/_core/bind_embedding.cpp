/// Python bindings of embeddings.
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "compiler/driver/embed.h"
#include "compiler/embedding/rules.h"
#include "python/_core/bind.h"
#include "python/_core/common/compile_options.h"
#include "python/_core/common/errors.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

std::vector<std::string> names_of_relaxations() {
  std::vector<std::string> names;
  for (const auto one : compiler::embedding::all_relaxations()) names.emplace_back(name_of(one));
  return names;
}

py::dict layer_object(const compiler::EmbeddedLayer& layer) {
  return py::dict("layer"_a = layer.layer, "compute"_a = layer.compute, "instruction"_a = layer.instruction,
                  "strict"_a = layer.is_strict, "embeddings"_a = layer.embeddings, "complete"_a = layer.is_complete,
                  "nodes"_a = layer.nodes, "milliseconds"_a = layer.milliseconds,
                  "embedding"_a = layer.best.empty() ? py::object(py::none()) : py::object(py::str(layer.best)),
                  "relaxations"_a = layer.relaxations, "steps"_a = layer.steps,
                  "weights_ratio"_a = layer.weights_ratio);
}

}  // namespace

void bind_embedding(py::module_& core) {
  core.def(
      "embed",
      [](const std::string& model, const acg::Machine& machine, const std::optional<std::vector<std::string>>& given,
         uint64_t most_nodes, const std::string& content) {
        const compiler::CompileOptions options = options_of("", "", "", {}, true, content);
        const std::vector<std::string> names = given.value_or(names_of_relaxations());
        py::list layers;
        for (const compiler::EmbeddedLayer& layer :
             value_or_throw(compiler::embed_model(model, machine, {names.begin(), names.end()}, most_nodes, options))) {
          layers.append(layer_object(layer));
        }
        return layers;
      },
      "model"_a, "machine"_a, "relaxations"_a = py::none(), "most_nodes"_a = compiler::embedding::Rules{}.most_nodes,
      "content"_a = "");
  core.def("relaxation_names", &names_of_relaxations);
}

}  // namespace covenant::python
