/// The layers that use each tensor, found by one walk over a network.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/network/network.h"
#include "compiler/storage/slices.h"

namespace covenant::compiler {

/// Holds as long as layers keep their activations, activations their allocations, and slices of a tensor their place in
/// it: storages may change.
class TensorUses {
 public:
  explicit TensorUses(const Network& network);

  /// Layers that read or write the activation, each once, in their order.
  std::span<const size_t> layers_of(size_t activation) const { return tensors_[activation].layers; }
  bool is_input(size_t activation) const { return tensors_[activation].is_input; }
  bool is_output(size_t activation) const { return tensors_[activation].is_output; }

  /// True if another activation shares its allocation.
  bool has_views(size_t activation) const { return tensors_[activation].has_views; }

  /// True if the activation may be moved: it is not a view of another, not flattened for a gemm, in no layer along an
  /// axis, and not both read and written by the host.
  bool has_free_storage(size_t activation) const;

  /// True if the activation may be moved as `has_free_storage` says, but together with all others of its allocation:
  /// these are slices of it that may be moved, and the host does not write some of them and read others.
  bool moves_with_slices(size_t activation) const;

  /// The slice that the activation is of another one, which moves with its slices; nothing if it is none.
  struct Part {
    size_t whole = 0;
    Slice slice{};
  };
  std::optional<Part> part_of(size_t activation) const;

  /// Storages of an activation that moves with its slices, or is one of them, and of all others of its allocation when
  /// it lies like `storage`; nothing for other activations, or if they cannot lie so.
  std::optional<std::map<size_t, Storage>> with_slices(size_t activation, const Storage& storage) const;

 private:
  struct Tensor {
    std::vector<size_t> layers{};
    bool is_input = false;
    bool is_output = false;
    bool has_views = false;
    bool is_pinned = false;  ///< to the order that a layer needs
    size_t allocation = 0;
  };
  /// The activation of which all others of an allocation are slices, and these.
  struct Sliced {
    size_t whole = 0;
    std::vector<uint64_t> shape{};
    bool is_filled = false;  ///< wherever it lies: some of its elements are written by no layer
    std::map<size_t, Slice> slices{};
  };

  std::optional<Sliced> slices_among(const Network& network, const std::vector<size_t>& sharers) const;

  std::vector<Tensor> tensors_;                ///< by activation
  std::vector<std::optional<Sliced>> sliced_;  ///< by allocation
};

/// Gives an activation another storage and tells its layers. Layers stay as they are
/// lowered: see compiler/choice.
void set_storage(Network& network, size_t activation, const Storage& storage, const acg::Machine& machine);

/// `set_storage` of an activation of which `uses` knows the layers.
void set_storage(Network& network, const TensorUses& uses, size_t activation, const Storage& storage,
                 const acg::Machine& machine);

/// Gives every activation the storage that it has in `stored`, and tells all layers.
void set_storages(Network& network, const std::vector<Activation>& stored, const acg::Machine& machine);

}  // namespace covenant::compiler
