#include "rtl/gen/axi/axi_masters.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace covenant::rtl {
namespace {

/// All off-chip ports: the fetch unit's, then those of engines.
std::vector<AxiPort> ports_of(const Plan& plan) {
  std::vector<AxiPort> all{{"fetch", false, plan.fetch.beat_bytes, plan.units.size(), plan.fetch.memory}};
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip) continue;
    all.push_back({unit->signal, unit->offchip->writes, unit->offchip->beat_bytes, unit->index, unit->offchip->memory});
  }
  return all;
}

/// The signal of the bus on which an engine is; none of the fetch unit.
std::string bus_of(const Plan& plan, size_t engine) {
  for (const BusPlan& bus : plan.buses) {
    if (std::ranges::find(bus.units, engine) != bus.units.end()) return bus.signal;
  }
  return "";
}

std::string prefix_of(const Plan& plan, const AxiPort& port, AxiMasters kind) {
  if (kind == AxiMasters::kOne) return "m_axi";
  const std::string bus = kind == AxiMasters::kBus ? bus_of(plan, port.number) : "";
  return "m_axi_" + (bus.empty() ? port.signal : bus);
}

}  // namespace

uint32_t AxiMaster::id_bits() const {
  return std::max<uint32_t>(1, static_cast<uint32_t>(std::bit_width(std::max(reads.size(), writes.size()) - 1)));
}

std::vector<AxiMaster> axi_masters(const Plan& plan, AxiMasters kind) {
  std::vector<AxiMaster> masters;
  for (const AxiPort& port : ports_of(plan)) {
    const std::string prefix = prefix_of(plan, port, kind);
    auto found = std::ranges::find(masters, prefix, &AxiMaster::prefix);
    if (found == masters.end()) found = masters.insert(found, {prefix, 0, {}, {}});
    found->bytes = std::max(found->bytes, port.bytes);
    (port.writes ? found->writes : found->reads).push_back(port);
  }
  return masters;
}

std::optional<Diagnostic> no_axi(const Plan& plan) {
  constexpr uint32_t kMostBytes = 128;
  for (const AxiPort& port : ports_of(plan)) {
    if (std::has_single_bit(port.bytes) && port.bytes <= kMostBytes) continue;
    const bool is_fetch = port.number == plan.units.size();
    return Diagnostic{"RTL0018",
                      {},
                      is_fetch ? "instruction fetch" : "edge " + plan.units[port.number]->name,
                      "AXI4 carries beats of a power of two of bits, 8 to 1024",
                      fmt::format("{}", port.bytes * 8),
                      {"8", "16", "32", "64", "128", "256", "512", "1024"},
                      "change the bandwidth of the edge, or do without --axi"};
  }
  return std::nullopt;
}

}  // namespace covenant::rtl
