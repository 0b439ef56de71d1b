/// Builds vectors whose rows do not begin at a register boundary, or are not adjacent in registers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codelet/block.h"
#include "compiler/families/vliw/writer.h"

namespace covenant::compiler::vliw {

/// Number of rows of a tile's tensor between the last row that begins a vector and the first row of the tile, if it is
/// the same for all tiles; otherwise 0.
int64_t rows_before(const codelet::Reference& tile, int64_t rows);

/// Builds vectors from the registers of a tile: a vector that begins within a register is cut out of two; every second
/// row comes from a deal of two vectors, which also gives the rows between them. Results are kept until `forget`.
class RowVectors {
 public:
  /// Returns the register that holds a piece of a tile.
  using Pieces = std::function<Name(size_t)>;

  /// Serves the computes of a tiled codelet.
  RowVectors(Writer& writer, const codelet::Codelet& tiled, const std::map<std::string, DType>& dtypes,
             const acg::Machine& machine);

  /// Most rows of the vectors that are read from a local.
  int64_t rows_of(const std::string& local) const;

  /// Widest distance between rows that `make` supports: adjacent rows, or every second one.
  static constexpr int64_t kWidestStep = 2;

  /// `count` registers of `tile`, the local's name, from byte `first` on, with rows of `row_bytes` bytes.
  std::vector<Name> make(const std::string& tile, int64_t first, size_t count, int64_t row_bytes, int64_t step,
                         const Pieces& pieces, std::vector<CodeStep>& to);

  /// Call when a tile gets other values, or before code that is not always executed before what follows it.
  void forget(const std::string& tile);
  void forget();

 private:
  Name vector_at(const std::string& tile, int64_t first, const Pieces& pieces, std::vector<CodeStep>& to);
  Name pair_at(const std::string& tile, int64_t first, int64_t row_bytes, const Pieces& pieces,
               std::vector<CodeStep>& to);

  Writer& writer_;
  std::map<std::string, int64_t> rows_;                      ///< rows by local; 1 if missing
  std::map<std::pair<std::string, int64_t>, Name> vectors_;  ///< by tile and byte
  std::map<std::pair<std::string, int64_t>, Name> pairs_;    ///< even rows, and in the upper register the odd ones
};

}  // namespace covenant::compiler::vliw
