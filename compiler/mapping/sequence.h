/// The order of the passes on a codelet, written once: the compiler names each as a stage, searches run them through.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {

/// A pass that finds a place on the machine; `stage` is what it makes.
struct MappingPass {
  std::string_view stage;
  Result<codelet::Codelet> (*run)(const codelet::Codelet& codelet, const acg::Machine& machine);
};

/// A pass that makes tiles of the parts of a schedule.
struct TilingPass {
  std::string_view stage;
  codelet::Codelet (*run)(const codelet::Codelet& codelet, const acg::Machine& machine, const std::vector<Part>& parts);
};

/// From a bound codelet on: placed (with routes), mapped, packed.
std::span<const MappingPass> mapping_passes();
/// From a packed one on: strip_mined, transferred, tiled.
std::span<const TilingPass> tiling_passes();

/// A bound codelet after the mapping passes, up to the one that makes stage `last`. Errors: theirs.
Result<codelet::Codelet> map_to_machine(const codelet::Codelet& bound, const acg::Machine& machine,
                                        std::string_view last = "packed");
/// A packed codelet after all tiling passes.
codelet::Codelet tile(const codelet::Codelet& packed, const acg::Machine& machine, const std::vector<Part>& parts);

}  // namespace covenant::compiler
