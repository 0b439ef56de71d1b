/// Schedules of layers as a person sees them: which lowering, which tiles, which order of the loops around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::compiler {

/// How much of a loop one tile holds.
struct LoopTile {
  std::string loop;   ///< its variable in the tiled codelet
  int64_t size = 1;   ///< trips within one tile
  int64_t trips = 0;  ///< of the whole loop; 0: not said
  SourceLocation where;
};

/// The second part of a layer with a loop that is split (compiler/schedule/splits.h).
struct SplitSchedule {
  std::string loop;
  int64_t at = 0;                  ///< iteration with which the second part begins
  std::vector<std::string> nodes;  ///< of each of its computes; empty: those of the first part
  std::vector<LoopTile> tiles;
  std::vector<std::string> order;
  SourceLocation where;
  SourceLocation nodes_where;
  SourceLocation order_where;
};

/// What one layer's schedule says. What it leaves open is searched.
struct LayerSchedule {
  std::string layer;     ///< name of the node in the model
  std::string lowering;  ///< compiler/network/conv_lowerings.h
  std::vector<LoopTile> tiles;
  std::vector<std::string> order;      ///< of the loops around all computes, outermost first; empty: left open
  std::optional<SplitSchedule> split;  ///< if there is one, tiles and order are those of the first part
  std::string note;                    ///< a comment that is written and never read
  SourceLocation where;
  SourceLocation lowering_where;
  SourceLocation order_where;
};

}  // namespace covenant::compiler
