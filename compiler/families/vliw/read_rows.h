/// The bytes that loops read, as rows that one instruction can prefetch.
#pragma once

#include <cstdint>
#include <map>
#include <span>

namespace covenant::compiler::vliw {

/// Disjoint intervals of memory that do not touch: maps the begin of each to its end.
class Intervals {
 public:
  void add(int64_t begin, int64_t end);
  /// All begins and ends in order.
  const std::map<int64_t, int64_t>& all() const { return ends_; }
  int64_t bytes() const;

 private:
  std::map<int64_t, int64_t> ends_;
};

/// The intervals extended to whole cache lines.
Intervals whole_lines(const Intervals& intervals, int64_t line_bytes);

/// Advance of an address in every trip of a loop.
struct Stride {
  int64_t bytes = 0, trips = 1;
};

/// The bytes read from `intervals` while these loops run. Pre: no piece is empty.
Intervals while_turning(const Intervals& intervals, std::span<const Stride> loops);

/// Rows of equal width at equal distances.
struct ReadRows {
  int64_t begin = 0, width = 0, height = 1, stride = 0;
  int64_t bytes() const { return width * height; }
  ReadRows moved(int64_t further) const { return {begin + further, width, height, stride}; }
};

/// The smallest such rows that contain all intervals: the intervals themselves if they have this form, otherwise
/// everything from the first to the last byte. Pre: there is a piece.
ReadRows rows_of(const Intervals& intervals);

}  // namespace covenant::compiler::vliw
