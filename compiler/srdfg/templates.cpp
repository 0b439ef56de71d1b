#include "compiler/srdfg/templates.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "compiler/srdfg/expansion.h"
#include "compiler/srdfg/matmul_template.h"
#include "compiler/srdfg/norm_template.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

void expand_softmax(Expansion& expansion, Node node) {
  const ValueId x = node.inputs[0];
  const Value input = expansion.graph.get(x);
  const std::string output = expansion.graph.get(node.outputs[0]).name;
  const int64_t axis = integer_attribute(node, "axis");
  std::vector<uint64_t> reduced = input.shape;
  reduced[static_cast<size_t>(axis)] = 1;
  const uint64_t length = input.shape[static_cast<size_t>(axis)];
  const std::vector<float> entries =
      exponentials(input.quantization.value().scales[0], length, input.dtype,
                   steps_to_one(expansion.graph.get(node.outputs[0]).quantization.value().scales[0]));
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

}  // namespace

std::vector<float> exponentials(float x_scale, uint64_t count, DType dtype, float steps) {
  const auto scale = static_cast<double>(x_scale);
  // In single precision, as in ONNX Runtime: the rounding affects every entry.
  const double most = std::log(std::numeric_limits<float>::max() / static_cast<float>(count));
  const double raised = std::max(0.0, (most - 5) / scale);
  const auto entries = int32_t{1} << bits(dtype);
  std::vector<float> table(static_cast<size_t>(entries));
  for (int32_t below = 0; below < entries; ++below) {
    table[static_cast<size_t>((entries - below) % entries)] = static_cast<float>(std::exp((raised - below) * scale));
  }
  // Their sum divides them: a power of two that divides all of them changes no quotient.
  float divisor = 1;
  while (std::isfinite(steps) && std::isinf(table[0] / divisor * steps)) divisor *= 2;
  for (float& entry : table) entry /= divisor;
  return table;
}

float steps_to_one(float y_scale) { return std::floor(1.0F / y_scale); }

Graph expand_templates(const Graph& graph) {
  Expansion expansion(with_turned_products(graph));
  for (Node& node : expansion.nodes) {
    if (node.operation == "softmax") {
      expand_softmax(expansion, std::move(node));
    } else if (node.operation == "matmul") {
      expand_matmul(expansion, std::move(node));
    } else if (node.operation == "layer_norm") {
      expand_layer_norm(expansion, std::move(node));
    } else {
      expansion.graph.nodes.push_back(std::move(node));
    }
  }
  return std::move(expansion.graph);
}

}  // namespace covenant::compiler::srdfg
