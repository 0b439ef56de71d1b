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

using srdfg::ChainOperand;
using srdfg::ChainOperation;
using srdfg::ChainStep;
using srdfg::Value;

using Pair = float (*)(float, float);

Pair pair_of(ChainOperation operation) {
  if (operation == ChainOperation::kAdd) return [](float a, float b) { return a + b; };
  if (operation == ChainOperation::kSub) return [](float a, float b) { return a - b; };
  if (operation == ChainOperation::kMul) return [](float a, float b) { return a * b; };
  if (operation == ChainOperation::kDiv) return [](float a, float b) { return a / b; };
  if (operation == ChainOperation::kMax) return [](float a, float b) { return b > a ? b : a; };
  check(operation == ChainOperation::kMin, "an operation of two operands");
  return [](float a, float b) { return b < a ? b : a; };
}

/// Results of a step for all elements.
std::vector<float> made_by(const ChainStep& step, size_t size, const std::vector<std::vector<float>>& inputs,
                           const std::vector<std::vector<float>>& made) {
  if (step.operation == ChainOperation::kLoad) return inputs.at(std::get<size_t>(step.operands[0]));
  const auto all = [&](const ChainOperand& operand) {
    const auto* number = std::get_if<float>(&operand);
    return number != nullptr ? std::vector<float>(size, *number) : made[std::get<size_t>(operand)];
  };
  std::vector<float> result = all(step.operands.front());
  if (step.operation == ChainOperation::kSqrt) {
    for (float& element : result) element = std::sqrt(element);
    return result;
  }
  const Pair pair = pair_of(step.operation);
  const std::vector<float> other = all(step.operands.back());
  std::ranges::transform(result, other, result.begin(), pair);
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
  for (const ChainStep& step : steps) made.push_back(made_by(step, size, loaded, made));
  const Limits limits = limits_of(node, y);
  const float scale = y.quantization.value().scales[0];
  std::vector<int32_t> result;
  for (const float element : made.back()) result.push_back(store(element / scale, limits));
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace covenant::compiler::reference
