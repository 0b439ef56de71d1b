#include "compiler/layers/fit_elements.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/numerics.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr uint32_t kMostTableBits = 8;

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  return names;
}

/// The machine's element type with this signedness and width, if there is one.
std::optional<DType> element_of(const std::vector<DType>& dtypes, bool is_signed, uint32_t width) {
  const auto found = std::ranges::find_if(
      dtypes, [&](DType dtype) { return info(dtype).is_signed == is_signed && bits(dtype) == width; });
  return found == dtypes.end() ? std::nullopt : std::optional(*found);
}

/// True if units of every kind that work on elements at all have elements of this width: layers find a node at it.
bool is_shared(const acg::Machine& machine, uint32_t width) {
  std::map<acg::UnitKind, bool> has;
  for (const acg::Compute& compute : machine.computes) {
    const auto note = [&](DType dtype) {
      if (is_narrow(dtype)) has[compute.unit] = has[compute.unit] || bits(dtype) == width;
    };
    for (const acg::Capability& capability : compute.capabilities) {
      note(capability.output.dtype);
      for (const acg::CapabilityOperand& input : capability.inputs) note(input.dtype);
    }
  }
  return std::ranges::all_of(has, [](const auto& kind) { return kind.second; });
}

/// True for an activation, a weight, or the table of a lookup.
bool is_element(const Value& value) { return is_narrow(value.dtype); }

operators::Table table_of(const Node& node) {
  const operators::Operator* row = operators::find_operator(node.operation);
  return row == nullptr ? operators::Table::kNone : row->table;
}

class Fitter {
 public:
  Fitter(const Graph& graph, const acg::Machine& machine, std::vector<DType> dtypes)
      : graph_(graph), machine_(machine), dtypes_(std::move(dtypes)), made_(graph) {}

  Result<Graph> run() {
    const std::optional<uint32_t> width = width_for_all();
    if (!width) return too_wide();
    width_ = *width;
    for (const Node& node : graph_.nodes) {
      if (const Status possible = check_tables(node); !possible) return possible.error();
    }
    for (Node& node : made_.nodes) {
      if (table_of(node) == operators::Table::kGiven) fit_table(node);
    }
    for (uint32_t id = 0; id < made_.values.size(); ++id) fit(made_.values[id]);
    return std::move(made_);
  }

 private:
  /// The narrowest width of the machine that holds all elements, of each sign that is needed; of those that units of
  /// all kinds have, if there is one.
  std::optional<uint32_t> width_for_all() const {
    std::vector<uint32_t> widths;
    for (const DType dtype : dtypes_) widths.push_back(bits(dtype));
    std::ranges::sort(widths);
    const auto holds = [&](uint32_t width) {
      return std::ranges::all_of(graph_.values, [&](const Value& value) {
        return !is_element(value) ||
               (bits(value.dtype) <= width && element_of(dtypes_, info(value.dtype).is_signed, width));
      });
    };
    const auto is_best = [&](uint32_t width) { return is_shared(machine_, width) && holds(width); };
    const auto best = std::ranges::find_if(widths, is_best);
    if (best != widths.end()) return *best;
    const auto found = std::ranges::find_if(widths, holds);
    return found == widths.end() ? std::nullopt : std::optional(*found);
  }

  /// Names the first layer with an element that no width holds.
  Diagnostic too_wide() const {
    uint32_t most = 0;
    for (const DType dtype : dtypes_) most = std::max(most, bits(dtype));
    const auto is_wide = [&](ValueId id) {
      const Value& value = graph_.get(id);
      return is_element(value) && (bits(value.dtype) > most || !element_of(dtypes_, info(value.dtype).is_signed, most));
    };
    for (const Node& node : graph_.nodes) {
      std::vector<ValueId> touched = node.inputs;
      touched.insert(touched.end(), node.outputs.begin(), node.outputs.end());
      const auto found = std::ranges::find_if(touched, is_wide);
      if (found == touched.end()) continue;
      const Value& value = graph_.get(*found);
      return {
          "NET0030",
          {},
          node.name,
          fmt::format("{} works on elements that the machine has not", node.operation),
          fmt::format("{} of {}", name(value.dtype), value.name),
          names_of(dtypes_),
          fmt::format("compile for a machine with elements of {} bits (genesys with bits={}), or quantise the layer "
                      "to {} bits",
                      bits(value.dtype), bits(value.dtype), most)};
    }
    return {"NET0030",
            {},
            graph_.name,
            "the model has elements that the machine has not",
            "",
            names_of(dtypes_),
            "quantise it to the widths of the machine"};
  }

  Status check_tables(const Node& node) const {
    const operators::Table table = table_of(node);
    const bool has_table = table == operators::Table::kGiven || table == operators::Table::kMade;
    const bool has_squares = table == operators::Table::kSquares;
    if (has_table ? width_ <= kMostTableBits : !has_squares || width_ == kMostTableBits) return Done{};
    return Diagnostic{
        "NET0031",
        {},
        node.name,
        fmt::format("{} goes by a table of all {}", node.operation, has_table ? "values of an element" : "bytes"),
        fmt::format("elements of {} bits", width_),
        {has_table ? "elements of 4 or 8 bits" : "elements of 8 bits"},
        "compile for a machine with elements of 8 bits, or leave the layer to the host"};
  }

  void fit(Value& value) const {
    if (!is_element(value) || bits(value.dtype) == width_) return;
    const DType dtype = element_of(dtypes_, info(value.dtype).is_signed, width_).value();
    if (!value.data.empty()) value.data = srdfg::integer_data(dtype, srdfg::integer_elements(value));
    value.dtype = dtype;
  }

  /// Extends a table to one entry for each value of the wider elements; existing entries move to the places of their
  /// values.
  void fit_table(Node& node) {
    const DType read = graph_.get(node.inputs.at(0)).dtype;
    if (bits(read) == width_) return;
    Value table = graph_.get(node.inputs.at(1));
    const std::vector<int64_t> entries = srdfg::integer_elements(table);
    const size_t count = size_t{1} << width_;
    std::vector<int64_t> wider(count);
    for (size_t i = 0; i < entries.size(); ++i) {
      const auto value = static_cast<int64_t>(i);
      const auto stored = value > highest(read) ? value - static_cast<int64_t>(entries.size()) : value;
      wider[static_cast<uint64_t>(stored) % count] = entries[i];
    }
    table.shape = {count};
    table.data = srdfg::integer_data(table.dtype, wider);
    node.inputs[1] = {static_cast<uint32_t>(made_.values.size())};
    made_.values.push_back(std::move(table));
  }

  const Graph& graph_;
  const acg::Machine& machine_;
  std::vector<DType> dtypes_;
  Graph made_;
  uint32_t width_ = 0;
};

}  // namespace

Result<Graph> fit_elements(const Graph& graph, const acg::Machine& machine) {
  const std::vector<DType> dtypes = acg::element_dtypes(machine);
  if (dtypes.empty()) return graph;
  Result<Graph> made = Fitter(graph, machine, dtypes).run();
  if (!made) return made;
  // Finer graphs speak of the tensors as they were.
  for (size_t i = 0; i < made->nodes.size(); ++i) made->nodes[i].body.clear();
  return made;
}

}  // namespace covenant::compiler
