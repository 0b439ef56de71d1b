#include "compiler/network/dense_storage.h"

#include "compiler/codelet/vector_sizes.h"
#include "compiler/storage/padding.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {

std::optional<Storage> dense_storage(const Network& network, const TensorUses& uses, size_t activation,
                                     const acg::Machine& machine) {
  const Activation& tensor = network.activations[activation];
  if (tensor.shape.size() != 4 || !uses.moves_with_slices(activation)) return {};
  const uint64_t channels = tensor.shape[kChannelAxis], at_once = codelet::written_at_once(machine, tensor.dtype);
  if (channels >= at_once) return {};
  if (has_transfer_engines(machine)) return channels_last(tensor.storage.memory, tensor.shape, {});
  if (!uses.has_free_storage(activation)) return {};  // what is written past a slice is in the next one
  const uint64_t pixels = at_once / channels;
  if (at_once % channels != 0 || tensor.shape[kColumnAxis] % pixels != 0) return {};
  return with_dense_channels(tensor.storage, pixels);
}

}  // namespace covenant::compiler
