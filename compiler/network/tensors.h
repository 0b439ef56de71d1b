/// Which activation shows which value of the graph while layers are made of its nodes: movements are views where a
/// storage can say them, and copies where a layer cannot read such a view.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/network/concat_homes.h"
#include "compiler/network/network.h"
#include "compiler/network/readings.h"
#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/names.h"

namespace covenant::compiler {

/// Values of one graph, as they are made. Layers that it needs are appended to the network.
class Tensors {
 public:
  Tensors(const srdfg::Graph& graph, const acg::Machine& machine, Network& network);

  /// A new activation for a value, rows in `order`; one that goes into a concat alone is made where that has it.
  /// Error: GEN0022 (a scalar).
  Status make(srdfg::ValueId id, const std::vector<size_t>& order);
  /// The same in the usual order: channels last of rank 4, else as the model has it.
  Status make(srdfg::ValueId id);

  /// The same where `storage` says. Precondition: the value goes into no concat.
  Status make(srdfg::ValueId id, Storage storage);

  /// Shows the output of a movement. Errors: GEN0021 (more dimensions than a copy has).
  Status move(const srdfg::Node& node);

  /// The activation that a layer reads in this way; `order` is that of lanes. A copy, where the value's own does not
  /// lie so. Error: GEN0021.
  Result<size_t> read(srdfg::ValueId id, Reading reading, const std::vector<size_t>& order = {});
  /// What lies as another tensor, whose shape it had before a reshape, is read in its own shape from now on.
  void keep_shape(srdfg::ValueId id);

  /// The value in a storage whose dimensions lie in tiles: copied there, tile by tile. Error: GEN0021.
  Result<size_t> in_tiles(srdfg::ValueId id, Storage storage);

  /// A value [G,M,K] of which each row has room for `columns` elements side by side. Error: GEN0021.
  Result<size_t> read_rows(srdfg::ValueId id, uint64_t columns);

  /// The activation that shows a value, wherever it lies.
  size_t activation_of(srdfg::ValueId id);

  /// The same for the host: a copy, if elements stand for several.
  Result<size_t> to_host(srdfg::ValueId id);

  /// The activation [N,C,H,W] of which the value is [N,C*H*W], if it is no more than that: a gemm may read it so.
  std::optional<size_t> flattened(srdfg::ValueId id) const;

  /// The order in which a layer that works lane by lane has the dimensions of what it reads and makes.
  std::vector<size_t> lane_order(const srdfg::Node& node) const;

 private:
  /// Of a value: an activation, or a storage in its allocation that is none yet.
  struct Shown {
    size_t activation = 0;
    bool is_flat = false;
    std::optional<Storage> view{};
  };

  Storage storage_of(srdfg::ValueId id) const;
  size_t add_activation(const srdfg::Value& value, const std::string& name, Storage storage);
  Status reshape(const srdfg::Node& node);
  Status concatenate(const srdfg::Node& node);
  Status pad(const srdfg::Node& node);
  size_t zero_points(const srdfg::Value& value, size_t lanes);
  Status show(srdfg::ValueId id, srdfg::ValueId source, Storage storage);
  Result<size_t> copied(srdfg::ValueId id, const std::vector<size_t>& order);
  Result<size_t> copied(srdfg::ValueId id, const std::string& suffix, Storage storage);
  Status copy(const std::string& name, size_t from, size_t to);
  Result<size_t> in_whole_rows(const std::string& name, size_t from, size_t to);

  const srdfg::Graph& graph_;
  const acg::Machine& machine_;
  Network& network_;
  ConcatHomes homes_;
  srdfg::Names names_;  ///< of activations: blocks bind their tensors by them
  std::map<srdfg::ValueId, Shown> shown_;
  std::map<std::pair<srdfg::ValueId, std::vector<size_t>>, size_t> copies_;
  std::map<srdfg::ValueId, std::vector<size_t>> tiled_;  ///< activations with their elements in tiles
};

}  // namespace covenant::compiler
