/// Converts tensors from the model's layout to that of a mapped codelet: padded, and constants packed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Lays out `logical` (dense, row-major, of `logical_shape`) in the surrogate's `shape`: by `packing` if there is one,
/// otherwise padded at the end of each dimension with the surrogate's fill. Without `logical_shape`, returns the bytes
/// unchanged. Precondition: the surrogate is bound (shape, dtype and fill are constants).
std::vector<uint8_t> to_packed(const Surrogate& surrogate, std::span<const uint8_t> logical);

}  // namespace covenant::compiler::codelet
