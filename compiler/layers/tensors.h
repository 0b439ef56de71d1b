/// Maps the values of the graph to activations while layers are made from its nodes: movements become views if a
/// storage can express them, and copies if a layer cannot read such a view.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/layers/axis_orders.h"
#include "compiler/layers/concat_placement.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"
#include "compiler/storage/access_layouts.h"

namespace covenant::compiler {

/// Values of one graph, as they are made. Layers that it needs are appended to the network.
class Tensors {
 public:
  Tensors(const srdfg::Graph& graph, const acg::Machine& machine, Network& network);

  /// A new activation for a value, rows in `order`; a value that is only part of a concat is made in the concat's
  /// result. Error: GEN0022 (a scalar).
  Status make(srdfg::ValueId id, const std::vector<size_t>& order);
  /// The same for an input of the network, in the order that its readers want.
  Status make_input(srdfg::ValueId id);

  /// The same with a given storage. Precondition: the value is not part of a concat.
  Status make(srdfg::ValueId id, Storage storage);

  /// Shows the output of a movement. Errors: GEN0021 (more dimensions than a copy has).
  Status move(const srdfg::Node& node);

  /// The activation that a layer reads in this way; `order` is that of lanes. A copy, if the value's own storage does
  /// not allow it. Error: GEN0021.
  Result<size_t> read(srdfg::ValueId id, AccessLayout layout, const std::vector<size_t>& order = {});
  /// From now on, a tensor that shares the storage of another one, whose shape it had before a reshape, is read in its
  /// own shape.
  void keep_shape(srdfg::ValueId id);

  /// The value in a tiled storage: copied there, tile by tile. Error: GEN0021.
  Result<size_t> in_tiles(srdfg::ValueId id, Storage storage);

  /// A value [G,M,K] of which each row has room for `columns` elements side by side. Error: GEN0021.
  Result<size_t> read_rows(srdfg::ValueId id, uint64_t columns);

  /// The activation that holds a value.
  size_t activation_of(srdfg::ValueId id);

  /// The same for the host: a copy, if an element of memory stands for several.
  Result<size_t> to_host(srdfg::ValueId id);

  /// The activation [N,C,H,W] of which the value is [N,C*H*W], if it is no more than that: a gemm may read it so.
  std::optional<size_t> flattened(srdfg::ValueId id) const;

  /// The order in which a layer that works lane by lane has the dimensions of its operands and result: that of the
  /// operand, or of a copy of one, with which the fewest elements are copied, by itself and by those who read the
  /// result.
  std::vector<size_t> lane_order(const srdfg::Node& node) const;

 private:
  /// Place of a value: an activation, or a storage in its allocation for which there is no activation yet.
  struct Shown {
    size_t activation = 0;
    bool is_flat = false;
    std::optional<Storage> view{};
  };

  Storage storage_of(srdfg::ValueId id) const;
  uint64_t copied_by_lanes(const srdfg::Node& node, const std::vector<size_t>& order) const;
  size_t add_activation(const srdfg::Value& value, const std::string& name, Storage storage);
  Status reshape(const srdfg::Node& node);
  Status concatenate(const srdfg::Node& node);
  Status pad(const srdfg::Node& node);
  Status slice(const srdfg::Node& node);
  size_t zero_points(const srdfg::Value& value, size_t lanes);
  Status show(srdfg::ValueId id, srdfg::ValueId source, Storage storage);
  Result<size_t> copied(srdfg::ValueId id, const std::vector<size_t>& order);
  Result<size_t> copied(srdfg::ValueId id, const std::string& suffix, Storage storage);
  Status copy(const std::string& name, size_t from, size_t to);
  Result<size_t> in_whole_rows(const std::string& name, size_t from, size_t to);

  const srdfg::Graph& graph_;
  const acg::Machine& machine_;
  Network& network_;
  AxisOrders orders_;
  ConcatPlacement placements_;
  srdfg::Names names_;  ///< names of activations, by which blocks bind their tensors
  std::map<srdfg::ValueId, Shown> shown_;
  std::map<std::pair<srdfg::ValueId, std::vector<size_t>>, size_t> copies_;
  std::map<srdfg::ValueId, std::vector<size_t>> tiled_;  ///< activations with their elements in tiles
};

}  // namespace covenant::compiler
