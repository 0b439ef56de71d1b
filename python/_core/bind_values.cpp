/// Python bindings for the values of many images at once.
#include <map>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "compiler/layers/accumulators.h"
#include "compiler/values/layout.h"
#include "compiler/values/plan.h"
#include "python/_core/bind.h"
#include "python/_core/common/errors.h"
#include "python/_core/common/numpy_name.h"
#include "python/_core/common/requantization_name.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using compiler::srdfg::Graph;
using compiler::srdfg::Modifier;
using compiler::srdfg::Value;
using compiler::values::Plan;
using compiler::values::Simd;

/// `content`: as of evaluate_reference. `simd`: a name of simd.h, or empty: the widest. `exact`: reference operators.
/// `accumulators`: the machine in whose they are made; none: in 32 bits.
Plan make_plan(const std::string& model, const std::string& content, const std::string& requant,
               const std::string& simd, bool exact, const acg::Machine* accumulators) {
  compiler::CompileOptions options;
  options.content = content;
  Graph graph = value_or_throw<compiler::srdfg::Graph>(compiler::read_model(model, options));
  if (accumulators != nullptr) graph = value_or_throw(compiler::with_accumulators(std::move(graph), *accumulators));
  const std::optional<Simd> named = compiler::values::simd_named(simd);
  return value_or_throw(Plan::make(
      std::move(graph),
      {.how = requantization_named(requant), .simd = named.value_or(compiler::values::widest_simd()), .exact = exact}));
}

py::dict value_object(const Value& value) {
  py::dict object("name"_a = value.name, "dtype"_a = numpy_name(value.dtype), "shape"_a = value.shape);
  if (value.quantization && value.quantization->axis == -1) {
    object["scale"] = value.quantization->scales.at(0);
    object["zero_point"] = value.quantization->zero_points.at(0);
  }
  return object;
}

std::vector<py::dict> objects_of(const Plan& plan, const std::vector<compiler::srdfg::ValueId>& ids) {
  std::vector<py::dict> objects;
  for (const auto id : ids) objects.push_back(value_object(plan.graph().get(id)));
  return objects;
}

/// For each value of a node: its name, the node, and its operation.
std::vector<py::dict> made_values(const Plan& plan) {
  std::vector<py::dict> objects;
  for (const auto& node : plan.graph().nodes) {
    py::dict object = value_object(plan.graph().get(node.outputs.at(0)));
    object["node"] = node.name;
    object["operation"] = node.operation;
    objects.push_back(object);
  }
  return objects;
}

const Value& value_named(const Graph& graph, const std::string& name) {
  for (const Value& value : graph.values) {
    if (value.name == name && value.modifier != Modifier::kParam) return value;
  }
  fail("a value that the graph does not have: " + name);
}

/// `given`: for each input of the graph a contiguous array of all images, [images, *shape]; for other values, the
/// values that their readers get. Returns such arrays of the values in `names`.
py::dict run_plan(const Plan& plan, size_t images, const std::map<std::string, py::array>& given,
                  const std::vector<std::string>& names, size_t threads) {
  std::map<std::string, compiler::values::Stack> stacks;
  for (const auto& [name, array] : given) {
    stacks[name] = {static_cast<const uint8_t*>(array.data()), static_cast<size_t>(array.nbytes())};
  }
  py::dict arrays;
  std::map<std::string, compiler::values::MutableStack> made;
  for (const std::string& name : names) {
    const Value& value = value_named(plan.graph(), name);
    std::vector<uint64_t> shape = value.shape;
    shape.insert(shape.begin(), images);
    py::array array(py::dtype(numpy_name(value.dtype)), shape);
    made[name] = {static_cast<uint8_t*>(array.mutable_data()), static_cast<size_t>(array.nbytes())};
    arrays[py::str(name)] = array;
  }
  {
    const py::gil_scoped_release released;
    plan.run(images, stacks, made, threads);
  }
  return arrays;
}

}  // namespace

void bind_values(py::module_& core) {
  core.def("simd_names", [] {
    std::vector<std::string> names;
    for (const auto& entry : compiler::values::kSimdNames) {
      if (compiler::values::has(entry.simd)) names.emplace_back(entry.name);
    }
    return names;
  });
  py::class_<Plan>(core, "ValuesPlan")
      .def(py::init(&make_plan), "model"_a, "content"_a = "", "requant"_a = "fp32", "simd"_a = "", "exact"_a = false,
           "accumulators"_a = nullptr, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("inputs", [](const Plan& plan) { return objects_of(plan, plan.graph().inputs); })
      .def_property_readonly("outputs", [](const Plan& plan) { return objects_of(plan, plan.graph().outputs); })
      .def_property_readonly("made", &made_values)
      .def_property_readonly("exact_nodes", &Plan::exact_nodes)
      .def("run", &run_plan, "images"_a, "given"_a, "names"_a, "threads"_a);
}

}  // namespace covenant::python
