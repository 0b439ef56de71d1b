#include "compiler/passes/double_buffer.h"

#include <algorithm>
#include <map>

#include "acg/graph/queries.h"
#include "acg/isa/operation.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/passes/layout.h"
#include "compiler/passes/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Loop;
using codelet::Operation;
using codelet::Transfer;

/// Locals of each memory, in order of appearance.
std::map<acg::MemoryId, std::vector<std::string>> locals_by_memory(const Codelet& tiled,
                                                                   const std::map<std::string, LocalLayout>& layouts) {
  std::map<acg::MemoryId, std::vector<std::string>> result;
  for_each_operation(tiled.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer != nullptr && !transfer->local.empty()) {
      result[layouts.at(transfer->local).memory].push_back(transfer->local);
    }
  });
  return result;
}

}  // namespace

Result<Codelet> double_buffer(const Codelet& tiled, const acg::Machine& machine) {
  const std::map<std::string, LocalLayout> layouts = local_layouts(tiled, machine);
  std::map<std::string, std::pair<uint32_t, uint64_t>> places;
  for (auto& [id, locals] : locals_by_memory(tiled, layouts)) {
    const acg::Memory& memory = acg::get(machine, id);
    if (locals.size() > memory.channels) {
      return codelet::diagnose("CDL0060", {}, tiled.name, memory.name + " has too few channels for its locals",
                               std::to_string(locals.size()) + " locals",
                               {std::to_string(memory.channels) + " or fewer"},
                               "give " + memory.name + " more channels, or spread the operands over more memories");
    }
    std::vector<std::string> order = locals;
    std::stable_sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
      return layouts.at(a).alignment_units > layouts.at(b).alignment_units;
    });
    uint64_t next = 0;
    for (const std::string& local : order) {
      const LocalLayout& layout = layouts.at(local);
      next = (next + layout.alignment_units - 1) / layout.alignment_units * layout.alignment_units;
      const auto slot = static_cast<uint32_t>(std::find(locals.begin(), locals.end(), local) - locals.begin());
      places[local] = {slot, next};
      next += layout.units;
    }
    if (next > memory.half_units()) {
      return codelet::diagnose("CDL0061", {}, tiled.name, "the locals of " + memory.name + " do not fit one half of it",
                               std::to_string(next * memory.unit_bytes()) + " bytes",
                               {std::to_string(memory.half_bytes()) + " bytes or fewer"},
                               "make " + memory.name + " deeper");
    }
  }
  Codelet buffered = tiled;
  for_each_operation(buffered.body, [&](Operation& operation) {
    auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const auto& [slot, offset] = places.at(transfer->local);
    transfer->slot = slot;
    transfer->offset = offset;
  });
  return buffered;
}

}  // namespace covenant::compiler
