// Implements compares, operations on predicates, and operations that predicates select or disable.
#include "sim/vliw/operand_access.h"
#include "sim/vliw/predicate_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

template <auto function>
void compare(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, all_bits(function(scalar(core, operation, 1), scalar(core, operation, 2))));
}
template <auto function>
void compare_value(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, all_bits(function(scalar(core, operation, 1), number(operation, 2))));
}
template <auto function>
void compare_wide(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, all_bits(function(wide(core, operation, 1), wide(core, operation, 2))));
}
/// The result is 1 or 0 in a register.
template <auto function>
void compare_into_register(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), scalar(core, operation, 2)) ? 1 : 0;
}
template <auto function>
void compare_value_into_register(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), number(operation, 2)) ? 1 : 0;
}

bool equal_wide(uint64_t left, uint64_t right) { return left == right; }
bool greater_wide(uint64_t left, uint64_t right) { return static_cast<int64_t>(left) > static_cast<int64_t>(right); }
bool greater_wide_unsigned(uint64_t left, uint64_t right) { return left > right; }
bool equal_bytes(uint32_t left, uint32_t right) { return (left & 0xff) == right; }
bool greater_bytes(uint32_t left, uint32_t right) { return (left & 0xff) > right; }
bool bit_set(uint32_t left, uint32_t right) { return (left >> right & 1) != 0; }
bool all_clear(uint32_t left, uint32_t right) { return (left & right) == 0; }

/// Not that.
template <auto function>
constexpr auto kNot = [](auto left, auto right) { return !function(left, right); };

/// pd = function(operand 1, operand 2) by bits.
template <auto function>
void of_two(CoreState& core, const Operation& operation) {
  const uint32_t left = predicate_bits(core, operation, 1), right = predicate_bits(core, operation, 2);
  write_predicate(core, operation, static_cast<uint8_t>(function(left, right)));
}
constexpr auto kBoth = [](uint32_t left, uint32_t right) { return left & right; };
constexpr auto kEither = [](uint32_t left, uint32_t right) { return left | right; };
constexpr auto kOneOf = [](uint32_t left, uint32_t right) { return left ^ right; };
constexpr auto kFirstAlone = [](uint32_t left, uint32_t right) { return left & ~right; };
constexpr auto kFirstOrNot = [](uint32_t left, uint32_t right) { return left | ~right; };

void invert(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, static_cast<uint8_t>(~predicate_bits(core, operation, 1)));
}
void to_register(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = predicate_bits(core, operation, 1);
}
void from_register(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, static_cast<uint8_t>(scalar(core, operation, 1)));
}

/// rd = pu ? operand 2 : operand 3.
template <auto first, auto second>
void choose(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = holds<true>(core, operation, 1) ? first(core, operation, 2) : second(core, operation, 3);
}
constexpr auto kRegister = [](CoreState& core, const Operation& operation, size_t operand) {
  return scalar(core, operation, operand);
};
constexpr auto kNumber = [](CoreState& /*core*/, const Operation& operation, size_t operand) {
  return number(operation, operand);
};

/// If the predicate in operand 1 holds, rd = what follows.
template <bool sense>
void transfer_if(CoreState& core, const Operation& operation) {
  if (holds<sense>(core, operation, 1)) scalar(core, operation, 0) = number(operation, 2);
}
template <bool sense>
void add_value_if(CoreState& core, const Operation& operation) {
  if (!holds<sense>(core, operation, 1)) return;
  scalar(core, operation, 0) = scalar(core, operation, 2) + number(operation, 3);
}
template <bool sense>
void add_if(CoreState& core, const Operation& operation) {
  if (!holds<sense>(core, operation, 1)) return;
  scalar(core, operation, 0) = scalar(core, operation, 2) + scalar(core, operation, 3);
}
template <bool sense>
void subtract_if(CoreState& core, const Operation& operation) {
  if (!holds<sense>(core, operation, 1)) return;
  scalar(core, operation, 0) = scalar(core, operation, 2) - scalar(core, operation, 3);
}

constexpr std::array kValues{
    Value{kC2Cmpgt, compare<greater>},
    Value{kC2Cmpgti, compare_value<greater>},
    Value{kC2Cmpgtu, compare<greater_unsigned>},
    Value{kC2Cmpgtui, compare_value<greater_unsigned>},
    Value{kC2Cmpeq, compare<equal>},
    Value{kC2Cmpeqi, compare_value<equal>},
    Value{kC4Cmpneq, compare<kNot<equal>>},
    Value{kC4Cmpneqi, compare_value<kNot<equal>>},
    Value{kC4Cmplte, compare<kNot<greater>>},
    Value{kC4Cmpltei, compare_value<kNot<greater>>},
    Value{kC4Cmplteu, compare<kNot<greater_unsigned>>},
    Value{kC4Cmplteui, compare_value<kNot<greater_unsigned>>},
    Value{kC2Cmpeqp, compare_wide<equal_wide>},
    Value{kC2Cmpgtp, compare_wide<greater_wide>},
    Value{kC2Cmpgtup, compare_wide<greater_wide_unsigned>},
    Value{kA4Cmpbeqi, compare_value<equal_bytes>},
    Value{kA4Cmpbgtui, compare_value<greater_bytes>},
    Value{kS2TstbitI, compare_value<bit_set>},
    Value{kS4NtstbitI, compare_value<kNot<bit_set>>},
    Value{kC2Bitsclri, compare_value<all_clear>},
    Value{kA4Rcmpeq, compare_into_register<equal>},
    Value{kA4Rcmpneq, compare_into_register<kNot<equal>>},
    Value{kA4Rcmpeqi, compare_value_into_register<equal>},
    Value{kA4Rcmpneqi, compare_value_into_register<kNot<equal>>},
    Value{kC2And, of_two<kBoth>},
    Value{kC2Or, of_two<kEither>},
    Value{kC2Xor, of_two<kOneOf>},
    Value{kC2Andn, of_two<kFirstAlone>},
    Value{kC2Orn, of_two<kFirstOrNot>},
    Value{kC2Not, invert},
    Value{kC2Tfrpr, to_register},
    Value{kC2Tfrrp, from_register},
    Value{kC2Mux, choose<kRegister, kRegister>},
    Value{kC2Muxii, choose<kNumber, kNumber>},
    Value{kC2Muxir, choose<kRegister, kNumber>},
    Value{kC2Muxri, choose<kNumber, kRegister>},
    Value{kC2Cmoveit, transfer_if<true>},
    Value{kC2Cmoveif, transfer_if<false>},
    Value{kC2Cmovenewit, transfer_if<true>},
    Value{kC2Cmovenewif, transfer_if<false>},
    Value{kA2Paddit, add_value_if<true>},
    Value{kA2Paddif, add_value_if<false>},
    Value{kA2Padditnew, add_value_if<true>},
    Value{kA2Paddifnew, add_value_if<false>},
    Value{kA2Paddt, add_if<true>},
    Value{kA2Paddf, add_if<false>},
    Value{kA2Paddtnew, add_if<true>},
    Value{kA2Paddfnew, add_if<false>},
    Value{kA2Psubt, subtract_if<true>},
    Value{kA2Psubf, subtract_if<false>},
    Value{kA2Psubtnew, subtract_if<true>},
    Value{kA2Psubfnew, subtract_if<false>},
};

}  // namespace

std::span<const Value> predicate_values() { return kValues; }

}  // namespace covenant::sim::vliw
