// Operations on scalar registers and predicates.
#include "sim/units/vliw_core/operand_access.h"
#include "sim/units/vliw_core/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

/// rd = function(rs, rt)
template <auto function>
void of_two(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), scalar(core, operation, 2));
}
/// rd = function(rs, value)
template <auto function>
void of_value(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), number(operation, 2));
}

uint32_t sum(uint32_t left, uint32_t right) { return left + right; }
uint32_t difference(uint32_t left, uint32_t right) { return left - right; }
uint32_t both(uint32_t left, uint32_t right) { return left & right; }
uint32_t product(uint32_t left, uint32_t right) { return left * right; }
uint32_t shifted_left(uint32_t left, uint32_t right) { return left << right; }
uint32_t shifted_right(uint32_t left, uint32_t right) {
  return static_cast<uint32_t>(static_cast<int32_t>(left) >> right);
}
uint32_t shifted_right_logically(uint32_t left, uint32_t right) { return left >> right; }
bool greater(uint32_t left, uint32_t right) { return static_cast<int32_t>(left) > static_cast<int32_t>(right); }
bool equal(uint32_t left, uint32_t right) { return left == right; }

void accumulate_product(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) += scalar(core, operation, 1) * scalar(core, operation, 2);
}

void transfer(CoreState& core, const Operation& operation) { scalar(core, operation, 0) = scalar(core, operation, 1); }
void transfer_value(CoreState& core, const Operation& operation) { scalar(core, operation, 0) = number(operation, 1); }

void combine(CoreState& core, const Operation& operation) {
  const uint32_t high = scalar(core, operation, 1), low = scalar(core, operation, 2);
  uint32_t* const pair = &scalar(core, operation, 0);
  pair[0] = low;
  pair[1] = high;
}

void write_predicate(CoreState& core, const Operation& operation, bool is_true) {
  uint8_t& predicate = core.registers.predicates[static_cast<size_t>(operation.operands[0])];
  const uint8_t bits = is_true ? 0xff : 0;
  predicate = operation.operands[kAndOperand] != 0 ? predicate & bits : bits;
}
template <auto function>
void compare(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, function(scalar(core, operation, 1), scalar(core, operation, 2)));
}
template <auto function>
void compare_value(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, function(scalar(core, operation, 1), number(operation, 2)));
}

void nothing(CoreState& /*core*/, const Operation& /*operation*/) {}

constexpr std::array kValues{
    Value{kA2Add, of_two<sum>},
    Value{kA2Addi, of_value<sum>},
    Value{kA2Sub, of_two<difference>},
    Value{kA2And, of_two<both>},
    Value{kA2Tfr, transfer},
    Value{kA2Tfrsi, transfer_value},
    Value{kA4Ext, nothing},
    Value{kA2Nop, nothing},
    Value{kA2Combinew, combine},
    Value{kC2Cmpgt, compare<greater>},
    Value{kC2Cmpgti, compare_value<greater>},
    Value{kC2Cmpeq, compare<equal>},
    Value{kS2AslIR, of_value<shifted_left>},
    Value{kS2AsrIR, of_value<shifted_right>},
    Value{kS2LsrIR, of_value<shifted_right_logically>},
    Value{kM2Mpyi, of_two<product>},
    Value{kM2Maci, accumulate_product},
};

}  // namespace

std::span<const Value> scalar_values() { return kValues; }

}  // namespace covenant::sim::vliw
