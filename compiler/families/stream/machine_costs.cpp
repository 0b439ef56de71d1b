#include "compiler/families/stream/machine_costs.h"

#include <algorithm>

#include "acg/graph/queries.h"
#include "compiler/families/stream/timeline.h"

namespace covenant::compiler::stream {
namespace {

/// Approximate number of words of a layer.
constexpr uint64_t kWords = 80;
constexpr uint64_t kWordsOfAPart = 40;  // a further part reuses some settings

}  // namespace

MachineCosts::MachineCosts(const acg::Machine& described) : machine(described), engines(acg::engines(described)) {
  for (const acg::Engine& engine : engines) {
    depth.push_back(acg::pipeline_depth(machine, engine));
    burst.push_back(engine.edge ? machine.edges[*engine.edge].burst : 0);
    bus_of.push_back(TimedEngine::kNoBus);
    if (!engine.edge || acg::sharing_bus(machine, *engine.edge).size() == 1) continue;
    const std::string& name = machine.edges[*engine.edge].bus;
    bus_of.back() = static_cast<size_t>(std::find(buses.begin(), buses.end(), name) - buses.begin());
    if (bus_of.back() == buses.size()) buses.push_back(name);
  }
}

std::vector<MachineCosts::Hop> MachineCosts::hops(const TileBuffer& buffer) const {
  if (buffer.role == TileRole::kIntermediate) return {};
  std::vector<acg::MemoryId> way = buffer.memories;
  way.insert(buffer.role == TileRole::kLoad ? way.begin() : way.end(), buffer.home);
  std::vector<Hop> result;
  for (size_t i = 0; i + 1 < way.size(); ++i) {
    const auto edge = acg::edge_between(machine, way[i], way[i + 1]);
    check(edge.has_value(), "a tile comes along an edge");
    const auto engine =
        std::find_if(engines.begin(), engines.end(), [&](const acg::Engine& one) { return one.edge == edge; });
    check(engine != engines.end(), "an edge between two memories of a tile's way has an engine");
    result.push_back({static_cast<size_t>(engine - engines.begin()),
                      acg::transfer_ends(machine, machine.edges[edge.value()]).value()});
  }
  return result;
}

uint64_t MachineCosts::start(uint64_t parts) const {
  const std::optional<uint32_t> edge = acg::instruction_edge(machine);
  if (!edge) return acg::get(machine, acg::outermost_memory(machine)).latency + 2;
  const uint64_t words = kWords + (parts - 1) * kWordsOfAPart;
  return acg::get(machine, acg::instruction_source(machine)).latency + 2 +
         words * machine.word_bits / machine.edges[*edge].bandwidth;
}

uint64_t MachineCosts::bus_work(size_t bus, const std::vector<uint64_t>& work) const {
  uint64_t sum = 0;
  for (size_t engine = 0; engine < engines.size(); ++engine) {
    if (bus_of[engine] == bus) sum += work[engine];
  }
  return sum;
}

std::vector<EngineCost> MachineCosts::bus_costs(const std::vector<uint64_t>& work) const {
  std::vector<EngineCost> result;
  for (size_t bus = 0; bus < buses.size(); ++bus) {
    const uint64_t sum = bus_work(bus, work);
    if (sum > 0) result.push_back({buses[bus], sum});
  }
  return result;
}

}  // namespace covenant::compiler::stream
