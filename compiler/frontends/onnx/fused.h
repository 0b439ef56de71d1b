/// A quantised layer found in the model, in either style, and its conversion to a normalised node.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler::frontend {

/// A quantised tensor that a layer reads. Without a quantisation it has the one its producer gave it.
struct Operand {
  srdfg::ValueId value;
  std::optional<srdfg::Quantization> quantization{};
};

/// A layer that normalize turns into one node. Ids and node numbers are those of the model's graph.
struct Layer {
  size_t core = 0;  ///< the node that names it and has its attributes: the Conv of DequantizeLinear-Conv-QuantizeLinear
  std::string operation{};             ///< as operators.h calls it
  std::vector<Operand> activations{};  ///< in the model's order
  std::optional<Operand> weight{};
  std::optional<srdfg::ValueId> bias{};
  std::optional<srdfg::ValueId> table{};    ///< table of a lookup
  std::vector<std::vector<float>> reals{};  ///< gains and offsets of a layer_norm
  srdfg::ValueId output{};
  std::optional<srdfg::Quantization> output_quantization{};  ///< nullopt: as the first operand
  std::optional<int64_t> lowest{};                           ///< limits of the stored output; nullopt: those of its
                                                             ///< dtype
  std::optional<int64_t> highest{};
  std::vector<size_t> pattern{};  ///< the nodes that it replaces, in the graph's order
};

/// The normalised graph as it grows.
struct Normalizing {
  const srdfg::Graph& model;
  srdfg::Graph graph;
  std::vector<std::optional<srdfg::ValueId>> ids{};  ///< per value of the model: the one in `graph`
  std::set<std::string> interface{};                 ///< names of the model's inputs and outputs
  srdfg::Names names{};                              ///< taken so far: those, and of values and nodes

  /// `value` under its name, or one with a number after it; the model's inputs and outputs keep theirs.
  srdfg::ValueId add(srdfg::Value value);
  /// `made` of `id` by a new node `name` that only moves elements.
  srdfg::ValueId add_movement(const std::string& name, const char* operation, srdfg::ValueId id, srdfg::Value made,
                              std::map<std::string, srdfg::Attribute> attributes = {});
};

/// Appends the node of `layer`, its params and its output. Errors: ONX0010 to ONX0016 (not supported).
Status append(Normalizing& normalizing, Layer layer);

/// The value of the normalised graph that `operand` is, its quantisation set or checked (ONX0012, ONX0014).
Result<srdfg::ValueId> connect(Normalizing& normalizing, const srdfg::Node& node, const Operand& operand);

}  // namespace covenant::compiler::frontend
