#include "compiler/embedding/instruction.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>
#include <utility>

#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/codelet.h"
#include "compiler/codelet/roles.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler::embedding {
namespace {

using codelet::elements_of;
using codelet::Function;

std::optional<Function> function_of(const std::string& name) {
  const auto info = codelet::function_named(name);
  return info ? std::optional(info->function) : std::nullopt;
}

bool adds_products(const std::string& name) {
  const std::optional<Function> function = function_of(name);
  return function == Function::kGemm || function == Function::kMmul || function == Function::kMac;
}

bool commutes(const acg::Capability& capability) {
  codelet::Compute compute;
  compute.capability = capability.name;
  compute.operands.resize(capability.inputs.size());
  return codelet::operand_orders(compute).size() > 1;
}

/// The axes of an operand: those of `axes` that are longer than 1.
InstructionOperand operand(const Instruction& instruction, const acg::CapabilityOperand& given,
                           std::initializer_list<size_t> axes) {
  InstructionOperand operand{given.dtype, {}};
  for (const size_t axis : axes) {
    if (instruction.axes[axis].size > 1) operand.axes.push_back(axis);
  }
  return operand;
}

/// [rows, inner] times [inner, columns].
bool make_matrices(const acg::Capability& capability, Instruction& instruction) {
  const std::optional<Function> function = function_of(capability.name);
  if (function != Function::kGemm && function != Function::kMmul) return false;
  const size_t x = elements_of(capability.inputs[0].shape), w = elements_of(capability.inputs[1].shape);
  const size_t inner = codelet::inner_extent(x, w, elements_of(capability.output.shape));
  if (inner == 0) return false;
  instruction.axes = {{"rows", static_cast<int64_t>(x / inner), false},
                      {"columns", static_cast<int64_t>(w / inner), false},
                      {"inner", static_cast<int64_t>(inner), true}};
  instruction.inputs = {operand(instruction, capability.inputs[0], {0, 2}),
                        operand(instruction, capability.inputs[1], {2, 1})};
  instruction.output = operand(instruction, capability.output, {0, 1});
  return true;
}

/// Lanes of pairs, as many to a lane of the output as operands are longer.
bool make_pairs(const acg::Capability& capability, Instruction& instruction) {
  const size_t results = elements_of(capability.output.shape);
  const size_t most = std::max(elements_of(capability.inputs[0].shape), elements_of(capability.inputs[1].shape));
  if (results == 0 || most < results || most % results != 0) return false;
  instruction.axes = {{"lanes", static_cast<int64_t>(results), false},
                      {"inner", static_cast<int64_t>(most / results), true}};
  for (const acg::CapabilityOperand& input : std::views::take(capability.inputs, 2)) {
    const size_t elements = elements_of(input.shape);
    if (elements != most && elements != 1) return false;
    instruction.inputs.push_back(elements == 1 ? InstructionOperand{input.dtype, {}}
                                               : operand(instruction, input, {0, 1}));
  }
  instruction.output = operand(instruction, capability.output, {0});
  return true;
}

/// Lanes of the output, each of all operands that are not broadcast.
bool make_lanes(const acg::Capability& capability, Instruction& instruction) {
  const size_t results = elements_of(capability.output.shape);
  instruction.axes = {{"lanes", static_cast<int64_t>(results), false}};
  for (size_t i = 0; i < capability.inputs.size(); ++i) {
    const acg::CapabilityOperand& input = capability.inputs[i];
    const bool is_table = function_of(capability.name) == Function::kLookup && i == 1;
    const size_t elements = elements_of(input.shape);
    if (!is_table && elements != results && elements != 1) return false;
    instruction.inputs.push_back(is_table || elements == 1 ? InstructionOperand{input.dtype, {}}
                                                           : operand(instruction, input, {0}));
  }
  instruction.output = operand(instruction, capability.output, {0});
  return true;
}

}  // namespace

bool InstructionOperand::mentions(size_t axis) const { return std::ranges::find(axes, axis) != axes.end(); }

int64_t instances(const Instruction& instruction) {
  int64_t count = 1;
  for (const InstructionAxis& axis : instruction.axes) count *= axis.size;
  return count;
}

std::string print(const Instruction& instruction) {
  std::string text = instruction.compute;
  for (const InstructionAxis& axis : instruction.axes) text += fmt::format(" {} {}", axis.name, axis.size);
  return text;
}

bool is_alike(const std::string& one, const std::string& other) {
  return one == other || (adds_products(one) && adds_products(other));
}

std::optional<Instruction> instruction_of(const acg::Capability& capability, acg::CapabilityMatch match) {
  Instruction instruction;
  instruction.compute = capability.name;
  instruction.match = match;
  instruction.commutes = commutes(capability);
  if (!adds_products(capability.name)) {
    return make_lanes(capability, instruction) ? std::optional(instruction) : std::nullopt;
  }
  if (capability.inputs.size() < 2) return std::nullopt;
  const bool is_made = make_matrices(capability, instruction) || make_pairs(capability, instruction);
  return is_made ? std::optional(instruction) : std::nullopt;
}

bool has_types(const Instruction& instruction, const Workload& workload, bool is_exchanged) {
  if (instruction.output.dtype != workload.output.dtype || instruction.inputs.size() != workload.inputs.size()) {
    return false;
  }
  for (size_t i = 0; i < instruction.inputs.size(); ++i) {
    const size_t from = is_exchanged && i < 2 ? 1 - i : i;
    if (instruction.inputs[i].dtype != workload.inputs[from].dtype) return false;
  }
  return true;
}

std::vector<Instruction> instructions_for(const Workload& workload, const acg::Machine& machine) {
  std::vector<Instruction> found;
  for (uint32_t node = 0; node < machine.computes.size(); ++node) {
    const std::vector<acg::Capability>& capabilities = machine.computes[node].capabilities;
    for (size_t i = 0; i < capabilities.size(); ++i) {
      if (!is_alike(capabilities[i].name, workload.compute)) continue;
      std::optional<Instruction> made = instruction_of(capabilities[i], {acg::ComputeId{node}, i});
      if (!made) continue;
      const bool fits = has_types(*made, workload, false) || (made->commutes && has_types(*made, workload, true));
      if (fits) found.push_back(std::move(*made));
    }
  }
  return found;
}

}  // namespace covenant::compiler::embedding
