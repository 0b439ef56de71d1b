/// Storages of whole vectors, as a machine reads and writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/dtype.h"
#include "acg/graph/graph.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// True if the machine has an engine that moves tiles between memories.
bool has_transfer_engines(const acg::Machine& machine);

/// Rows of the largest matrix that a capability takes, that is, elements of a reduction that it reads at once; 1 if
/// there is none.
uint64_t reduced_at_once(const acg::Machine& machine);

/// The storage that suits every layer: channels last, padded to whole vectors of what the machine writes.
Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape);
/// The same with the dimensions in another order, the last one padded.
Storage vector_storage(const acg::Machine& machine, DType dtype, const std::vector<uint64_t>& shape,
                       const std::vector<size_t>& order);

/// Elements that a layer may write for a row that ends with `size` contiguous ones: whole vectors, unless an engine
/// that moves tiles cuts off the excess.
uint64_t written_row(const acg::Machine& machine, DType dtype, uint64_t size);

}  // namespace covenant::compiler
