#include "compiler/operators/softmax_template.h"

#include <cstring>
#include <string>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/softmax_table.h"

namespace covenant::compiler::operators {

using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

void expand_softmax(Expansion& expansion, Node node) {
  const ValueId x = node.inputs[0];
  const Value input = expansion.graph.get(x);
  const std::string output = expansion.graph.get(node.outputs[0]).name;
  const int64_t axis = srdfg::integer_attribute(node, "axis");
  std::vector<uint64_t> reduced = input.shape;
  reduced[static_cast<size_t>(axis)] = 1;
  const uint64_t length = input.shape[static_cast<size_t>(axis)];
  const std::vector<float> entries =
      srdfg::exponentials(input.quantization.value().scales[0], length, input.dtype,
                          srdfg::steps_to_one(expansion.graph.get(node.outputs[0]).quantization.value().scales[0]));
  Value table{.name = output + "/exponentials",
              .dtype = DType::kF32,
              .shape = {entries.size()},
              .modifier = Modifier::kParam,
              .data = std::vector<uint8_t>(entries.size() * sizeof(float))};
  std::memcpy(table.data.data(), entries.data(), table.data.size());
  const ValueId exponential = expansion.add(std::move(table));
  const ValueId largest = expansion.add(
      node.name + "/largest", "reduce_max", {x},
      {.name = node.name + "/largest", .dtype = input.dtype, .shape = reduced, .quantization = input.quantization},
      {{"axis", axis}});
  const ValueId sum =
      expansion.add(node.name + "/sum", "softmax_sum", {x, largest, exponential},
                    {.name = output + "/sum", .dtype = DType::kF32, .shape = reduced}, {{"axis", axis}});
  node.operation = "softmax_quotient";
  node.inputs = {x, largest, sum, exponential};
  node.body.clear();
  expansion.graph.nodes.push_back(std::move(node));
}

}  // namespace covenant::compiler::operators
