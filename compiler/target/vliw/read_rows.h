/// The bytes that loops read, as rows that one instruction can ask for.
#pragma once

#include <cstdint>
#include <map>
#include <span>

namespace covenant::compiler::vliw {

/// Pieces of memory that do not touch: the end of each by its begin.
class Pieces {
 public:
  void add(int64_t begin, int64_t end);
  /// Their begins and ends in order.
  const std::map<int64_t, int64_t>& all() const { return pieces_; }
  int64_t bytes() const;

 private:
  std::map<int64_t, int64_t> pieces_;
};

/// With all bytes of the lines that they touch.
Pieces whole_lines(const Pieces& pieces, int64_t line_bytes);

/// What a loop adds to an address in every trip.
struct Stride {
  int64_t bytes = 0, trips = 1;
};

/// What is read from `pieces` on while these loops turn. Pre: no piece is empty.
Pieces while_turning(const Pieces& pieces, std::span<const Stride> loops);

/// Rows of equal width that lie equally far apart.
struct ReadRows {
  int64_t begin = 0, width = 0, height = 1, stride = 0;
  int64_t bytes() const { return width * height; }
  ReadRows moved(int64_t further) const { return {begin + further, width, height, stride}; }
};

/// The fewest bytes that hold all pieces: those, where they are such rows; else all from the first to the last one.
/// Pre: there is a piece.
ReadRows rows_of(const Pieces& pieces);

}  // namespace covenant::compiler::vliw
