#include "compiler/families/vliw/covered_constants.h"

#include <algorithm>

#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Codelet;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;

/// The highest value of an index over the enclosing loops.
int64_t greatest(codelet::Expression index, const std::vector<const Loop*>& loops) {
  for (const Loop* loop : loops) {
    const int64_t lower = loop->lower.constant().value(), stride = loop->stride.constant().value();
    const int64_t last = lower + (loop->upper.constant().value() - 1 - lower) / stride * stride;
    index = index.substitute(loop->variable, index.coefficient(loop->variable) < 0 ? lower : last);
  }
  return index.constant().value();
}

void cover(Surrogate& constant, const Reference& reference, const Transfer& transfer,
           const std::vector<const Loop*>& loops) {
  const std::vector<int64_t> shape = constants(constant.shape), extents = constants(transfer.shape);
  std::vector<int64_t> wanted = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t first = reference.indices.empty() ? 0 : greatest(reference.indices[d], loops);
    wanted[d] = std::max(shape[d], first + extents[d]);
  }
  if (wanted == shape) return;
  if (constant.logical_shape.empty()) constant.logical_shape = shape;
  constant.shape.assign(wanted.begin(), wanted.end());
}

}  // namespace

Codelet with_covered_constants(const Codelet& tiled, const std::map<std::string, ConstantTensor>& constants) {
  Codelet result = tiled;
  for_each_operation(tiled.body, [&](const Operation& operation, const std::vector<const Loop*>& loops) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    const auto* from = transfer == nullptr ? nullptr : std::get_if<Reference>(&transfer->source);
    if (from == nullptr || !constants.contains(from->surrogate)) return;
    cover(*find_surrogate(result, from->surrogate), *from, *transfer, loops);
  });
  return result;
}

}  // namespace covenant::compiler::vliw
