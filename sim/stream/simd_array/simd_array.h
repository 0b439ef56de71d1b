/// The SIMD array: all operations except matrix products (docs/reference/units/simd_array.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "sim/stream/common/unit.h"
#include "sim/stream/simd_array/simd_nest.h"
#include "sim/stream/simd_array/simd_settings.h"

namespace covenant::sim {

class SimdArray final : public Unit {
 public:
  /// Precondition: the unit of compute node `compute` is simd_array and has its attribute.
  SimdArray(const acg::Machine& machine, uint32_t compute);

  void clear() override { settings_.clear(); }
  /// It drains before the next word, so a token posted next is visible a cycle later.
  uint64_t depth() const override { return 1; }
  /// Faults of compute words: SIM0030, SIM0040 .. SIM0046, SIM0060; of configuration words: SIM0040, SIM0047.
  CommandTiming execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) override;

 private:
  /// `sequencer` tells reductions whether they resume.
  CommandTiming compute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);
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

extern const UnitRow kSimdArrayRow;

}  // namespace covenant::sim
