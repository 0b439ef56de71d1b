/// Schedules of layers in the user's view: lowering, tile sizes, and order of the loops around the tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::compiler {

/// The part of a loop that one tile holds.
struct LoopTile {
  std::string loop;   ///< its variable in the tiled codelet
  int64_t size = 1;   ///< trips within one tile
  int64_t trips = 0;  ///< trips of the whole loop; 0: unspecified
  SourceLocation where;
};

/// The second part of a layer with a loop that is split (compiler/schedule/splits.h).
struct SplitSchedule {
  std::string loop;
  int64_t at = 0;                  ///< iteration with which the second part begins
  std::vector<std::string> nodes;  ///< nodes of its computes; empty: those of the first part
  std::vector<LoopTile> tiles;
  std::vector<std::string> order;
  SourceLocation where;
  SourceLocation nodes_where;
  SourceLocation order_where;
};

/// The schedule of one layer. What it leaves open is searched.
struct LayerSchedule {
  std::string layer;     ///< name of the node in the model
  std::string lowering;  ///< compiler/lowerings/lowering.h
  std::vector<LoopTile> tiles;
  std::vector<std::string> order;      ///< loops around all computes, outermost first; empty: left open
  std::optional<SplitSchedule> split;  ///< if present, tiles and order are those of the first part
  std::string note;                    ///< a comment that is written but never read
  SourceLocation where;
  SourceLocation lowering_where;
  SourceLocation order_where;
};

}  // namespace covenant::compiler
