/// Orders of a tensor's dimensions in memory: which of them lets its readers do without copies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// The last dimension of an order has its elements side by side. Costs are elements that layers copy because they
/// cannot read a tensor as it lies (access_layouts.h). Movements are followed, and operators that work lane by lane,
/// whose results lie as their first operands do. What a user's operator reads counts nothing.
class AxisOrders {
 public:
  /// Both must outlive it.
  AxisOrders(const srdfg::Graph& graph, const acg::Machine& machine);

  /// Elements that the readers of a value copy if it lies in this order.
  uint64_t copied_by_readers(srdfg::ValueId id, const std::vector<size_t>& order) const;

  /// The order of a value that may lie in any, as inputs of the network may: the one with the fewest such elements. The
  /// usual one, if it has as few; otherwise that of the model with one dimension moved to the end.
  std::vector<size_t> best_for(srdfg::ValueId id) const;

  /// The order of the result of a Concat of images: the usual one, unless its readers want another one more than the
  /// layers that make parts of it as images do. Precondition: the result has four dimensions.
  const std::vector<size_t>& of_concat(srdfg::ValueId result) const { return concats_.at(result); }

 private:
  Storage in_order(srdfg::ValueId id, const std::vector<size_t>& order) const;
  uint64_t copied(srdfg::ValueId id, const Storage& storage, size_t steps) const;
  uint64_t copied_after(const srdfg::Node& movement, srdfg::ValueId x, const Storage& storage, size_t steps) const;
  std::vector<size_t> order_of_concat(const srdfg::Node& concat) const;
  uint64_t elements(srdfg::ValueId id) const;

  const srdfg::Graph& graph_;
  const acg::Machine& machine_;
  std::vector<std::vector<size_t>> readers_;
  std::vector<std::optional<size_t>> makers_;
  std::map<srdfg::ValueId, std::vector<size_t>> concats_;
};

}  // namespace covenant::compiler
