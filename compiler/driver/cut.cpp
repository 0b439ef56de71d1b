#include "compiler/driver/cut.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/names.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using operators::OperatorClass;
using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

/// Tensors that parts hand on, and their names.
using Crossing = std::map<ValueId, std::string>;

/// Makes a graph of nodes of another one.
class PartBuilder {
 public:
  PartBuilder(const Graph& whole, const Crossing& crossing) : whole_(whole), crossing_(crossing) {
    part_.name = whole.name;
  }

  void add_input(ValueId id) {
    part_.inputs.push_back(id_of(id));
    part_.values[part_.inputs.back().value].modifier = Modifier::kInput;
  }

  void add_node(Node node) {
    for (ValueId& id : node.inputs) id = id_of(id);
    for (ValueId& id : node.outputs) id = id_of(id);
    part_.nodes.push_back(std::move(node));
  }

  /// A tensor that a node makes, or an input or param that leaves as it is.
  void add_output(ValueId id) {
    part_.outputs.push_back(id_of(id));
    Modifier& modifier = part_.values[part_.outputs.back().value].modifier;
    if (modifier == Modifier::kState) modifier = Modifier::kOutput;
  }

  Graph finish() && { return std::move(part_); }

 private:
  ValueId id_of(ValueId id) {
    const auto [found, is_new] = ids_.try_emplace(id, ValueId{static_cast<uint32_t>(part_.values.size())});
    if (is_new) {
      part_.values.push_back(whole_.get(id));
      if (const auto named = crossing_.find(id); named != crossing_.end()) part_.values.back().name = named->second;
    }
    return found->second;
  }

  const Graph& whole_;
  const Crossing& crossing_;
  Graph part_;
  std::map<ValueId, ValueId> ids_;  ///< of the part, by those of the whole
};

class Cutter {
 public:
  Cutter(const Graph& graph, const std::vector<std::string>& cuts)
      : graph_(graph), cuts_(cuts), producers_(srdfg::producers(graph)) {}

  std::vector<Graph> run() {
    assign_nodes();
    check_filled();
    find_crossing();
    std::vector<Graph> parts;
    for (size_t part = 0; part <= cuts_.size(); ++part) parts.push_back(graph_of(part));
    return parts;
  }

 private:
  [[noreturn]] void refuse(std::string code, std::string message, std::string offending,
                           std::vector<std::string> allowed, std::string fix) const {
    throw Failure{
        {std::move(code), {}, graph_.name, std::move(message), std::move(offending), std::move(allowed), fix}};
  }

  static bool is_boundary(const Node& node) { return operators::is(node.operation, OperatorClass::kBoundary); }

  /// True for what the host makes of an input, which every part makes for itself.
  bool is_opening(const Node& node) const {
    return is_boundary(node) && graph_.get(node.outputs.at(0)).quantization.has_value();
  }

  /// The node that makes what a cut names.
  size_t maker_of(const std::string& name) const {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (!is_boundary(node) && graph_.get(node.outputs.at(0)).name == name) return i;
    }
    const auto found =
        std::ranges::find_if(graph_.nodes, [&](const Node& node) { return node.name == name && !is_boundary(node); });
    if (found != graph_.nodes.end()) return static_cast<size_t>(found - graph_.nodes.begin());
    std::vector<std::string> layers;
    for (const Node& node : graph_.nodes) {
      if (!is_boundary(node) && srdfg::is_activation(graph_.get(node.outputs.at(0)))) layers.push_back(node.name);
    }
    const std::string near = nearest(name, layers);
    refuse("GEN0080", "no layer of the machine has this name or makes a tensor of this name", name, layers,
           near.empty() ? "cut after one of these layers" : fmt::format("did you mean \"{}\"?", near));
  }

  void assign_nodes() {
    part_of_.assign(graph_.nodes.size(), cuts_.size());
    std::vector<bool> is_assigned(graph_.nodes.size());
    for (size_t part = 0; part < cuts_.size(); ++part) {
      std::vector<size_t> open{maker_of(cuts_[part])};
      while (!open.empty()) {
        const size_t node = open.back();
        open.pop_back();
        if (is_assigned[node]) continue;
        is_assigned[node] = true;
        part_of_[node] = part;
        for (const ValueId id : graph_.nodes[node].inputs) {
          if (const std::optional<size_t> maker = producers_[id.value]) open.push_back(*maker);
        }
      }
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {  // what the host dequantises leaves the part that has made it
      const Node& node = graph_.nodes[i];
      if (!is_boundary(node) || is_opening(node)) continue;
      if (const std::optional<size_t> maker = producers_[node.inputs.at(0).value]) part_of_[i] = part_of_[*maker];
    }
  }

  void check_filled() const {
    std::set<size_t> filled;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!is_boundary(graph_.nodes[i])) filled.insert(part_of_[i]);
    }
    for (size_t part = 0; part <= cuts_.size(); ++part) {
      if (filled.contains(part)) continue;
      const bool is_last = part == cuts_.size();
      refuse("GEN0082", is_last ? "no layer is left after this cut" : "no layer is left before this cut",
             cuts_[is_last ? part - 1 : part], {}, "leave this cut out, or name cuts in the order of computation");
    }
  }

  void find_crossing() {
    srdfg::Names names;
    for (const ValueId id : graph_.inputs) names.take(graph_.get(id).name);
    for (const ValueId id : graph_.outputs) names.take(graph_.get(id).name);
    for (size_t reader = 0; reader < graph_.nodes.size(); ++reader) {
      for (const ValueId id : graph_.nodes[reader].inputs) {
        const std::optional<size_t> maker = producers_[id.value];
        if (!maker || part_of_[*maker] == part_of_[reader] || is_opening(graph_.nodes[*maker])) continue;
        if (crossing_.contains(id)) continue;
        const Value& value = graph_.get(id);
        check_stored(value, part_of_[*maker]);
        const bool is_output = std::ranges::find(graph_.outputs, id) != graph_.outputs.end();
        crossing_[id] = is_output ? value.name : names.unique(value.name);
      }
    }
  }

  void check_stored(const Value& value, size_t part) const {
    if (srdfg::is_activation(value)) return;
    refuse("GEN0081", fmt::format("the cut after {} goes through a tensor that is not quantised", cuts_[part]),
           fmt::format("{} {} [{}]", value.name, name(value.dtype), fmt::join(value.shape, ",")),
           {"i8 or u8 with one scale and zero point"}, "cut after another layer, between quantised tensors");
  }

  /// The tensors that leave the graph, or are handed to later parts.
  std::vector<ValueId> outputs_of(size_t part) const {
    std::vector<ValueId> outputs;
    for (const ValueId id : graph_.outputs) {
      const std::optional<size_t> maker = producers_[id.value];
      if ((maker ? part_of_[*maker] : cuts_.size()) == part) outputs.push_back(id);
    }
    for (const auto& [id, name] : crossing_) {
      if (part_of_[*producers_[id.value]] != part) continue;
      if (std::ranges::find(outputs, id) == outputs.end()) outputs.push_back(id);
    }
    return outputs;
  }

  /// The nodes of a part in their order: those that it computes, and those that open inputs for them.
  std::vector<size_t> nodes_of(size_t part, const std::vector<ValueId>& outputs) const {
    std::set<ValueId> read(outputs.begin(), outputs.end());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (part_of_[i] == part && !is_opening(node)) read.insert(node.inputs.begin(), node.inputs.end());
    }
    std::vector<size_t> nodes;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_opening(node) ? read.contains(node.outputs[0]) : part_of_[i] == part) nodes.push_back(i);
    }
    return nodes;
  }

  Graph graph_of(size_t part) const {
    const std::vector<ValueId> outputs = outputs_of(part);
    const std::vector<size_t> nodes = nodes_of(part, outputs);
    std::set<ValueId> read(outputs.begin(), outputs.end());
    std::set<ValueId> made;
    for (const size_t i : nodes) {
      read.insert(graph_.nodes[i].inputs.begin(), graph_.nodes[i].inputs.end());
      made.insert(graph_.nodes[i].outputs.begin(), graph_.nodes[i].outputs.end());
    }
    PartBuilder builder(graph_, crossing_);
    for (const ValueId id : graph_.inputs) {
      if (read.contains(id)) builder.add_input(id);
    }
    for (const auto& [id, name] : crossing_) {
      if (read.contains(id) && !made.contains(id)) builder.add_input(id);
    }
    for (const size_t i : nodes) builder.add_node(graph_.nodes[i]);
    for (const ValueId id : outputs) builder.add_output(id);
    return std::move(builder).finish();
  }

  const Graph& graph_;
  const std::vector<std::string>& cuts_;
  const std::vector<std::optional<size_t>> producers_;
  std::vector<size_t> part_of_;  ///< by node
  Crossing crossing_;
};

}  // namespace

Result<std::vector<Graph>> cut(const Graph& graph, const std::vector<std::string>& cuts) {
  return guarded<std::vector<Graph>>([&] { return Cutter(graph, cuts).run(); });
}

}  // namespace covenant::compiler
