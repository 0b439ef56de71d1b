/// Places the values that a Concat joins directly in its result, if the layers that make them can write there.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/layers/axis_orders.h"
#include "compiler/srdfg/graph.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// Layers run in the order of their nodes. If vectors are not cut off (`written_row`), a layer writes past its last
/// channel into the next part, which is written later: by its own layer, or by a copy after all of them. After the last
/// part a Concat has spare room.
class ConcatPlacement {
 public:
  /// All arguments must outlive it.
  ConcatPlacement(const srdfg::Graph& graph, const acg::Machine& machine, const AxisOrders& orders);

  /// A part of the storage of `root`, the result of a Concat that is a part of none.
  struct Placement {
    srdfg::ValueId root;
    Storage storage;
  };
  /// Nothing for a value that is made on its own.
  const Placement* find(srdfg::ValueId id) const;

  /// The order in which a value [N,C,H,W] lies that is made of parts, or is one: that of the whole.
  const std::vector<size_t>& order_of(srdfg::ValueId id) const;

  /// Whole vectors with the elements of `order` side by side; of a Concat, with room past its last part.
  Storage usual_storage(srdfg::ValueId id, const std::vector<size_t>& order) const;

  /// The part of `whole` from `starts` on, of rows along `lanes`, with what a layer may write past their ends.
  Storage part_of(const Storage& whole, const std::vector<uint64_t>& starts, const std::vector<uint64_t>& shape,
                  DType dtype, size_t lanes) const;

 private:
  void place_parts(const srdfg::Node& concat);
  bool can_move_in(srdfg::ValueId id, const srdfg::Node& concat, srdfg::ValueId root, const Storage& part) const;
  bool is_within(srdfg::ValueId id, srdfg::ValueId root) const;
  bool is_read_within(srdfg::ValueId id, srdfg::ValueId root) const;
  uint64_t written_from(srdfg::ValueId id, size_t lanes) const;
  void trace();
  size_t first_write(srdfg::ValueId id) const;
  const srdfg::Node* concat_that_makes(srdfg::ValueId id) const;

  const srdfg::Graph& graph_;
  const acg::Machine& machine_;
  const AxisOrders& orders_;
  std::vector<std::optional<size_t>> producers_;
  std::vector<std::vector<size_t>> consumers_;
  std::map<srdfg::ValueId, Placement> placements_;
  std::vector<srdfg::ValueId> shown_;              ///< by value: the value that it is a view of by movements, or itself
  std::map<srdfg::ValueId, size_t> first_writes_;  ///< nodes
  mutable std::map<std::pair<srdfg::ValueId, size_t>, uint64_t> written_;  ///< `written_from`, once it is known
};

}  // namespace covenant::compiler
