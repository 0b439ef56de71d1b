#include <algorithm>
#include <numeric>

#include "compiler/schedule/problem.h"

namespace covenant::compiler {

bool TileBuffer::depends_on(size_t loop) const { return std::binary_search(loops.begin(), loops.end(), loop); }

uint64_t TileBuffer::padded_row(const acg::Memory& memory, uint64_t bytes) const {
  return round_up(bytes, std::lcm(memory.unit_bytes(), row_alignment));
}

uint64_t TileBuffer::units(const acg::Memory& memory, const std::vector<int64_t>& tiles) const {
  const size_t vector_rank = std::max<size_t>(1, vector_shape.size());
  uint64_t rows = 1;
  uint64_t row_elements = 1;
  for (size_t d = 0; d < extents.size(); ++d) {
    const auto extent = static_cast<uint64_t>(extents[d].evaluate(tiles));
    (d + vector_rank < extents.size() ? rows : row_elements) *= extent;
  }
  return rows * padded_row(memory, packed_bytes(dtype, row_elements)) / memory.unit_bytes();
}

std::vector<int64_t> TileBuffer::shape(const std::vector<int64_t>& tiles) const {
  std::vector<int64_t> result;
  for (const Extent& extent : extents) result.push_back(extent.evaluate(tiles));
  return result;
}

}  // namespace covenant::compiler
