#include "acg/operations/vliw_traits.h"

#include "acg/operations/vliw_operation_table.h"

namespace covenant::acg {

bool has(Operation operation, VliwTrait trait) {
  const std::optional<VliwOperation> known = vliw_operation(operation);
  if (!known) return false;
  return kVliwOperations.at(static_cast<size_t>(*known)).traits.has(trait);
}

}  // namespace covenant::acg
