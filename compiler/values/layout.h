/// How tensors lie inside of a plan: images of bytes with their channels innermost, all others row-major.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::values {

/// Bytes that may be read after the last element of a tensor; what they are has no influence.
inline constexpr size_t kSlack = 64;

/// Integers of 8 bits or less: each element is a byte, which holds its value extended.
bool is_byte(DType dtype);
bool is_signed(const srdfg::Value& value);
/// The least and the greatest value of an integer of 8 bits or less.
int32_t least_of(DType dtype);
int32_t most_of(DType dtype);

/// True of [N,C,H,W] of elements of one byte: stored as [N,H,W,C].
bool is_channels_last(const srdfg::Value& value);

/// Of each dimension, elements from one index to the next.
std::vector<uint64_t> stored_strides(const srdfg::Value& value);

/// Bytes that the tensor has.
size_t size_of(const srdfg::Value& value);

/// Copies of a tensor, from row-major order into that in which it is stored, and back. `to` has room for size_of.
void to_stored(const srdfg::Value& value, const uint8_t* row_major, uint8_t* to);
void to_row_major(const srdfg::Value& value, const uint8_t* stored, uint8_t* to);

/// The data of a param as it is stored.
std::vector<uint8_t> stored_data(const srdfg::Value& param);

}  // namespace covenant::compiler::values
