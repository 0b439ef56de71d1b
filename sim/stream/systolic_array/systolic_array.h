/// The systolic array: matrix products (docs/reference/units/systolic_array.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/graph/graph.h"
#include "sim/stream/common/address_generator.h"
#include "sim/stream/common/unit.h"
#include "sim/stream/systolic_array/systolic_pass.h"

namespace covenant::sim {

inline constexpr std::array<AddressedOperand, 4> kSystolicOperands{
    {{.name = "input"}, {.name = "weight"}, {.name = "bias"}, {.name = "output"}}};
inline constexpr AddressedUnit kSystolicAddresses{acg::AddressOperand::kInput, kSystolicOperands, acg::kFirstPassLoop,
                                                  acg::kPassLoops};

class SystolicArray final : public Unit {
 public:
  /// Precondition: the unit of `compute` is systolic_array and has all its attributes.
  SystolicArray(const acg::Machine& machine, const acg::Compute& compute);

  void clear() override { generator_.clear(); }
  /// Until the sum of the last column is visible.
  uint64_t depth() const override { return uint64_t{rows_} + columns_ + 2; }
  /// Faults of gemm: SIM0030, SIM0042, SIM0060; of others: those of AddressGenerator.
  CommandTiming execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) override;

 private:
  CommandTiming gemm(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);
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
  AddressGenerator generator_{kSystolicAddresses};
  PassRunner runner_;
};

extern const UnitRow kSystolicArrayRow;

}  // namespace covenant::sim
