/// Python bindings of embeddings.
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "acg/base/check.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/driver/embed.h"
#include "compiler/driver/embeddings.h"
#include "compiler/driver/explain_network.h"
#include "compiler/embedding/rules.h"
#include "python/_core/bind.h"
#include "python/_core/common/compile_options.h"
#include "python/_core/common/errors.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using compiler::embedding::Rules;

std::vector<std::string> names_of_relaxations() {
  std::vector<std::string> names;
  for (const auto one : compiler::embedding::all_relaxations()) names.emplace_back(name_of(one));
  return names;
}

/// None stands for all relaxations. Precondition: they have these names.
Rules rules_of(const std::optional<std::vector<std::string>>& relaxations, uint64_t most_nodes) {
  Rules rules;
  rules.most_nodes = most_nodes;
  for (const std::string& name : relaxations.value_or(names_of_relaxations())) {
    const auto relaxation = compiler::embedding::relaxation_named(name);
    check(relaxation.has_value(), "no relaxation is called " + name);
    rules.allowed.insert(relaxation.value());
  }
  return rules;
}

py::dict figures_object(const compiler::EmbeddedLayer& layer) {
  return py::dict("layer"_a = layer.layer, "compute"_a = layer.compute, "instruction"_a = layer.instruction,
                  "strict"_a = layer.is_strict, "embeddings"_a = layer.embeddings, "complete"_a = layer.is_complete,
                  "nodes"_a = layer.nodes, "milliseconds"_a = layer.milliseconds,
                  "embedding"_a = layer.best.empty() ? py::object(py::none()) : py::object(py::str(layer.best)),
                  "relaxations"_a = layer.relaxations, "steps"_a = layer.steps,
                  "weights_ratio"_a = layer.weights_ratio);
}

/// The fields of covenant.Diagnostic, or None.
py::object diagnostic_object(const std::optional<Diagnostic>& one) {
  if (!one) return py::none();
  return py::dict("code"_a = one->code, "message"_a = one->message, "file"_a = one->where.file,
                  "line"_a = one->where.line, "column"_a = one->where.column, "subject"_a = one->subject,
                  "offending"_a = one->offending, "allowed"_a = py::tuple(py::cast(one->allowed)), "fix"_a = one->fix);
}

py::dict operand_object(const compiler::embedding::OperandLayout& operand) {
  py::list axes;
  for (const compiler::embedding::LayoutAxis& axis : operand.axes) {
    axes.append(py::dict("axis"_a = axis.name, "places"_a = axis.places, "factors"_a = axis.factors));
  }
  return py::dict("tensor"_a = operand.tensor, "output"_a = operand.is_output, "constant"_a = operand.is_constant,
                  "elements"_a = operand.elements, "packed_elements"_a = operand.packed_elements, "axes"_a = axes);
}

py::dict embedding_object(const compiler::ShownEmbedding& one) {
  py::list operands;
  for (const compiler::embedding::OperandLayout& operand : one.operands) operands.append(operand_object(operand));
  return py::dict("text"_a = one.text, "relaxations"_a = one.relaxations, "steps"_a = one.steps,
                  "utilisation"_a = one.utilisation, "operands"_a = operands);
}

/// The embedding's object, or None.
py::object optional_object(const std::optional<compiler::ShownEmbedding>& one) {
  return one ? py::object(embedding_object(*one)) : py::object(py::none());
}

py::dict instruction_object(const compiler::InstructionEmbeddings& one) {
  py::list best, checked;
  for (const compiler::ShownEmbedding& embedding : one.best) best.append(embedding_object(embedding));
  for (const compiler::CheckedText& text : one.checked) {
    checked.append(py::dict("text"_a = text.text, "embedding"_a = optional_object(text.embedding),
                            "diagnostic"_a = diagnostic_object(text.refused)));
  }
  return py::dict("compute"_a = one.compute, "instruction"_a = one.instruction, "types"_a = one.types,
                  "instances"_a = one.instances, "found"_a = one.found, "complete"_a = one.is_complete,
                  "nodes"_a = one.nodes, "embeddings"_a = best, "diagnostic"_a = diagnostic_object(one.diagnostic),
                  "checked"_a = checked);
}

py::dict layer_object(const compiler::LayerEmbeddings& layer) {
  py::list axes, instructions;
  for (const compiler::embedding::Axis& axis : layer.axes) {
    axes.append(py::dict("name"_a = axis.name, "extent"_a = axis.extent, "reduction"_a = axis.is_reduction));
  }
  for (const compiler::InstructionEmbeddings& one : layer.instructions) instructions.append(instruction_object(one));
  return py::dict("layer"_a = layer.layer, "workload"_a = layer.workload, "types"_a = layer.types, "axes"_a = axes,
                  "instances"_a = layer.instances, "instructions"_a = instructions,
                  "diagnostic"_a = diagnostic_object(layer.no_workload));
}

py::list layers_object(const std::vector<compiler::LayerEmbeddings>& layers) {
  py::list objects;
  for (const compiler::LayerEmbeddings& layer : layers) objects.append(layer_object(layer));
  return objects;
}

py::dict use_object(const compiler::LayerUse& use) {
  py::object next = py::none();
  if (use.next) {
    next = py::dict("lowering"_a = use.next->lowering, "cycles"_a = use.next->cycles,
                    "as_stored"_a = use.next->as_stored, "embedding"_a = use.next->embedding);
  }
  return py::dict("layer"_a = use.layer, "codelet"_a = use.codelet, "lowering"_a = use.lowering,
                  "cycles"_a = use.cycles, "workload"_a = use.workload, "compute"_a = use.compute,
                  "instruction"_a = use.instruction, "taken"_a = optional_object(use.taken), "next"_a = next,
                  "fewest"_a = optional_object(use.fewest), "complete"_a = use.is_complete,
                  "obstacles"_a = use.obstacles);
}

compiler::EmbeddingRequest request_of(const std::optional<std::vector<std::string>>& relaxations, uint64_t most_nodes,
                                      const std::string& layer, std::optional<size_t> shown,
                                      const std::vector<std::string>& texts) {
  compiler::EmbeddingRequest request;
  request.rules = rules_of(relaxations, most_nodes);
  request.layer = layer;
  request.most_shown = shown.value_or(request.most_shown);
  request.texts = texts;
  return request;
}

/// The value of what `search` returns, or its diagnostic as an exception: searches are long.
template <typename Search>
auto without_gil(const Search& search) {
  const py::gil_scoped_release released;
  return value_or_throw(search());
}

}  // namespace

void bind_embedding(py::module_& core) {
  const uint64_t most = Rules{}.most_nodes;
  core.def(
      "embed",
      [](const std::string& model, const acg::Machine& machine, const std::optional<std::vector<std::string>>& given,
         uint64_t most_nodes, const std::string& content) {
        const compiler::CompileOptions options = options_of("", "", "", {}, true, content);
        const Rules rules = rules_of(given, most_nodes);
        py::list layers;
        for (const compiler::EmbeddedLayer& layer :
             without_gil([&] { return compiler::embed_model(model, machine, rules, options); })) {
          layers.append(figures_object(layer));
        }
        return layers;
      },
      "model"_a, "machine"_a, "relaxations"_a = py::none(), "most_nodes"_a = most, "content"_a = "");
  core.def(
      "embeddings",
      [](const std::string& model, const acg::Machine& machine, const std::optional<std::vector<std::string>>& given,
         uint64_t most_nodes, const std::string& layer, std::optional<size_t> shown,
         const std::vector<std::string>& texts, const std::string& library, const std::string& content) {
        const compiler::CompileOptions options = options_of(library, "", "", {}, true, content);
        const compiler::EmbeddingRequest request = request_of(given, most_nodes, layer, shown, texts);
        return layers_object(
            without_gil([&] { return compiler::embeddings_of_model(model, machine, request, options); }));
      },
      "model"_a, "machine"_a, "relaxations"_a = py::none(), "most_nodes"_a = most, "layer"_a = "",
      "shown"_a = py::none(), "texts"_a = std::vector<std::string>{}, "library"_a = "", "content"_a = "");
  core.def(
      "benchmark_embeddings",
      [](const std::string& name, const acg::Machine& machine, const std::optional<std::vector<std::string>>& given,
         uint64_t most_nodes, std::optional<size_t> shown, const std::vector<std::string>& texts) {
        const compiler::EmbeddingRequest request = request_of(given, most_nodes, "", shown, texts);
        return layers_object(without_gil([&] { return compiler::benchmark_embeddings(name, machine, request); }));
      },
      "name"_a, "machine"_a, "relaxations"_a = py::none(), "most_nodes"_a = most, "shown"_a = py::none(),
      "texts"_a = std::vector<std::string>{});
  core.def(
      "explain_network",
      [](const std::string& model, const acg::Machine& machine, const std::optional<std::vector<std::string>>& given,
         uint64_t most_nodes, const std::string& layer, const std::string& library, const std::string& schedule,
         const std::string& file, const std::string& content) {
        const compiler::CompileOptions options = options_of(library, schedule, file, {}, true, content);
        const Rules rules = rules_of(given, most_nodes);
        py::list uses;
        for (const compiler::LayerUse& use :
             without_gil([&] { return compiler::explain_network(model, machine, rules, layer, options); })) {
          uses.append(use_object(use));
        }
        return uses;
      },
      "model"_a, "machine"_a, "relaxations"_a = py::none(), "most_nodes"_a = most, "layer"_a = "", "library"_a = "",
      "schedule"_a = "", "schedule_file"_a = "", "content"_a = "");
  core.def("relaxation_names", &names_of_relaxations);
  core.attr("MOST_EMBEDDING_NODES") = most;
}

}  // namespace covenant::python
