/// Tensors as the model has them, and as a mapped codelet wants them: padded, and constants packed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// `logical` (dense, row-major, of `logical_shape`) in the surrogate's `shape`: by `packing` if there is one, else
/// padded at the end of each dimension with the surrogate's fill. Without `logical_shape` the bytes themselves.
/// Precondition: the surrogate is bound (shape, dtype and fill are constants).
std::vector<uint8_t> to_packed(const Surrogate& surrogate, std::span<const uint8_t> logical);

}  // namespace covenant::compiler::codelet
