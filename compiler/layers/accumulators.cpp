#include "compiler/layers/accumulators.h"

#include <algorithm>
#include <utility>

#include "acg/graph/numerics.h"
#include "compiler/layers/fit_elements.h"
#include "compiler/layers/groups.h"
#include "compiler/operators/operator.h"
#include "compiler/operators/templates.h"
#include "compiler/operators/turned_products.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

/// The zero point that a stored operand has once it has a sign.
int64_t signed_zero_point(const Value& value) {
  const int64_t zero_point = value.quantization.value().zero_points.at(0);
  return info(value.dtype).is_signed ? zero_point : zero_point + lowest(with_sign(value.dtype));
}

}  // namespace

Result<Graph> with_accumulators(Graph graph, const acg::Machine& machine) {
  if (acg::saturates(machine)) {
    return Diagnostic{
        "NET0032",
        {},
        machine.name,
        "sums that saturate depend on the order in which a program makes them",
        "saturates = 1",
        {"the program for this machine", "a machine whose sums wrap"},
        "ask with the program in place of its machine; where none is taken, take a machine whose sums wrap"};
  }
  const uint32_t bits = acg::accumulator_bits(machine);
  if (bits == kWordBits) return graph;
  graph = operators::inlined_components(std::move(graph));
  const Result<Graph> fitted = fit_elements(graph, machine);
  if (!fitted) return fitted.error();
  const std::vector<bool> turns = operators::turned_products(*fitted);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    const operators::Operator* row = operators::find_operator(node.operation);
    if (row == nullptr || !row->sums || is_by_channels(*fitted, fitted->nodes[i], machine)) continue;
    node.attributes[srdfg::kAccumulator] = int64_t{bits};
    if (row->body == nullptr || row->kind != operators::OperatorClass::kRowProduct) continue;
    const int64_t apart = signed_zero_point(fitted->get(node.inputs[turns[i] ? 0 : 1]));
    if (apart != 0) node.attributes[srdfg::kZeroPointApart] = apart;
    if (turns[i]) node.attributes[srdfg::kTurned] = int64_t{1};
  }
  return graph;
}

}  // namespace covenant::compiler
