#include "compiler/operators/softmax_template.h"

#include <cstring>
#include <string>
#include <vector>

#include "compiler/operators/body_builder.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/softmax_table.h"

namespace covenant::compiler::operators {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

Graph softmax_body(const Graph& graph, const Node& node) {
  BodyBuilder body(graph, node);
  const ValueId x = body.input(0);
  const Value input = body.get(x);
  const Value output = body.output();
  const int64_t axis = srdfg::integer_attribute(node, "axis");
  std::vector<uint64_t> reduced = input.shape;
  reduced[static_cast<size_t>(axis)] = 1;
  const uint64_t length = input.shape[static_cast<size_t>(axis)];
  const std::vector<float> entries = srdfg::exponentials(input.quantization.value().scales[0], length, input.dtype,
                                                         srdfg::steps_to_one(output.quantization.value().scales[0]));
  Value table{.name = output.name + "/exponentials",
              .dtype = DType::kF32,
              .shape = {entries.size()},
              .modifier = Modifier::kParam,
              .data = std::vector<uint8_t>(entries.size() * sizeof(float))};
  std::memcpy(table.data.data(), entries.data(), table.data.size());
  const ValueId exponential = body.add(std::move(table));
  const ValueId largest = body.add(
      node.name + "/largest", "reduce_max", {x},
      {.name = node.name + "/largest", .dtype = input.dtype, .shape = reduced, .quantization = input.quantization},
      {{"axis", axis}});
  const ValueId sum =
      body.add(node.name + "/sum", "softmax_sum", {x, largest, exponential},
               {.name = output.name + "/sum", .dtype = DType::kF32, .shape = reduced}, {{"axis", axis}});
  return body.finish("softmax_quotient", {x, largest, sum, exponential}, node.attributes);
}

}  // namespace covenant::compiler::operators
