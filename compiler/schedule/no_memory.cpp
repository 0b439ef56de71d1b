#include "compiler/schedule/no_memory.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "acg/graph/queries.h"
#include "compiler/codelet/paths.h"

namespace covenant::compiler {

Diagnostic no_memory(const acg::Machine& machine, acg::ComputeId node, std::optional<size_t> position,
                     const std::string& capability, const std::string& tensor, uint64_t bytes_at_once) {
  const std::string& name = acg::get(machine, node).name;
  // Memories that would do but for the size of what is taken at once: every size holds no bytes.
  const std::vector<acg::MemoryId> beside =
      position ? input_memories(machine, node, *position, 0) : output_memories(machine, node, 0);
  std::vector<std::string> sizes;
  std::string fix = position ? fmt::format("add an edge from a scratchpad to {}", name)
                             : fmt::format("add an edge from {} to a scratchpad", name);
  for (const acg::MemoryId id : beside) {
    const acg::Memory& memory = acg::get(machine, id);
    sizes.push_back(fmt::format("multiples of {} bytes in {}", memory.unit_bytes(), memory.name));
    fix = bytes_at_once % memory.unit_bytes() == 0
              ? fmt::format(
                    "let edges lead from the node that makes the operand to {0}, and from {0} to the node that "
                    "takes it",
                    memory.name)
              : fmt::format("set the granularity of {} so that granularity * banks divides {} bits", memory.name,
                            8 * bytes_at_once);
  }
  return {"CDL0052",
          {},
          "",
          fmt::format("'{}' has no scratchpad that can hold this operand of {} on {}", machine.name, capability, name),
          fmt::format("{}, {} bytes at once", tensor, bytes_at_once),
          std::move(sizes),
          std::move(fix)};
}

}  // namespace covenant::compiler
