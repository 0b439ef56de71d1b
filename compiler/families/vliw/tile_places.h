/// Addresses of the tiles of a codelet in memory while its loops run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/addresses.h"
#include "compiler/families/vliw/register_tiles.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler::vliw {

/// Tracks the loops around the code being lowered: those that run, and the values of those that are written out.
class TilePlaces {
 public:
  /// Arguments as for `lowered`; they must outlive it.
  TilePlaces(const codelet::Codelet& tiled, const std::map<std::string, uint32_t>& addresses,
             const std::map<std::string, Storage>& views)
      : tiled_(tiled), addresses_(addresses), views_(views) {}

  /// Open and close a loop that runs.
  void open(const codelet::Loop& loop);
  void close(const codelet::Loop& loop);
  /// Calls `trip` for every value of the variable of a loop that is written out.
  void each_trip(const codelet::Loop& loop, const std::function<void()>& trip);

  /// The part of the indices that no running loop moves: those within a tile.
  std::vector<int64_t> fixed_indices(const codelet::Reference& reference) const;

  /// The address of a piece of a tile in the tensor that the tile belongs to. Throws Failure: GEN0053.
  Address address_of(const RegisterTile& tile, size_t piece, const codelet::Reference& reference,
                     const SourceLocation& where) const;
  /// Throws Failure (GEN0052) if the tile reaches past its tensor, and the padding around it, in some trip.
  void check_inside(const RegisterTile& tile, const codelet::Reference& reference, const SourceLocation& where) const;

  /// Throws Failure, about the codelet.
  [[noreturn]] void refuse(Diagnostic diagnostic, const SourceLocation& where) const;
  /// GEN0053.
  [[noreturn]] void not_whole(const codelet::Reference& reference, const SourceLocation& where) const;

 private:
  struct OpenLoop {
    std::string counter;  ///< counts trips from 0
    int64_t trips = 1;
  };

  codelet::Expression index_of(const codelet::Reference& reference, size_t dimension) const;
  void check_whole(const RegisterTile& tile, const std::vector<int64_t>& strides, const codelet::Reference& reference,
                   const SourceLocation& where) const;
  /// A range of indices that are stored in memory.
  struct Reach {
    int64_t first = 0, end = 0;
  };
  Reach reach_of(const codelet::Surrogate& tensor, size_t dimension) const;

  const codelet::Codelet& tiled_;
  const std::map<std::string, uint32_t>& addresses_;
  const std::map<std::string, Storage>& views_;
  std::map<std::string, codelet::Expression> values_;  ///< values by variable
  std::vector<OpenLoop> open_;
};

}  // namespace covenant::compiler::vliw
