#include "compiler/families/vliw/read_rows.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "acg/base/rounding.h"

namespace covenant::compiler::vliw {
namespace {

constexpr size_t kMostPieces = 4096;  // most pieces that are kept apart

/// One row from the first to the last byte.
Pieces filled(const Pieces& pieces) {
  Pieces row;
  row.add(pieces.all().begin()->first, pieces.all().rbegin()->second);
  return row;
}

Pieces while_turning(const Pieces& pieces, const Stride& loop) {
  const int64_t way = loop.bytes * (loop.trips - 1);
  const bool overlap = std::all_of(pieces.all().begin(), pieces.all().end(), [&](const auto& piece) {
    return piece.second - piece.first >= std::abs(loop.bytes);
  });
  Pieces result;
  if (overlap) {
    for (const auto& [begin, end] : pieces.all())
      result.add(begin + std::min<int64_t>(0, way), end + std::max<int64_t>(0, way));
    return result;
  }
  if (pieces.all().size() * static_cast<uint64_t>(loop.trips) > kMostPieces) {
    const auto [begin, end] = *filled(pieces).all().begin();
    result.add(begin + std::min<int64_t>(0, way), end + std::max<int64_t>(0, way));
    return result;
  }
  for (int64_t trip = 0; trip < loop.trips; ++trip) {
    for (const auto& [begin, end] : pieces.all()) result.add(begin + trip * loop.bytes, end + trip * loop.bytes);
  }
  return result;
}

}  // namespace

void Pieces::add(int64_t begin, int64_t end) {
  auto next = pieces_.upper_bound(begin);
  if (next != pieces_.begin() && std::prev(next)->second >= begin) --next;
  while (next != pieces_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = pieces_.erase(next);
  }
  pieces_.emplace_hint(next, begin, end);
}

int64_t Pieces::bytes() const {
  int64_t sum = 0;
  for (const auto& [begin, end] : pieces_) sum += end - begin;
  return sum;
}

Pieces whole_lines(const Pieces& pieces, int64_t line_bytes) {
  Pieces result;
  for (const auto& [begin, end] : pieces.all()) {
    result.add(-round_up(-begin, line_bytes), round_up(end, line_bytes));
  }
  return result;
}

Pieces while_turning(const Pieces& pieces, std::span<const Stride> loops) {
  // Small strides first: they join pieces, so that few are left for the large ones.
  std::vector<Stride> sorted(loops.begin(), loops.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Stride& one, const Stride& other) { return std::abs(one.bytes) < std::abs(other.bytes); });
  Pieces result = pieces;
  for (const Stride& loop : sorted) {
    if (loop.bytes != 0) result = while_turning(result, loop);
  }
  return result;
}

ReadRows rows_of(const Pieces& pieces) {
  const auto first = pieces.all().begin();
  ReadRows rows{first->first, first->second - first->first, 1, 0};
  for (auto piece = std::next(first); piece != pieces.all().end(); ++piece) {
    const int64_t stride = piece->first - std::prev(piece)->first;
    const bool is_alike = piece->second - piece->first == rows.width && (rows.height == 1 || stride == rows.stride);
    if (!is_alike) return {rows.begin, pieces.all().rbegin()->second - rows.begin, 1, 0};
    rows.stride = stride;
    ++rows.height;
  }
  return rows;
}

}  // namespace covenant::compiler::vliw
