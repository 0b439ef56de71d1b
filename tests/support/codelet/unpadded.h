/// Converts a tensor of a mapped codelet back to the model's layout.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::test {

/// Drops the padding at the end of each dimension. Without `logical_shape`, returns the bytes unchanged. Throws for a
/// packed constant, and if the number of bytes does not match the shape.
inline std::vector<uint8_t> unpadded(const compiler::codelet::Surrogate& surrogate, std::span<const uint8_t> padded) {
  if (!surrogate.packing.empty()) throw std::invalid_argument(surrogate.name + " is packed");
  std::vector<uint8_t> result(padded.begin(), padded.end());
  uint64_t inner = bytes(surrogate.dtype.value());
  // From the last dimension on: of each row, the first bytes are kept.
  for (size_t d = surrogate.logical_shape.size(); d-- > 0;) {
    const uint64_t row = static_cast<uint64_t>(surrogate.shape[d].constant().value()) * inner;
    const uint64_t kept = static_cast<uint64_t>(surrogate.logical_shape[d]) * inner;
    if (result.size() % row != 0) throw std::invalid_argument(surrogate.name + " has not the size of its shape");
    std::vector<uint8_t> rows;
    for (uint64_t at = 0; at < result.size(); at += row) {
      const auto first = result.begin() + static_cast<std::ptrdiff_t>(at);
      rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(kept));
    }
    result = std::move(rows);
    inner = kept;
  }
  return result;
}

}  // namespace covenant::test
