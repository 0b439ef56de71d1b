#include "compiler/driver/stages.h"

#include <array>
#include <utility>

#include "compiler/mapping/sequence.h"

namespace covenant::compiler {

std::vector<std::string> stage_names(Families families) {
  std::vector<std::string> names{"srdfg", "normalized", "network", "bound", "fused"};
  for (const MappingPass& pass : mapping_passes()) names.emplace_back(pass.stage);
  names.emplace_back("scheduled");
  for (const TilingPass& pass : tiling_passes()) names.emplace_back(pass.stage);
  for (std::string& stage : target_stages(families)) names.push_back(std::move(stage));
  return names;
}

std::string_view stage_named(std::string_view name_or_verb) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kVerbs{{{"normalize", "normalized"},
                                                                                  {"bind", "bound"},
                                                                                  {"fuse", "fused"},
                                                                                  {"place", "placed"},
                                                                                  {"map", "mapped"},
                                                                                  {"pack", "packed"},
                                                                                  {"schedule", "scheduled"},
                                                                                  {"strip_mine", "strip_mined"},
                                                                                  {"insert_transfers", "transferred"},
                                                                                  {"hoist", "tiled"},
                                                                                  {"tile", "tiled"},
                                                                                  {"buffer", "buffered"},
                                                                                  {"asm", "assembly"}}};
  for (const auto& [verb, stage] : kVerbs) {
    if (verb == name_or_verb) return stage;
  }
  return name_or_verb;
}

}  // namespace covenant::compiler
