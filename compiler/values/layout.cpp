#include "compiler/values/layout.h"

#include <algorithm>
#include <cstring>

#include "acg/base/dtype.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::values {
namespace {

/// Transposes [rows, columns] to [columns, rows], in tiles that stay in the first-level cache.
void transpose(const uint8_t* from, size_t rows, size_t columns, uint8_t* to) {
  constexpr size_t kTile = 32;
  for (size_t row = 0; row < rows; row += kTile) {
    for (size_t column = 0; column < columns; column += kTile) {
      const size_t last_row = std::min(rows, row + kTile);
      const size_t last_column = std::min(columns, column + kTile);
      for (size_t r = row; r < last_row; ++r) {
        for (size_t c = column; c < last_column; ++c) to[c * rows + r] = from[r * columns + c];
      }
    }
  }
}

}  // namespace

bool is_byte(DType dtype) { return !info(dtype).is_float && bits(dtype) > 0 && bits(dtype) <= 8; }

bool is_signed(const srdfg::Value& value) { return info(value.dtype).is_signed; }

int32_t least_of(DType dtype) { return info(dtype).is_signed ? -(1 << (bits(dtype) - 1)) : 0; }

int32_t most_of(DType dtype) { return least_of(dtype) + (1 << bits(dtype)) - 1; }

bool is_channels_last(const srdfg::Value& value) { return value.shape.size() == 4 && is_byte(value.dtype); }

std::vector<uint64_t> stored_strides(const srdfg::Value& value) {
  if (!is_channels_last(value)) return srdfg::row_major_strides(value.shape);
  const std::vector<uint64_t>& shape = value.shape;
  return {shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]};
}

size_t size_of(const srdfg::Value& value) { return srdfg::element_count(value.shape) * bytes(value.dtype); }

void to_stored(const srdfg::Value& value, const uint8_t* row_major, uint8_t* to) {
  const size_t size = size_of(value);
  if (!is_channels_last(value)) {
    if (size > 0) std::memcpy(to, row_major, size);
    return;
  }
  const size_t image = size / std::max<uint64_t>(1, value.shape[0]);
  for (size_t n = 0; n < value.shape[0]; ++n) {
    transpose(row_major + n * image, value.shape[1], value.shape[2] * value.shape[3], to + n * image);
  }
}

void to_row_major(const srdfg::Value& value, const uint8_t* stored, uint8_t* to) {
  const size_t size = size_of(value);
  if (!is_channels_last(value)) {
    if (size > 0) std::memcpy(to, stored, size);
    return;
  }
  const size_t image = size / std::max<uint64_t>(1, value.shape[0]);
  for (size_t n = 0; n < value.shape[0]; ++n) {
    transpose(stored + n * image, value.shape[2] * value.shape[3], value.shape[1], to + n * image);
  }
}

std::vector<uint8_t> stored_data(const srdfg::Value& param) {
  std::vector<uint8_t> data(param.data.size() + kSlack);
  to_stored(param, param.data.data(), data.data());
  return data;
}

}  // namespace covenant::compiler::values
