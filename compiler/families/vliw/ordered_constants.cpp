#include "compiler/families/vliw/ordered_constants.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <vector>

#include "compiler/codelet/rewrite.h"
#include "compiler/families/vliw/constant_tiles.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Codelet;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;

using Order = std::vector<size_t>;

/// Depth of the outermost loop that moves an index; the number of loops if none does.
size_t depth_of(const Expression& index, const std::vector<const Loop*>& loops) {
  for (size_t depth = 0; depth < loops.size(); ++depth) {
    if (index.mentions(loops[depth]->variable)) return depth;
  }
  return loops.size();
}

Order order_of(const Reference& reference, const std::vector<const Loop*>& loops) {
  Order order(reference.indices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end() - kMatrix, [&](size_t one, size_t other) {
    return depth_of(reference.indices[one], loops) < depth_of(reference.indices[other], loops);
  });
  return order;
}

template <typename T>
void reorder(std::vector<T>& values, const Order& order) {
  if (values.empty()) return;
  std::vector<T> result;
  for (const size_t d : order) result.push_back(values[d]);
  values = std::move(result);
}

void reorder(Surrogate& constant, const Order& order) {
  reorder(constant.shape, order);
  const auto name = [](const char* of, size_t d) { return fmt::format("{}{}", of, d); };
  for (Expression& one : constant.packing) {
    for (size_t d = 0; d < order.size(); ++d) {
      one = one.substitute(name("p", order[d]), Expression::variable(name("to", d)));
    }
    for (size_t d = 0; d < order.size(); ++d) one = one.substitute(name("to", d), Expression::variable(name("p", d)));
  }
}

void reorder(Codelet& codelet, const std::string& constant, const Order& order) {
  const ConstantTiles tiles = tiles_of(codelet, constant);
  for (Transfer* transfer : tiles.transfers) {
    reorder(std::get<Reference>(transfer->source).indices, order);
    reorder(transfer->shape, order);
  }
  for (Reference* operand : tiles.operands) reorder(operand->indices, order);
  reorder(*find_surrogate(codelet, constant), order);
}

}  // namespace

Codelet with_ordered_constants(const Codelet& tiled, const std::map<std::string, ConstantTensor>& constants) {
  std::map<std::string, Order> orders;
  for_each_operation(tiled.body, [&](const Operation& operation, const std::vector<const Loop*>& loops) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    const auto* from = transfer == nullptr ? nullptr : std::get_if<Reference>(&transfer->source);
    if (from == nullptr || !constants.contains(from->surrogate) || from->indices.size() <= kMatrix) return;
    if (find_surrogate(tiled, from->surrogate)->packing.empty()) return;
    orders.emplace(from->surrogate, order_of(*from, loops));
  });
  Codelet result = tiled;
  for (const auto& [constant, order] : orders) reorder(result, constant, order);
  return result;
}

}  // namespace covenant::compiler::vliw
