/// The values of one systolic pass, without its timing (docs/reference/units/systolic_array.md).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sim/stream/common/address_generator.h"
#include "sim/stream/systolic_array/matrix_product.h"

namespace covenant::sim {

/// One operand of a pass: its first byte and what each inner loop adds to it, in bytes.
struct PassOperand {
  uint8_t* start = nullptr;
  std::array<int64_t, kMaxInnerLoops> strides{};
};

/// A pass with every address resolved and checked.
struct SystolicPass {
  uint32_t rows = 0;
  uint32_t columns = 0;
  ProductElements elements{};
  uint32_t accumulator_bits = 32;                 ///< width of sums, which are stored extended to 32 bits
  bool saturates = false;                         ///< they stay at the ends of their range; others wrap
  bool is_unsigned = false;                       ///< input elements have no sign
  bool tile_is_first = false;                     ///< every open tile loop marked as reduction is at index 0
  std::array<uint32_t, kMaxInnerLoops> counts{};  ///< outermost first
  std::array<bool, kMaxInnerLoops> is_reduction{};
  PassOperand input;
  PassOperand weight;
  PassOperand bias;
  PassOperand output;
  bool output_is_apart = true;  ///< output shares its memory with no other operand
};

/// Executes passes. Those of the usual shape (every output is one sum, which wraps) are split into one matrix product
/// per weight matrix; all others are executed step by step. Both give the results on the page, bit by bit.
class PassRunner {
 public:
  PassRunner();
  PassRunner(PassRunner&&) noexcept;
  PassRunner& operator=(PassRunner&&) noexcept;
  ~PassRunner();

  void run(const SystolicPass& pass);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;  ///< plan of the pass before: the next one mostly has the same shape, at other addresses
};

/// A pass, and the runner that keeps the plan of earlier passes.
struct PassValues {
  PassRunner* runner = nullptr;
  SystolicPass pass;
};
inline void compute(const PassValues& values) { values.runner->run(values.pass); }

/// The same, always step by step.
void run_pass_by_steps(const SystolicPass& pass);

}  // namespace covenant::sim
