#include "compiler/families/vliw/read_rows.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "acg/base/rounding.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kMostPieces = 4096;  // most intervals that are kept apart

/// One row from the first to the last byte.
Intervals filled(const Intervals& intervals) {
  Intervals row;
  row.add(intervals.all().begin()->first, intervals.all().rbegin()->second);
  return row;
}

Intervals while_turning(const Intervals& intervals, const Stride& loop) {
  const int64_t way = loop.bytes * (loop.trips - 1);
  const bool overlap = std::all_of(intervals.all().begin(), intervals.all().end(), [&](const auto& piece) {
    return piece.second - piece.first >= std::abs(loop.bytes);
  });
  Intervals result;
  if (overlap) {
    for (const auto& [begin, end] : intervals.all())
      result.add(begin + std::min<int64_t>(0, way), end + std::max<int64_t>(0, way));
    return result;
  }
  if (intervals.all().size() * static_cast<uint64_t>(loop.trips) > kMostPieces) {
    const auto [begin, end] = *filled(intervals).all().begin();
    result.add(begin + std::min<int64_t>(0, way), end + std::max<int64_t>(0, way));
    return result;
  }
  for (int64_t trip = 0; trip < loop.trips; ++trip) {
    for (const auto& [begin, end] : intervals.all()) result.add(begin + trip * loop.bytes, end + trip * loop.bytes);
  }
  return result;
}

}  // namespace

void Intervals::add(int64_t begin, int64_t end) {
  auto next = ends_.upper_bound(begin);
  if (next != ends_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ends_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace_hint(next, begin, end);
}

int64_t Intervals::bytes() const {
  int64_t sum = 0;
  for (const auto& [begin, end] : ends_) sum += end - begin;
  return sum;
}

Intervals whole_lines(const Intervals& intervals, int64_t line_bytes) {
  Intervals result;
  for (const auto& [begin, end] : intervals.all()) {
    result.add(-round_up(-begin, line_bytes), round_up(end, line_bytes));
  }
  return result;
}

Intervals while_turning(const Intervals& intervals, std::span<const Stride> loops) {
  // Small strides first: they join intervals, so that few are left for the large ones.
  std::vector<Stride> sorted(loops.begin(), loops.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Stride& one, const Stride& other) { return std::abs(one.bytes) < std::abs(other.bytes); });
  Intervals result = intervals;
  for (const Stride& loop : sorted) {
    if (loop.bytes != 0) result = while_turning(result, loop);
  }
  return result;
}

ReadRows rows_of(const Intervals& intervals) {
  const auto first = intervals.all().begin();
  ReadRows rows{first->first, first->second - first->first, 1, 0};
  for (auto piece = std::next(first); piece != intervals.all().end(); ++piece) {
    const int64_t stride = piece->first - std::prev(piece)->first;
    const bool is_alike = piece->second - piece->first == rows.width && (rows.height == 1 || stride == rows.stride);
    if (!is_alike) return {rows.begin, intervals.all().rbegin()->second - rows.begin, 1, 0};
    rows.stride = stride;
    ++rows.height;
  }
  return rows;
}

}  // namespace covenant::compiler::vliw
