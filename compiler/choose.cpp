#include "compiler/choose.h"

#include <algorithm>
#include <limits>

#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/passes/tile.h"

namespace covenant::compiler {

using codelet::Codelet;

Result<Codelet> packed_codelet(const NetworkLayer& layer, const acg::Machine& machine) {
  const Result<Codelet> library = library_codelet(layer.operation);
  if (!library) return library;
  const Result<Codelet> bound = bind(*library, layer.layer);
  if (!bound) return bound;
  const Result<Codelet> placed = place(*bound, machine);
  if (!placed) return placed;
  const Result<Codelet> routed = route(*placed, machine);
  if (!routed) return routed;
  const Result<Codelet> mapped = map(*routed, machine);
  if (!mapped) return mapped;
  return pack(*mapped, machine);
}

std::vector<Alternative> alternatives(const Network& network, size_t index, const acg::Machine& machine) {
  std::vector<Alternative> result;
  for (Embedding& embedding : embeddings(network, index, machine)) {
    Alternative alternative{std::move(embedding), std::nullopt};
    if (const Result<Codelet> packed = packed_codelet(alternative.embedding.layer, machine)) {
      Result<ScheduleSearch> search = schedules(*packed, machine);
      if (search) alternative.search = std::move(*search);
    }
    result.push_back(std::move(alternative));
  }
  const auto cycles = [](const Alternative& one) {
    return one.search ? one.search->played.front().prediction.cycles : std::numeric_limits<uint64_t>::max();
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Alternative& a, const Alternative& b) { return cycles(a) < cycles(b); });
  return result;
}

Network embed(const Network& network, const acg::Machine& machine, const std::string& forced) {
  Network result = network;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    std::vector<Embedding> ways = embeddings(result, i, machine);
    if (ways.size() == 1) continue;
    const auto named = std::find_if(ways.begin(), ways.end(), [&](const Embedding& way) { return way.name == forced; });
    const Embedding best = named != ways.end() ? std::move(*named) : alternatives(result, i, machine).front().embedding;
    result.layers[i] = best.layer;
    for (const auto& [activation, layout] : best.layouts) result.activations[activation].layout = layout;
  }
  return result;
}

}  // namespace covenant::compiler
