#include "compiler/families/vliw/constant_tiles.h"

#include <set>

#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {

using codelet::Operation;
using codelet::Reference;

ConstantTiles tiles_of(codelet::Codelet& tiled, const std::string& constant) {
  ConstantTiles found;
  std::set<std::string> locals;
  for_each_operation(tiled.body, [&](Operation& operation) {
    auto* transfer = std::get_if<codelet::Transfer>(&operation.op);
    const auto* from = transfer == nullptr ? nullptr : std::get_if<Reference>(&transfer->source);
    if (from == nullptr || from->surrogate != constant) return;
    found.transfers.push_back(transfer);
    locals.insert(transfer->local);
  });
  for_each_operation(tiled.body, [&](Operation& operation) {
    auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    for (auto& operand : compute->operands) {
      auto* reference = std::get_if<Reference>(&operand);
      if (reference != nullptr && locals.contains(reference->surrogate)) found.operands.push_back(reference);
    }
  });
  return found;
}

}  // namespace covenant::compiler::vliw
