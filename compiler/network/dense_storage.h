/// The storage of images whose channels fill less than a vector.
#pragma once

#include <optional>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// The storage of a tensor without padded channels, if it may lie elsewhere and a vector holds its channels several
/// times over. Without engines that move tiles, a layer writes whole vectors, which then hold several pixels of a row.
std::optional<Storage> dense_storage(const Network& network, const TensorUses& uses, size_t activation,
                                     const acg::Machine& machine);

}  // namespace covenant::compiler
