/// Finds the resource of a machine that is busy for the most cycles, whatever the order of events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler::stream {

class Busiest {
 public:
  /// `machine` must outlive it.
  explicit Busiest(const acg::Machine& machine) : machine_(machine) {}

  /// Records that a resource is busy for `cycles`.
  void consider(uint64_t cycles, const std::string& resource);
  /// Moves bytes across all edges of a path, in addition to earlier ones; edges of one bus take turns (dma.md).
  void move(const std::vector<uint32_t>& way, uint64_t bytes);

  /// Edges of the shortest path between two memories; empty if there is none, or if a compute node lies on it.
  std::vector<uint32_t> way(acg::MemoryId from, acg::MemoryId to) const;
  /// Cycles that the edge needs for these bytes.
  uint64_t beats(uint32_t edge, uint64_t bytes) const;
  /// Cycles of the edge's bus for everything recorded so far.
  uint64_t bus_work(uint32_t edge) const;

  uint64_t cycles() const { return cycles_; }
  const std::string& resource() const { return resource_; }

 private:
  const acg::Machine& machine_;
  std::map<uint32_t, uint64_t> moved_;  ///< by edge: busy cycles
  uint64_t cycles_ = 0;
  std::string resource_ = "compute";
};

}  // namespace covenant::compiler::stream
