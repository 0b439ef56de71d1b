#include "sim/stream/burst_walk.h"

#include <algorithm>

#include "acg/base/rounding.h"

namespace covenant::sim {

BurstWalk::BurstWalk(const TileTransfer& transfer, uint64_t beat_bytes)
    : transfer_(transfer), beat_bytes_(beat_bytes) {}

Burst BurstWalk::next() {
  const TileTransfer& t = transfer_;
  Burst burst;
  burst.is_inside = t.rows.holds(row_) && t.columns.holds(column_);
  burst.near =
      t.near +
      static_cast<uint64_t>(plane_ * t.near_strides[0] + row_ * t.near_strides[1] + column_ * t.near_strides[2]) +
      moved_;
  if (!burst.is_inside) {
    burst.bytes = t.run_bytes;
    burst.fill = t.fill;
    burst.fill_bytes = t.fill_bytes;
    burst.beats = ceil_divide(t.run_bytes, beat_bytes_);
    next_run();
    return burst;
  }
  burst.far = uint64_t{t.address(plane_, row_, column_)} + moved_;
  const uint64_t first = burst.far / beat_bytes_;
  const uint64_t last = (burst.far + (t.run_bytes - moved_) - 1) / beat_bytes_;
  const uint64_t end = std::min(last + 1, (first / kLongest + 1) * kLongest);
  burst.address = first * beat_bytes_;
  burst.beats = end - first;
  burst.bytes = std::min(t.run_bytes - moved_, end * beat_bytes_ - burst.far);
  moved_ += burst.bytes;
  if (moved_ == t.run_bytes) next_run();
  return burst;
}

void BurstWalk::next_run() {
  moved_ = 0;
  if (++column_ < transfer_.counts[2]) return;
  column_ = 0;
  if (++row_ < transfer_.counts[1]) return;
  row_ = 0;
  ++plane_;
}

}  // namespace covenant::sim
