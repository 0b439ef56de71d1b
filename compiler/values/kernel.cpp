#include "compiler/values/kernel.h"

#include <algorithm>
#include <cstring>

#include "compiler/reference/evaluate.h"
#include "compiler/values/layout.h"

namespace covenant::compiler::values {

bool has_only(const srdfg::Node& node, std::initializer_list<std::string_view> known) {
  return std::ranges::all_of(node.attributes, [&](const auto& attribute) {
    return std::find(known.begin(), known.end(), attribute.first) != known.end();
  });
}

bool is_byte_activation(const srdfg::Value& value) {
  return is_byte(value.dtype) && value.quantization && value.quantization->scales.size() == 1;
}

float scale_of(const srdfg::Value& value) { return value.quantization.value().scales.at(0); }

int32_t zero_of(const srdfg::Value& value) { return value.quantization.value().zero_points.at(0); }

Kernel exact_kernel(const Problem& problem) {
  return {0, [graph = &problem.graph, node = &problem.node](auto inputs, uint8_t* y, uint8_t*) {
            std::vector<reference::Tensor> operands;
            for (const srdfg::ValueId id : node->inputs) {
              const srdfg::Value& value = graph->get(id);
              if (value.modifier == srdfg::Modifier::kParam) continue;
              reference::Tensor& tensor = operands.emplace_back(reference::zeros(value.dtype, value.shape));
              to_row_major(value, inputs[operands.size() - 1], tensor.bytes.data());
            }
            std::vector<const reference::Tensor*> pointers;
            for (const reference::Tensor& tensor : operands) pointers.push_back(&tensor);
            const reference::Tensor made = reference::evaluate_node(*graph, *node, pointers);
            to_stored(graph->get(node->outputs[0]), made.bytes.data(), y);
          }};
}

}  // namespace covenant::compiler::values
