/// Which resource of a machine is longest at work, whatever the order in which things happen.
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

  /// A resource is at work for so many cycles.
  void consider(uint64_t cycles, const std::string& resource);
  /// Bytes cross all edges of a way, after what has crossed them before; edges of one bus take turns (dma.md).
  void move(const std::vector<uint32_t>& way, uint64_t bytes);

  /// Edges of the shortest way between two memories; nothing if a compute node lies on it, or there is none.
  std::vector<uint32_t> way(acg::MemoryId from, acg::MemoryId to) const;
  /// Cycles in which the edge moves so many bytes.
  uint64_t beats(uint32_t edge, uint64_t bytes) const;
  /// Cycles in which the edge's bus moves what is known by now.
  uint64_t bus_work(uint32_t edge) const;

  uint64_t cycles() const { return cycles_; }
  const std::string& resource() const { return resource_; }

 private:
  const acg::Machine& machine_;
  std::map<uint32_t, uint64_t> moved_;  ///< by edge: cycles in which it moves something
  uint64_t cycles_ = 0;
  std::string resource_ = "compute";
};

}  // namespace covenant::compiler::stream
