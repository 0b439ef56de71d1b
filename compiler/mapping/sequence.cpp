#include "compiler/mapping/sequence.h"

#include <array>
#include <string>

#include "acg/base/check.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/passes/strip_mine.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using Parts = std::vector<Part>;

constexpr std::array kMapping{
    MappingPass{"placed",
                [](const Codelet& codelet, const acg::Machine& machine) {
                  const Result<Codelet> placed = place(codelet, machine);
                  return placed ? route(*placed, machine) : placed;
                }},
    MappingPass{"mapped", [](const Codelet& codelet, const acg::Machine& machine) { return map(codelet, machine); }},
    MappingPass{"packed", [](const Codelet& codelet, const acg::Machine& machine) { return pack(codelet, machine); }},
};

constexpr std::array kTiling{
    TilingPass{"strip_mined", [](const Codelet& codelet, const acg::Machine& machine,
                                 const Parts& parts) { return strip_mine(codelet, machine, parts); }},
    TilingPass{"transferred", [](const Codelet& codelet, const acg::Machine& machine,
                                 const Parts&) { return insert_transfers(codelet, machine); }},
    TilingPass{"tiled", [](const Codelet& codelet, const acg::Machine&, const Parts&) { return hoist(codelet); }},
};

}  // namespace

std::span<const MappingPass> mapping_passes() { return kMapping; }

std::span<const TilingPass> tiling_passes() { return kTiling; }

Result<Codelet> map_to_machine(const Codelet& bound, const acg::Machine& machine, std::string_view last) {
  Result<Codelet> made = bound;
  for (const MappingPass& pass : kMapping) {
    if (made) made = pass.run(*made, machine);
    if (pass.stage == last) return made;
  }
  fail("no mapping pass makes the stage " + std::string(last));
}

Codelet tile(const Codelet& packed, const acg::Machine& machine, const Parts& parts) {
  Codelet made = packed;
  for (const TilingPass& pass : kTiling) made = pass.run(made, machine, parts);
  return made;
}

}  // namespace covenant::compiler
