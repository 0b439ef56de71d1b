/// The part of costs that depends on the machine alone, not on the layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/queries.h"
#include "compiler/schedule/prediction.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler::stream {

struct MachineCosts {
  /// `machine` must outlive it.
  explicit MachineCosts(const acg::Machine& machine);

  /// One transfer on the path of a tile between its tensor's memory and its node.
  struct Hop {
    size_t engine = 0;
    acg::TransferEnds ends;
  };
  /// All hops of a buffer, in the direction of the data; empty for data that stays on chip.
  std::vector<Hop> hops(const TileBuffer& buffer) const;
  /// Cycles until the words of a layer of `parts` parts have arrived.
  uint64_t start(uint64_t parts) const;
  /// Total work of the engines that share a bus.
  uint64_t bus_work(size_t bus, const std::vector<uint64_t>& work) const;
  /// Costs of the buses if the engines do `work`, one for each bus that moves anything.
  std::vector<EngineCost> bus_costs(const std::vector<uint64_t>& work) const;

  const acg::Machine& machine;
  std::vector<acg::Engine> engines;
  std::vector<uint64_t> depth;     ///< by engine: cycles from its last port cycle until the effect is visible
  std::vector<size_t> bus_of;      ///< by engine: the bus that it shares, or TimedEngine::kNoBus
  std::vector<uint64_t> burst;     ///< by engine: beats of a burst; 0 if it moves nothing
  std::vector<std::string> buses;  ///< names of the buses
};

}  // namespace covenant::compiler::stream
