/// The layers that use each tensor, found by one walk over a network.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/network/network.h"

namespace covenant::compiler {

/// Holds as long as layers keep their activations and activations their allocations: storages may change.
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

 private:
  struct Tensor {
    std::vector<size_t> layers{};
    bool is_input = false;
    bool is_output = false;
    bool has_views = false;
    bool is_pinned = false;  ///< to the order that a layer needs
  };
  std::vector<Tensor> tensors_;  ///< by activation
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
