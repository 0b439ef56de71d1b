/// What costs have in common on one machine, whatever the layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/queries.h"
#include "compiler/schedule/prediction.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler::stream {

struct MachineCosts {
  /// `machine` lives on.
  explicit MachineCosts(const acg::Machine& machine);

  /// One step of a tile's way between its tensor's memory and its node.
  struct Hop {
    size_t engine = 0;
    acg::TransferEnds ends;
  };
  /// All of them, in the order of the data; none for what stays on chip.
  std::vector<Hop> hops(const TileBuffer& buffer) const;
  /// Cycles until the words of a layer of so many parts are there.
  uint64_t start(uint64_t parts) const;
  /// Of the engines that share a bus.
  uint64_t bus_work(size_t bus, const std::vector<uint64_t>& work) const;
  /// What the buses move if the engines move `work`, one for each that moves anything.
  std::vector<EngineCost> bus_costs(const std::vector<uint64_t>& work) const;

  const acg::Machine& machine;
  std::vector<acg::Engine> engines;
  std::vector<uint64_t> depth;     ///< by engine: cycles from its last port cycle until the effect is visible
  std::vector<size_t> bus_of;      ///< by engine: the bus that it shares with others, or TimedEngine::kNoBus
  std::vector<uint64_t> burst;     ///< by engine: beats of a burst; 0 if it moves none
  std::vector<std::string> buses;  ///< their names
};

}  // namespace covenant::compiler::stream
