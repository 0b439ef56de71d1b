/// Python bindings of flexible matching.
#include <map>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "compiler/match/extract.h"
#include "compiler/match/rule_texts.h"
#include "compiler/match/saturate.h"
#include "compiler/match/tensor_operations.h"
#include "compiler/match/tensors.h"
#include "python/_core/bind.h"
#include "python/_core/common/errors.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
namespace match = compiler::match;

using Nodes = std::vector<std::pair<std::string, std::vector<uint32_t>>>;
using Text = std::tuple<std::string, std::string, uint32_t, uint32_t>;

/// The text of an intrinsic is one rule, whose left side is of known operations: others would match nothing.
std::optional<Diagnostic> wrong_pattern(const std::vector<match::Rule>& rules) {
  if (rules.size() != 1) {
    return Diagnostic{"MAT0001",
                      {},
                      "",
                      "more than one term, or conditions that are no list",
                      "",
                      {},
                      "write one term, and conditions with commas between them"};
  }
  for (const match::TermNode& node : rules.front().left.nodes) {
    const auto operands = match::operands_of(node.name);
    if (node.is_variable || (operands && *operands == node.children.size())) continue;
    if (node.children.empty() && match::list_of(node.name)) continue;
    return Diagnostic{"MAT0005",
                      {},
                      rules.front().name,
                      operands ? "an operation of another number of operands" : "no such operation",
                      node.name,
                      {operands ? std::to_string(*operands) + " operands" : "docs/reference/matching.md lists them"},
                      "write an operation that rules know, or a list such as [1,2]"};
  }
  return std::nullopt;
}

/// An e-graph of the tensors of a network.
class MatchGraph {
 public:
  /// Nodes after their children; classes are asked for by their places among them.
  MatchGraph(const Nodes& nodes, std::map<std::string, match::Numbers> shapes)
      : facts_(std::move(shapes)), graph_(&facts_) {
    for (const auto& [name, children] : nodes) {
      std::vector<match::Id> ids;
      for (const uint32_t child : children) ids.push_back(classes_.at(child));
      classes_.push_back(graph_.add(graph_.symbol(name), ids));
    }
    graph_.rebuild();
  }

  /// Texts of rules, each with its file, line and column. Where a text is part of another, the line and the column are
  /// those of the whole; else both are 0.
  /// Rules of the names `without` are left out.
  py::dict saturate(const std::vector<Text>& texts, const std::set<std::string>& without, size_t iterations,
                    size_t nodes) {
    std::vector<match::Rule> read;
    for (const auto& [text, file, line, column] : texts) {
      Result<std::vector<match::Rule>> rules = match::parse_rules(text, file, match::tensor_conditions(facts_));
      std::optional<Diagnostic> wrong;
      if (!rules) {
        wrong = rules.error();
      } else if (line != 0) {
        wrong = wrong_pattern(*rules);
      }
      if (wrong) {
        if (line != 0) wrong->where = {file, line, column};
        throw DiagnosticException(*std::move(wrong));
      }
      std::erase_if(*rules, [&](const match::Rule& one) {
        return without.contains(one.name.substr(0, one.name.find(',')));  // with its way back
      });
      read.insert(read.end(), rules->begin(), rules->end());
    }
    match::Limits limits;
    limits.iterations = iterations;
    limits.nodes = nodes;
    limits.matches = 0;  // these rules come to an end: to leave some out would let the others grow
    limits.goes_on = [] { return PyErr_Occurred() == nullptr && PyErr_CheckSignals() == 0; };
    const match::Saturation done = match::saturate(graph_, read, limits);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    py::list counts;
    for (const match::Iteration& one : done.iterations) counts.append(py::make_tuple(one.nodes, one.classes));
    constexpr const char* kStops[] = {"saturated", "done", "iterations", "nodes", "ended"};
    return py::dict("stop"_a = kStops[static_cast<size_t>(done.stop)], "iterations"_a = counts,
                    "fault"_a = facts_.fault());
  }

  /// Operands that do not fit, as it stands.
  std::optional<std::string> fault() const { return facts_.fault(); }

  /// The least terms of roots, what they share once: `(nodes after their children, cost, bound)`. Operations that have
  /// no cost are in no term; `otherwise` is that of those that are not named.
  py::tuple extract(const std::vector<uint32_t>& roots, const std::map<std::string, uint64_t>& costs,
                    uint64_t otherwise, uint64_t most_steps) const {
    std::vector<match::Id> of;
    for (const uint32_t root : roots) of.push_back(classes_.at(root));
    std::unordered_map<match::Symbol, uint64_t> known;  // names are compared once
    const match::NodeCost cost = [&](const match::EGraph& graph, match::Id node) {
      const auto [found, is_new] =
          known.emplace(graph.operation(node), graph.children(node).empty() ? uint64_t{0} : otherwise);
      const auto named = is_new ? costs.find(graph.name(found->first)) : costs.end();
      if (named != costs.end()) found->second = named->second;
      return found->second;
    };
    const match::Extraction best = match::extract_shared(graph_, of, cost, most_steps);
    py::list nodes;
    for (const auto& [id, node] : best.nodes) {
      nodes.append(
          py::make_tuple(id, graph_.name(graph_.operation(node)), children(node), facts_.of(graph_, id).shape));
    }
    return py::make_tuple(nodes, best.cost, best.at_least);
  }

  /// All classes: `(class, shape or None, [(operation, classes of the children)])`.
  py::list classes() const {
    py::list result;
    for (const match::Id of : graph_.classes()) {
      py::list nodes;
      for (const match::Id node : graph_.nodes(of)) {
        nodes.append(py::make_tuple(graph_.name(graph_.operation(node)), children(node)));
      }
      result.append(py::make_tuple(of, facts_.of(graph_, of).shape, nodes));
    }
    return result;
  }

 private:
  std::vector<match::Id> children(match::Id node) const {
    std::vector<match::Id> result;
    for (const match::Id child : graph_.children(node)) result.push_back(graph_.find(child));
    return result;
  }

  match::TensorFacts facts_;
  match::EGraph graph_;
  std::vector<match::Id> classes_;
};

}  // namespace

void bind_match(py::module_& core) {
  core.def("rule_texts", [] {
    py::dict result;
    for (const match::SourceText& one : match::rule_texts()) {
      result[py::str(one.name.data(), one.name.size())] = py::str(one.text.data(), one.text.size());
    }
    return result;
  });
  py::class_<MatchGraph>(core, "MatchGraph")
      .def(py::init<const Nodes&, std::map<std::string, match::Numbers>>(), "nodes"_a, "shapes"_a)
      .def("saturate", &MatchGraph::saturate, "texts"_a, "without"_a, "iterations"_a, "nodes"_a)
      .def("extract", &MatchGraph::extract, "roots"_a, "costs"_a, "otherwise"_a, "most_steps"_a)
      .def_property_readonly("fault", &MatchGraph::fault)
      .def("classes", &MatchGraph::classes);
}

}  // namespace covenant::python
