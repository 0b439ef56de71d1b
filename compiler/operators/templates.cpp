#include "compiler/operators/templates.h"

#include <utility>

#include "compiler/operators/expansion.h"
#include "compiler/operators/matmul_template.h"

namespace covenant::compiler::operators {

srdfg::Graph expand_templates(const srdfg::Graph& graph) {
  Expansion expansion(with_turned_products(graph));
  for (srdfg::Node& node : expansion.nodes) {
    const Operator* row = find_operator(node.operation);
    if (row != nullptr && row->expand != nullptr) {
      row->expand(expansion, std::move(node));
    } else {
      expansion.graph.nodes.push_back(std::move(node));
    }
  }
  return std::move(expansion.graph);
}

}  // namespace covenant::compiler::operators
