#include "compiler/embedding/places.h"

#include <cstdlib>

namespace covenant::compiler::embedding {
namespace {

const Access& operand_access(const Workload& workload, bool is_exchanged, size_t input) {
  return workload.inputs[is_exchanged && input < 2 ? 1 - input : input];
}

/// Adds what moving along the axis needs in one tensor. False if it cannot be: the axis moves through several
/// dimensions at once, or outputs share an index.
bool add_needs(const Workload& workload, const Access& access, size_t axis, bool is_output,
               std::set<Relaxation>& needs) {
  int64_t dimensions = 0;
  for (const AffineIndex& index : access.indices) {
    if (!index.mentions(axis)) continue;
    ++dimensions;
    if (std::abs(index.coefficients[axis]) != 1) needs.insert(Relaxation::kStrided);
    for (size_t other = 0; other < workload.axes.size(); ++other) {
      if (other == axis || !index.mentions(other) || workload.axes[other].extent < 2) continue;
      if (is_output) return false;
      needs.insert(Relaxation::kUnroll);
    }
  }
  return dimensions <= 1;
}

}  // namespace

std::optional<std::set<Relaxation>> needs_of(const Workload& workload, const Instruction& instruction,
                                             bool is_exchanged, size_t axis, size_t place) {
  std::set<Relaxation> needs;
  if (instruction.output.mentions(place) != workload.output.mentions(axis)) return std::nullopt;
  if (!add_needs(workload, workload.output, axis, true, needs)) return std::nullopt;
  for (size_t i = 0; i < instruction.inputs.size(); ++i) {
    const Access& access = operand_access(workload, is_exchanged, i);
    const bool is_there = access.mentions(axis), is_wanted = instruction.inputs[i].mentions(place);
    if (is_there && !is_wanted) return std::nullopt;
    if (!is_there && is_wanted && !access.tensor.empty()) {
      if (!access.is_constant) return std::nullopt;
      needs.insert(Relaxation::kUnroll);  // a constant is repeated
    }
    if (!add_needs(workload, access, axis, false, needs)) return std::nullopt;
  }
  return needs;
}

bool may_idle(const Workload& workload, const Instruction& instruction, bool is_exchanged, size_t place) {
  if (!instruction.axes[place].is_reduction) return true;
  for (size_t i = 0; i < instruction.inputs.size(); ++i) {
    const Access& access = operand_access(workload, is_exchanged, i);
    if (instruction.inputs[i].mentions(place) && access.is_constant && !access.tensor.empty()) return true;
  }
  return false;
}

}  // namespace covenant::compiler::embedding
