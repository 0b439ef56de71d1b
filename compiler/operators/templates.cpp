#include "compiler/operators/templates.h"

#include <utility>

#include "compiler/operators/operator.h"
#include "compiler/operators/turned_products.h"
#include "compiler/srdfg/bodies.h"

namespace covenant::compiler::operators {

srdfg::Graph with_bodies(srdfg::Graph graph) {
  for (srdfg::Node& node : graph.nodes) {
    const Operator* row = find_operator(node.operation);
    if (row != nullptr && row->body != nullptr && node.body.empty()) node.body = {row->body(graph, node)};
  }
  return graph;
}

srdfg::Graph inlined_components(srdfg::Graph graph) {
  return srdfg::inline_bodies(std::move(graph),
                              [](const srdfg::Node& node) { return find_operator(node.operation) != nullptr; });
}

srdfg::Graph expand_templates(srdfg::Graph graph, const std::function<bool(const srdfg::Node&)>& is_whole) {
  return srdfg::inline_bodies(with_bodies(with_turned_products(std::move(graph))), is_whole);
}

srdfg::Graph expand_templates(srdfg::Graph graph) {
  return expand_templates(std::move(graph), [](const srdfg::Node&) { return false; });
}

}  // namespace covenant::compiler::operators
