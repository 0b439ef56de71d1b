#include "compiler/families/stream/bound.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/graph/ways.h"
#include "compiler/families/stream/busiest.h"

namespace covenant::compiler::stream {
namespace {

class BoundFinder {
 public:
  BoundFinder(const Volumes& volumes, const acg::Machine& machine)
      : machine_(machine), volumes_(volumes), busiest_(machine) {
    for (const acg::Compute& node : machine.computes) {
      if (node.unit == acg::UnitKind::kSystolicArray) array_ = &node;
      if (node.unit == acg::UnitKind::kSimdArray) lanes_ = &node;
    }
    check(array_ != nullptr, "a layer of matrix products needs a systolic array");
    compute(volumes_.macs);
    load("input", volumes_.inputs);
    load("weight", volumes_.weights);
    store();
  }

  Bound bound(uint64_t words) const {
    const uint64_t latency = acg::get(machine_, acg::outermost_memory(machine_)).latency;
    const uint64_t fetch = acg::get(machine_, acg::instruction_source(machine_)).latency + 2 +
                           (words == 0 ? 0 : (words * machine_.word_bits - 1) / instruction_bandwidth());
    const uint64_t fixed = fetch + 2 * (latency + 2) + rows() + columns() + 2;
    const uint64_t busiest = busiest_.cycles();
    return {busiest + fixed, busiest, fixed, fixed > busiest ? "fixed" : busiest_.resource()};
  }

 private:
  uint64_t rows() const { return static_cast<uint64_t>(acg::integer_attribute(*array_, "rows")); }
  uint64_t columns() const { return static_cast<uint64_t>(acg::integer_attribute(*array_, "columns")); }

  void compute(uint64_t macs) { busiest_.consider(ceil_divide(macs, rows() * columns()), "compute"); }

  void load(const std::string& role, uint64_t size) {
    std::vector<uint32_t> edges;
    for (const acg::MemoryId memory : acg::constant_memories(machine_)) {
      if (edges.empty()) edges = busiest_.way(memory, acg::role(machine_, *array_, role));
    }
    check(!edges.empty(), "an operand of the array comes from off-chip memory");
    busiest_.move(edges, size);
  }

  /// Stores outputs along the array's own path, or over the lanes and their path, whichever finishes first.
  void store() {
    const acg::MemoryId outermost = acg::outermost_memory(machine_);
    const std::vector<uint32_t> own = busiest_.way(acg::role(machine_, *array_, "output"), outermost);
    if (!own.empty()) return busiest_.move(own, 4 * volumes_.outputs);
    check(lanes_ != nullptr, "sums leave through lanes");
    busiest_.consider(ceil_divide(volumes_.outputs, static_cast<uint64_t>(acg::integer_attribute(*lanes_, "lanes"))),
                      "lanes");
    std::vector<uint32_t> first;
    const auto done = [&](const std::vector<uint32_t>& edges) {
      uint64_t latest = 0;
      for (const uint32_t edge : edges)
        latest = std::max(latest, busiest_.bus_work(edge) + busiest_.beats(edge, 4 * volumes_.outputs));
      return latest;
    };
    for (uint32_t i = 0; i < machine_.memories.size(); ++i) {
      if (machine_.memories[i].kind != acg::MemoryKind::kScratchpad) continue;
      std::vector<uint32_t> edges = busiest_.way(acg::MemoryId{i}, outermost);
      if (!edges.empty() && (first.empty() || done(edges) < done(first))) first = std::move(edges);
    }
    check(!first.empty(), "sums leave along an edge");
    busiest_.move(first, 4 * volumes_.outputs);
  }

  /// Bits per cycle.
  uint64_t instruction_bandwidth() const {
    const std::optional<uint32_t> edge = acg::instruction_edge(machine_);
    check(edge.has_value(), "a machine that runs programs has an edge to its instruction memory");
    return machine_.edges[edge.value()].bandwidth;
  }

  const acg::Machine& machine_;
  Volumes volumes_;
  const acg::Compute* array_ = nullptr;
  const acg::Compute* lanes_ = nullptr;
  Busiest busiest_;
};

}  // namespace

Bound bound_of(const Volumes& layer, const acg::Machine& machine, uint64_t words) {
  return BoundFinder(layer, machine).bound(words);
}

}  // namespace covenant::compiler::stream
