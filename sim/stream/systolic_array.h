/// The systolic array: matrix products (docs/reference/units/systolic_array.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/graph/graph.h"
#include "sim/stream/address_generator.h"
#include "sim/stream/command.h"
#include "sim/stream/sequencer.h"
#include "sim/stream/systolic_pass.h"

namespace covenant::sim {

class SystolicArray {
 public:
  /// Precondition: the unit of `compute` is systolic_array and has all its attributes.
  SystolicArray(const acg::Machine& machine, const acg::Compute& compute);

  void clear() { generator_.clear(); }
  /// Cycles from the last step to the first cycle in which the sum of the last column is visible.
  uint64_t depth() const { return uint64_t{rows_} + columns_ + 2; }
  uint32_t rows() const { return rows_; }
  uint32_t columns() const { return columns_; }
  AddressGenerator& generator() { return generator_; }

  /// gemm. Faults SIM0030, SIM0042, SIM0060.
  CommandTiming gemm(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);

 private:
  Region place(acg::AddressOperand operand, const Sequencer& sequencer, const CommandContext& context,
               bool first_steps_only) const;
  uint64_t first_steps() const;
  void run(const acg::Instruction& word, bool tile_is_first, const std::array<Region, 4>& regions,
           CommandContext& context);

  uint32_t rows_;
  uint32_t columns_;
  uint32_t input_bits_;
  uint32_t weight_bits_;
  uint32_t accumulator_bits_;
  bool saturates_;
  std::array<uint32_t, 4> memories_;  ///< by AddressOperand: input, weight, bias, output
  AddressGenerator generator_{AddressGenerator::Unit::kSystolicArray};
  PassRunner runner_;
};

}  // namespace covenant::sim
