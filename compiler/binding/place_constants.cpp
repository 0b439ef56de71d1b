#include "compiler/binding/place_constants.h"

#include <algorithm>
#include <vector>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/nodes.h"
#include "compiler/codelet/paths.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/mapping/sequence.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

/// An operand of a compute that has its node.
struct Use {
  acg::ComputeId node;
  size_t position = 0;
  uint64_t bytes_at_once = 0;
  SourceLocation where;
};

std::vector<Use> uses_of(const Codelet& codelet, const acg::Machine& machine, const std::string& tensor) {
  std::vector<Use> uses;
  for_each_operation(codelet.body, [&](const codelet::Operation& operation, const std::vector<const codelet::Loop*>&) {
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    const acg::Capability& capability = capability_of(codelet, machine, *compute);
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      const auto* reference = std::get_if<codelet::Reference>(&compute->operands[i]);
      if (reference == nullptr || reference->surrogate != tensor) continue;
      uses.push_back(
          {acg::find_compute(machine, compute->location).value(), i,
           packed_bytes(codelet::dtype_of(codelet, *reference), codelet::elements_of(capability.inputs[i].shape)),
           operation.where});
    }
  });
  return uses;
}

/// The first memory from which a way leads to all uses.
Result<acg::MemoryId> home_of(const acg::Machine& machine, const std::vector<acg::MemoryId>& memories,
                              const std::vector<Use>& uses, const std::string& tensor) {
  std::vector<acg::MemoryId> left = memories;
  for (const Use& use : uses) {
    const std::vector<acg::MemoryId> near = input_memories(machine, use.node, use.position, use.bytes_at_once);
    if (near.empty()) return memories.front();  // no memory holds what the node takes at once: tiling will report it
    const std::vector<acg::MemoryId> before = left;
    std::erase_if(left, [&](acg::MemoryId memory) {
      return !path_to_node(machine, memory, use.node, use.position, use.bytes_at_once).is_there;
    });
    if (!left.empty()) continue;
    Diagnostic missing = no_way(machine, before, use.node, use.position, near, tensor);
    missing.where = use.where;
    return missing;
  }
  return left.front();
}

}  // namespace

Result<Codelet> place_constants(const Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine) {
  const std::vector<acg::MemoryId> memories = acg::constant_memories(machine);
  if (memories.size() == 1) return bound;
  const Result<Codelet> on_nodes = map_to_machine(bound, machine, "mapped");
  if (!on_nodes) return bound;
  Codelet result = bound;
  for (const auto& [name, constant] : layer.constants) {
    const Result<acg::MemoryId> home = home_of(machine, memories, uses_of(*on_nodes, machine, name), name);
    if (!home) {
      Diagnostic missing = home.error();
      missing.subject = layer.layer.name;
      return missing;
    }
    if (*home != memories.front()) find_surrogate(result, name)->location = acg::get(machine, *home).name;
  }
  return result;
}

}  // namespace covenant::compiler
