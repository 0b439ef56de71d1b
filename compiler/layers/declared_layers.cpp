#include "compiler/layers/declared_layers.h"

#include <algorithm>
#include <map>

#include "acg/base/check.h"
#include "compiler/binding/declared_codelets.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {

using codelet::Codelet;
using codelet::SurrogateKind;

namespace {

void set_params(const Codelet& codelet, const srdfg::Graph& graph, const srdfg::Node& node, size_t lanes,
                NetworkLayer& layer) {
  const srdfg::Value& y = graph.get(node.outputs.at(0));
  const uint64_t elements = srdfg::element_count(y.shape);
  const std::map<std::string, int64_t> known{{"C", static_cast<int64_t>(y.shape.at(lanes))},
                                             {"P", static_cast<int64_t>(elements / y.shape.at(lanes))},
                                             {"LOWEST", srdfg::integer_attribute(node, "lowest")},
                                             {"HIGHEST", srdfg::integer_attribute(node, "highest")},
                                             {"ZERO", y.quantization.value().zero_points.at(0)}};
  for (const std::string& param : tensors_of(codelet, SurrogateKind::kParam)) {
    const auto value = known.find(param);
    if (value != known.end()) layer.layer.params[param] = value->second;
  }
  for_each_operation(codelet.body, [&](const codelet::Operation& operation, const std::vector<const codelet::Loop*>&) {
    if (std::holds_alternative<codelet::Compute>(operation.op)) layer.elementwise += elements;
  });
}

}  // namespace

Status bind_declared(const Codelet& codelet, LayerBuilder& builder) {
  const srdfg::Node& node = builder.node;
  const std::vector<size_t> order = builder.tensors.lane_order(node);
  const std::vector<std::string> read = tensors_of(codelet, SurrogateKind::kInp);
  const std::vector<std::string> made = tensors_of(codelet, SurrogateKind::kOut);
  const bool fits = read.size() == node.inputs.size() && made.size() == node.outputs.size();
  check(fits, "a declared operator has its codelet's tensors");
  for (size_t i = 0; i < read.size(); ++i) {
    if (Status status = builder.read(read[i], node.inputs[i], AccessLayout::kLanes, order); !status) return status;
  }
  set_params(codelet, builder.graph, node, order.back(), builder.layer);
  for (size_t i = 0; i < made.size(); ++i) {
    if (Status status = builder.write(made[i], node.outputs[i], order); !status) return status;
  }
  return Done{};
}

}  // namespace covenant::compiler
