/// The program covenant_evaluate MODEL.onnx OUTPUT_FOLDER INPUT=ARRAY.npy...
///
/// Evaluates a quantised model with the reference operators. Each array stacks the runs along a first axis of its own.
/// Writes the value of every node, stacked in the same way, to OUTPUT_FOLDER/<number>.npy, and their names, one per
/// line in the order of the numbers, to OUTPUT_FOLDER/names.txt. If the model cannot be evaluated, prints a diagnostic
/// and exits with code 2.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>

#include "compiler/frontends/onnx/load_model.h"
#include "compiler/reference/evaluate.h"
#include "compiler/reference/npy.h"

namespace {

using covenant::compiler::reference::Tensor;
using covenant::compiler::reference::Tensors;

int complain(std::string_view message) {
  fmt::print(stderr, "covenant_evaluate: {}\n", message);
  return 2;
}

/// Run number `index` of a stack.
Tensor slice(const Tensor& stack, size_t index) {
  const size_t size = stack.bytes.size() / stack.shape[0];
  const auto first = stack.bytes.begin() + static_cast<std::ptrdiff_t>(index * size);
  return {
      stack.dtype, {stack.shape.begin() + 1, stack.shape.end()}, {first, first + static_cast<std::ptrdiff_t>(size)}};
}

void append(Tensors& stacks, const Tensors& run, size_t runs) {
  for (const auto& [name, tensor] : run) {
    Tensor& stack = stacks[name];
    stack.dtype = tensor.dtype;
    stack.shape = tensor.shape;
    stack.shape.insert(stack.shape.begin(), runs);
    stack.bytes.insert(stack.bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
}

bool write(const std::filesystem::path& folder, const Tensors& stacks) {
  std::ofstream names(folder / "names.txt");
  size_t number = 0;
  for (const auto& [name, stack] : stacks) {
    names << name << '\n';
    if (!covenant::compiler::reference::write_npy(folder / fmt::format("{}.npy", number++), stack)) return false;
  }
  return static_cast<bool>(names);
}

int run(int count, char** arguments) {
  if (count < 4) return complain("usage: covenant_evaluate MODEL.onnx OUTPUT_FOLDER INPUT=ARRAY.npy...");
  const auto graph = covenant::compiler::frontend::load_model(arguments[1]);
  if (!graph) return complain(covenant::render(graph.error()));
  Tensors stacks;
  size_t runs = 0;
  for (int i = 3; i < count; ++i) {
    const std::string_view argument(arguments[i]);
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return complain("an input is given as NAME=ARRAY.npy");
    auto stack = covenant::compiler::reference::read_npy(argument.substr(equals + 1));
    if (!stack || stack->shape.empty() || stack->shape[0] == 0) return complain("an input array cannot be read");
    if (runs != 0 && runs != stack->shape[0]) return complain("the inputs have different numbers of runs");
    runs = stack->shape[0];
    stacks[std::string(argument.substr(0, equals))] = std::move(*stack);
  }
  Tensors results;
  for (size_t index = 0; index < runs; ++index) {
    Tensors inputs;
    for (const auto& [name, stack] : stacks) inputs[name] = slice(stack, index);
    const auto made = covenant::compiler::reference::evaluate_all(*graph, inputs);
    if (!made) return complain(covenant::render(made.error()));
    append(results, *made, runs);
  }
  return write(arguments[2], results) ? 0 : complain("the results cannot be written");
}

}  // namespace

int main(int count, char** arguments) { return run(count, arguments); }
