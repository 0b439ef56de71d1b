#include "sim/stream/common/tile_transfer.h"

#include <cstring>

namespace covenant::sim {

void write_fill(const std::array<uint8_t, 4>& fill, uint32_t fill_bytes, uint8_t* near_memory, uint64_t near,
                uint64_t count) {
  if (fill_bytes == 1) {
    std::memset(near_memory + near, fill[0], count);
    return;
  }
  for (uint64_t i = near; i < near + count; ++i) near_memory[i] = fill[i % fill_bytes];
}

void move_bytes(const TileTransfer& t) {
  uint8_t* const far = t.far_memory + t.far_buffer;
  uint8_t* const near = t.near_memory + t.near;
  const auto run = static_cast<int64_t>(t.run_bytes);
  const bool fills_densely = t.near_strides[2] == run;
  const bool copies_densely = fills_densely && t.far_strides[2] == run;
  // Columns [first, end) of a row; adjacent ones form one run.
  const auto for_runs = [](bool densely, uint32_t first, uint32_t end, const auto& visit) {
    if (first < end && densely) return visit(first, size_t{end - first});
    for (uint32_t column = first; column < end; ++column) visit(column, size_t{1});
  };
  for (uint32_t plane = 0; plane < t.counts[0]; ++plane) {
    for (uint32_t row = 0; row < t.counts[1]; ++row) {
      uint8_t* const local = near + plane * t.near_strides[0] + row * t.near_strides[1];
      const auto fill = [&](uint32_t column, size_t runs) {
        uint8_t* const here = local + column * t.near_strides[2];
        write_fill(t.fill, t.fill_bytes, t.near_memory, static_cast<uint64_t>(here - t.near_memory),
                   runs * t.run_bytes);
      };
      const auto copy = [&](uint32_t column, size_t runs) {
        uint8_t* const here = local + column * t.near_strides[2];
        uint8_t* const there = far + t.address(plane, row, column);
        std::memcpy(t.loads ? here : there, t.loads ? there : here, runs * t.run_bytes);
      };
      const Inside inside = t.rows.holds(row) ? t.columns : Inside{};
      if (t.loads) for_runs(fills_densely, 0, inside.first, fill);
      for_runs(copies_densely, inside.first, inside.end, copy);
      if (t.loads) for_runs(fills_densely, inside.end, t.counts[2], fill);
    }
  }
}

}  // namespace covenant::sim
