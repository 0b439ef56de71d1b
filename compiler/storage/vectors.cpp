#include "compiler/storage/vectors.h"

#include <algorithm>

#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {

bool has_transfer_engines(const acg::Machine& machine) {
  return std::any_of(machine.edges.begin(), machine.edges.end(),
                     [&](const acg::Edge& edge) { return acg::transfer_ends(machine, edge).has_value(); });
}

uint64_t reduced_at_once(const acg::Machine& machine) {
  uint64_t at_once = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      for (const acg::CapabilityOperand& input : capability.inputs) {
        if (input.shape.size() == 2) at_once = std::max(at_once, input.shape.front());
      }
    }
  }
  return at_once;
}

Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape) {
  return vector_storage(machine, dtype, shape, memory_order(shape.size()));
}

Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape,
                       const std::vector<size_t>& order) {
  const std::string& memory = acg::get(machine, acg::outermost_memory(machine)).name;
  return dense(memory, shape, order, codelet::padded_size(machine, dtype, shape.at(order.back())));
}

uint64_t written_row(const acg::Machine& machine, DType dtype, uint64_t size) {
  return has_transfer_engines(machine) ? size : codelet::padded_size(machine, dtype, size);
}

}  // namespace covenant::compiler
