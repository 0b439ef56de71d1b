#include "compiler/embedding/layout.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "compiler/embedding/text.h"

namespace covenant::compiler::embedding {
namespace {

int64_t elements_of(const Access& access) {
  int64_t product = 1;
  for (const int64_t size : access.shape) {
    if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  }
  return product;
}

OperandLayout layout_of(const Access& access, const InstructionOperand& operand, const Embedding& embedding,
                        const Workload& workload, const Instruction& instruction) {
  OperandLayout layout;
  layout.tensor = access.tensor;
  layout.is_constant = access.is_constant;
  layout.elements = elements_of(access);
  for (const size_t place : operand.axes) {
    const InstructionAxis& axis = instruction.axes[place];
    layout.axes.push_back({axis.name, axis.size, print_factors(embedding, workload, place)});
  }
  return layout;
}

}  // namespace

std::vector<OperandLayout> layouts_of(const Embedding& embedding, const Workload& workload,
                                      const Instruction& instruction) {
  std::vector<OperandLayout> layouts;
  for (size_t i = 0; i < instruction.inputs.size(); ++i) {
    const size_t input = embedding.is_exchanged && i < 2 ? 1 - i : i;
    const Access& access = workload.inputs[input];
    layouts.push_back(layout_of(access, instruction.inputs[i], embedding, workload, instruction));
    if (access.is_constant && !access.indices.empty()) {
      layouts.back().packed_elements = packed_elements(embedding, workload, instruction, input);
    }
  }
  layouts.push_back(layout_of(workload.output, instruction.output, embedding, workload, instruction));
  layouts.back().is_output = true;
  return layouts;
}

double utilisation(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  return static_cast<double>(instances(workload)) / static_cast<double>(steps(embedding, workload, instruction)) /
         static_cast<double>(instances(instruction));
}

std::optional<size_t> weights_of(const Workload& workload) {
  for (size_t i = workload.inputs.size(); i-- > 0;) {
    if (workload.inputs[i].is_constant && !workload.inputs[i].indices.empty()) return i;
  }
  return std::nullopt;
}

std::vector<size_t> best_first(const std::vector<Embedding>& embeddings, const Workload& workload,
                               const Instruction& instruction) {
  const std::optional<size_t> weights = weights_of(workload);
  using Cost = std::tuple<int64_t, int64_t, size_t>;
  std::vector<Cost> costs;
  for (const Embedding& one : embeddings) {
    costs.emplace_back(steps(one, workload, instruction),
                       weights ? packed_elements(one, workload, instruction, weights.value()) : 0,
                       relaxations_of(one, workload, instruction).size());
  }
  std::vector<size_t> order(embeddings.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t one) { return costs[one]; });
  return order;
}

}  // namespace covenant::compiler::embedding
