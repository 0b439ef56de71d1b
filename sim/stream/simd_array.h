/// The SIMD array: all operations except matrix products (docs/reference/units/simd_array.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "sim/stream/command.h"
#include "sim/stream/sequencer.h"
#include "sim/stream/simd_nest.h"
#include "sim/stream/simd_settings.h"

namespace covenant::sim {

class SimdArray {
 public:
  /// Precondition: the unit of compute node `compute` is simd_array and has its attribute.
  SimdArray(const acg::Machine& machine, uint32_t compute);

  void clear() { settings_.clear(); }
  /// It drains before the next word, so a token posted next is visible a cycle later.
  uint64_t depth() const { return 1; }
  uint32_t lanes() const { return lanes_; }

  /// A configuration word. Faults SIM0040, SIM0047.
  void configure(const acg::Instruction& word, const acg::Machine& machine) { settings_.configure(machine, word); }
  /// A compute word; `sequencer` tells reductions whether they resume. Faults SIM0030, SIM0040 .. SIM0046, SIM0060.
  CommandTiming compute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);

 private:
  uint32_t latency(acg::Operation operation, const acg::Machine& machine) const;
  [[noreturn]] void raise_types(acg::Operation operation, const acg::Machine& machine) const;
  void check_edge(uint32_t memory, bool writes, const acg::Machine& machine) const;
  SimdOperand resolve(const acg::Instruction& word, size_t k, const SimdNest& nest,
                      const CommandContext& context) const;
  int64_t stride_at(size_t level, size_t k, SimdSettings::Entry entry, const acg::Machine& machine) const;
  Requantization requantization(const acg::Instruction& word) const;
  FixedPoint fixed_point_of(acg::Operation operation, const Requantization& requantization) const;
  void count(const SimdNest& nest, uint64_t iterations, CommandContext& context) const;

  uint32_t compute_;
  uint32_t lanes_;
  bool half_away_;
  std::vector<bool> readable_;  ///< by memory: has an edge to the array
  std::vector<bool> writable_;
  std::array<std::vector<uint32_t>, acg::kOperationCount> capabilities_;  ///< by operation: the capabilities of its
                                                                          ///< name
  SimdSettings settings_;
};

}  // namespace covenant::sim
