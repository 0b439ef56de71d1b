/// Converts between elements packed in the memories of a machine and elements of whole bytes (acg/base/dtype.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/base/dtype.h"

namespace covenant {

/// Packs `elements`, which take bytes(dtype) each. Returns packed_bytes of them; unused bits of the last byte are 0.
std::vector<uint8_t> packed(DType dtype, std::span<const uint8_t> elements);

/// The inverse: unpacks the `count` elements that begin at `bytes`. Integers of less than a byte are extended to one
/// byte.
std::vector<uint8_t> unpacked(DType dtype, std::span<const uint8_t> bytes, uint64_t count);

/// Sets packed element `index` of those at `bytes` to the low bits of `value`.
void set_packed(DType dtype, std::span<uint8_t> bytes, uint64_t index, int32_t value);

/// Sets the first `count` packed elements at `bytes` to the low bits of `value`.
void fill_packed(DType dtype, std::span<uint8_t> bytes, uint64_t count, int32_t value);

/// Packed element `index`, extended to 32 bits; for f32, its bit pattern.
int32_t get_packed(DType dtype, std::span<const uint8_t> bytes, uint64_t index);

}  // namespace covenant
