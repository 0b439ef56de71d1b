/// Layout of tensors inside a plan: images of bytes have their channels innermost, all others are row-major.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::values {

/// Bytes that may be read past the last element of a tensor; their values have no influence.
inline constexpr size_t kSlack = 64;

/// True for integers of at most 8 bits: each element takes one byte, which holds its value extended.
bool is_byte(DType dtype);
bool is_signed(const srdfg::Value& value);
/// Lowest and highest value of an integer of at most 8 bits.
int32_t least_of(DType dtype);
int32_t most_of(DType dtype);

/// True for [N,C,H,W] with elements of one byte, which is stored as [N,H,W,C].
bool is_channels_last(const srdfg::Value& value);

/// Distance in elements between adjacent indices, per dimension, as stored.
std::vector<uint64_t> stored_strides(const srdfg::Value& value);

/// Size of the tensor in bytes.
size_t size_of(const srdfg::Value& value);

/// Copy a tensor from row-major order into its stored order, and back. `to` has room for size_of.
void to_stored(const srdfg::Value& value, const uint8_t* row_major, uint8_t* to);
void to_row_major(const srdfg::Value& value, const uint8_t* stored, uint8_t* to);

/// The data of a param in its stored order.
std::vector<uint8_t> stored_data(const srdfg::Value& param);

}  // namespace covenant::compiler::values
