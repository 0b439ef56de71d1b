/// Elements as they lie in the memories of a machine, and as they lie by themselves (acg/base/dtype.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/base/dtype.h"

namespace covenant {

/// `elements`: bytes(dtype) each. Returns packed_bytes of them; bits past the last one are 0.
std::vector<uint8_t> packed(DType dtype, std::span<const uint8_t> elements);

/// The reverse: each of the `count` elements that begin at `bytes` with bytes of its own, integers of less than a byte
/// extended.
std::vector<uint8_t> unpacked(DType dtype, std::span<const uint8_t> bytes, uint64_t count);

/// Sets packed element `index` of those at `bytes` to the low bits of `value`.
void set_packed(DType dtype, std::span<uint8_t> bytes, uint64_t index, int32_t value);

/// Packed element `index`, extended; of f32 its bits.
int32_t get_packed(DType dtype, std::span<const uint8_t> bytes, uint64_t index);

}  // namespace covenant
