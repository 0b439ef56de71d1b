#include "compiler/target/stream/bound.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"

namespace covenant::compiler::stream {
namespace {

class BoundFinder {
 public:
  BoundFinder(const Volumes& volumes, const acg::Machine& machine) : machine_(machine), volumes_(volumes) {
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
    const uint64_t fetch = latency + 2 + (words == 0 ? 0 : (words - 1) / words_per_beat());
    const uint64_t fixed = fetch + 2 * (latency + 2) + rows() + columns() + 2;
    return {busiest_ + fixed, busiest_, fixed, fixed > busiest_ ? "fixed" : limited_by_};
  }

 private:
  uint64_t rows() const { return static_cast<uint64_t>(acg::integer_attribute(*array_, "rows")); }
  uint64_t columns() const { return static_cast<uint64_t>(acg::integer_attribute(*array_, "columns")); }

  void consider(uint64_t cycles, const std::string& resource) {
    if (cycles <= busiest_) return;
    busiest_ = cycles;
    limited_by_ = resource;
  }

  void compute(uint64_t macs) { consider(ceil_divide(macs, rows() * columns()), "compute"); }

  /// Cycles in which the edge moves so many bytes.
  uint64_t beats(uint32_t edge, uint64_t size) const {
    return ceil_divide(size, std::max<uint64_t>(1, machine_.edges[edge].bandwidth / 8));
  }

  /// Cycles in which the edge's bus moves what is known by now.
  uint64_t bus_work(uint32_t edge) const {
    uint64_t cycles = 0;
    for (const uint32_t other : acg::sharing_bus(machine_, edge)) {
      const auto moved = moved_.find(other);
      cycles += moved == moved_.end() ? 0 : moved->second;
    }
    return cycles;
  }

  void move(uint32_t edge, acg::MemoryId from, acg::MemoryId to, uint64_t size) {
    moved_[edge] += beats(edge, size);
    consider(moved_[edge], acg::get(machine_, from).name + "->" + acg::get(machine_, to).name);
    consider(bus_work(edge), machine_.edges[edge].bus);
  }

  void load(const std::string& role, uint64_t size) {
    const acg::MemoryId from = acg::outermost_memory(machine_);
    const acg::MemoryId to = acg::role(machine_, *array_, role);
    const std::optional<uint32_t> edge = acg::edge_between(machine_, from, to);
    check(edge.has_value(), "an operand of the array has an edge from off-chip memory");
    move(edge.value(), from, to, size);
  }

  /// Along the array's own edge; else over the lanes and the edge after them that is done first.
  void store() {
    const acg::MemoryId outermost = acg::outermost_memory(machine_);
    const acg::MemoryId sums = acg::role(machine_, *array_, "output");
    if (const std::optional<uint32_t> edge = acg::edge_between(machine_, sums, outermost)) {
      return move(*edge, sums, outermost, 4 * volumes_.outputs);
    }
    check(lanes_ != nullptr, "sums leave through lanes");
    consider(ceil_divide(volumes_.outputs, static_cast<uint64_t>(acg::integer_attribute(*lanes_, "lanes"))), "lanes");
    std::optional<uint32_t> first;
    acg::MemoryId source = sums;
    const auto done = [&](uint32_t edge) { return bus_work(edge) + beats(edge, 4 * volumes_.outputs); };
    for (uint32_t i = 0; i < machine_.memories.size(); ++i) {
      const acg::MemoryId memory{i};
      const std::optional<uint32_t> edge = acg::edge_between(machine_, memory, outermost);
      const bool is_scratchpad = acg::get(machine_, memory).kind == acg::MemoryKind::kScratchpad;
      if (!is_scratchpad || !edge || (first && done(*edge) >= done(*first))) continue;
      first = edge;
      source = memory;
    }
    check(first.has_value(), "sums leave along an edge");
    move(first.value(), source, outermost, 4 * volumes_.outputs);
  }

  uint64_t words_per_beat() const {
    for (const acg::Edge& edge : machine_.edges) {
      const auto* to = std::get_if<acg::MemoryId>(&edge.to);
      if (to != nullptr && acg::get(machine_, *to).kind == acg::MemoryKind::kInstruction) {
        return std::max<uint64_t>(1, edge.bandwidth / 32);
      }
    }
    fail("a validated machine has an edge to its instruction memory");
  }

  const acg::Machine& machine_;
  Volumes volumes_;
  const acg::Compute* array_ = nullptr;
  const acg::Compute* lanes_ = nullptr;
  std::map<uint32_t, uint64_t> moved_;  ///< by edge: cycles in which it moves something
  uint64_t busiest_ = 0;
  std::string limited_by_ = "compute";
};

}  // namespace

Bound bound_of(const Volumes& layer, const acg::Machine& machine, uint64_t words) {
  return BoundFinder(layer, machine).bound(words);
}

}  // namespace covenant::compiler::stream
