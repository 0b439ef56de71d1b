/// Vectors whose rows do not begin where a register does, or do not follow each other in it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codelet/block.h"
#include "compiler/target/vliw/writer.h"

namespace covenant::compiler::vliw {

/// Rows of a tile's tensor between the last one that begins a vector and the first of the tile, if they are as many in
/// all tiles; else 0.
int64_t rows_before(const codelet::Reference& tile, int64_t rows);

/// Puts them together from the registers of a tile: a vector that begins within a register is cut out of two; every
/// second row is what a deal of two vectors gives, which has the rows between them, too. What has been made is kept
/// until it is forgotten.
class RowVectors {
 public:
  /// The registers that hold a tile, by piece.
  using Pieces = std::function<Name(size_t)>;

  /// For the computes of a tiled codelet.
  RowVectors(Writer& writer, const codelet::Codelet& tiled, const std::map<std::string, DType>& dtypes,
             const acg::Machine& machine);

  /// Of the vectors that are read of a local, at most.
  int64_t rows_of(const std::string& local) const;

  /// Indices from row to row, at most, for `make` to do it: rows that follow each other, or every second one.
  static constexpr int64_t kWidestStep = 2;

  /// Of `tile`, the local's name: `count` registers from byte `first` on. Rows have `row_bytes` bytes.
  std::vector<Name> make(const std::string& tile, int64_t first, size_t count, int64_t row_bytes, int64_t step,
                         const Pieces& pieces, std::vector<Step>& to);

  /// A tile gets other values, or code begins that is not always executed before what comes after it.
  void forget(const std::string& tile);
  void forget();

 private:
  Name vector_at(const std::string& tile, int64_t first, const Pieces& pieces, std::vector<Step>& to);
  Name pair_at(const std::string& tile, int64_t first, int64_t row_bytes, const Pieces& pieces, std::vector<Step>& to);

  Writer& writer_;
  std::map<std::string, int64_t> rows_;                      ///< by local; of others 1
  std::map<std::pair<std::string, int64_t>, Name> vectors_;  ///< by tile and byte
  std::map<std::pair<std::string, int64_t>, Name> pairs_;    ///< the even rows, and in the upper one the odd ones
};

}  // namespace covenant::compiler::vliw
