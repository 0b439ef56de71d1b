/// Machines with an edge removed.
#pragma once

#include <string_view>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/queries.h"

namespace covenant::test {

/// Without the edges from memory `from` to memory `to`, of which there must be one.
inline acg::Machine without_edge(acg::Machine machine, std::string_view from, std::string_view to) {
  const std::optional<acg::MemoryId> first = acg::find_memory(machine, from);
  const std::optional<acg::MemoryId> last = acg::find_memory(machine, to);
  check(first && last, "both memories are there");
  const auto erased = std::erase_if(machine.edges, [&](const acg::Edge& edge) {
    return edge.from == acg::NodeId(*first) && edge.to == acg::NodeId(*last);
  });
  check(erased == 1, "the machine has the edge");
  return machine;
}

}  // namespace covenant::test
