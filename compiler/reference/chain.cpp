#include "compiler/reference/chain.h"

#include <algorithm>
#include <cmath>

#include "acg/base/check.h"
#include "compiler/reference/requantize.h"
#include "compiler/srdfg/chain.h"
#include "compiler/srdfg/queries.h"

// Every product, sum and quotient here is rounded to f32 separately: this file is compiled without contraction.

namespace covenant::compiler::reference {
namespace {

using srdfg::ChainStep;
using srdfg::Value;

float taken(const std::string& operation, float a, float b) {
  if (operation == "add") return a + b;
  if (operation == "sub") return a - b;
  if (operation == "mul") return a * b;
  if (operation == "div") return a / b;
  if (operation == "max") return b > a ? b : a;
  check(operation == "min", "an operation that no chain has");
  return b < a ? b : a;
}

/// What a step makes of all elements.
std::vector<float> made_by(const ChainStep& step, size_t size, const std::vector<std::vector<float>>& inputs,
                           const std::vector<std::vector<float>>& made) {
  if (step.operation == "load") return inputs.at(std::get<size_t>(step.operands[0]));
  const auto element = [&](size_t operand, size_t i) {
    const auto* number = std::get_if<float>(&step.operands[operand]);
    return number != nullptr ? *number : made[std::get<size_t>(step.operands[operand])][i];
  };
  std::vector<float> result(size);
  for (size_t i = 0; i < size; ++i) {
    result[i] =
        step.operation == "sqrt" ? std::sqrt(element(0, i)) : taken(step.operation, element(0, i), element(1, i));
  }
  return result;
}

}  // namespace

Tensor float_chain(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs) {
  std::vector<std::vector<float>> loaded;
  size_t next = 0;
  for (const srdfg::ValueId id : node.inputs) {
    const Value& value = graph.get(id);
    const bool is_param = value.modifier == srdfg::Modifier::kParam;
    if (is_param) {
      loaded.push_back(srdfg::float_elements(value));
      continue;
    }
    const Tensor& tensor = *inputs.at(next++);
    loaded.push_back(value.dtype == DType::kF32 ? reals(tensor) : dequantized(value, tensor));
  }
  const Value& y = graph.get(node.outputs[0]);
  const size_t size = srdfg::element_count(y.shape);
  std::vector<std::vector<float>> made;
  const std::string& text = std::get<std::string>(node.attributes.at("steps"));
  const std::vector<ChainStep> steps = srdfg::chain_steps(text, node.inputs.size()).value();
  for (const ChainStep& step : steps) {
    made.push_back(made_by(step, size, loaded, made));
  }
  const Limits limits = limits_of(node, y);
  const float scale = y.quantization.value().scales[0];
  std::vector<int32_t> result;
  for (const float element : made.back()) result.push_back(store(element / scale, limits));
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace covenant::compiler::reference
