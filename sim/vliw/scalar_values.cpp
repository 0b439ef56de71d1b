// Implements arithmetic on scalar registers and pairs of them.
#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

/// rd = function(operand 1, operand 2); operands are registers unless the name of the function tells otherwise.
template <auto function>
void of_two(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), scalar(core, operation, 2));
}
template <auto function>
void of_value(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1), number(operation, 2));
}
template <auto function>
void of_value_first(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(number(operation, 1), scalar(core, operation, 2));
}
template <auto function>
void of_one(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = function(scalar(core, operation, 1));
}
/// rx = rx and, by `joins`, function(operand 1, operand 2).
template <auto joins, auto function>
void onto_of_two(CoreState& core, const Operation& operation) {
  const uint32_t right = function(scalar(core, operation, 1), scalar(core, operation, 2));
  scalar(core, operation, 0) = joins(scalar(core, operation, 0), right);
}
template <auto joins, auto function>
void onto_of_value(CoreState& core, const Operation& operation) {
  const uint32_t right = function(scalar(core, operation, 1), number(operation, 2));
  scalar(core, operation, 0) = joins(scalar(core, operation, 0), right);
}

int32_t as_signed(uint32_t bits) { return static_cast<int32_t>(bits); }

uint32_t sum(uint32_t left, uint32_t right) { return left + right; }
uint32_t difference(uint32_t left, uint32_t right) { return left - right; }
uint32_t both(uint32_t left, uint32_t right) { return left & right; }
uint32_t either(uint32_t left, uint32_t right) { return left | right; }
uint32_t one_of(uint32_t left, uint32_t right) { return left ^ right; }
uint32_t product(uint32_t left, uint32_t right) { return left * right; }
uint32_t negative_product(uint32_t left, uint32_t right) { return 0 - left * right; }
uint32_t greater(uint32_t left, uint32_t right) { return as_signed(left) > as_signed(right) ? left : right; }
uint32_t smaller(uint32_t left, uint32_t right) { return as_signed(left) < as_signed(right) ? left : right; }
uint32_t greater_unsigned(uint32_t left, uint32_t right) { return std::max(left, right); }
uint32_t smaller_unsigned(uint32_t left, uint32_t right) { return std::min(left, right); }
uint32_t shifted_left(uint32_t left, uint32_t right) { return left << right; }
uint32_t shifted_right(uint32_t left, uint32_t right) { return static_cast<uint32_t>(as_signed(left) >> right); }
uint32_t shifted_right_logically(uint32_t left, uint32_t right) { return left >> right; }
uint32_t with_bit(uint32_t left, uint32_t right) { return left | uint32_t{1} << right; }
uint32_t without_bit(uint32_t left, uint32_t right) { return left & ~(uint32_t{1} << right); }
uint32_t with_bit_changed(uint32_t left, uint32_t right) { return left ^ uint32_t{1} << right; }
uint32_t high_of_product(uint32_t left, uint32_t right) {
  return static_cast<uint32_t>((int64_t{as_signed(left)} * as_signed(right)) >> 32);
}
uint32_t high_of_unsigned_product(uint32_t left, uint32_t right) {
  return static_cast<uint32_t>((uint64_t{left} * right) >> 32);
}

template <typename Narrow>
uint32_t extended(uint32_t bits) {
  return static_cast<uint32_t>(static_cast<Narrow>(bits));
}
uint32_t to_upper_half(uint32_t bits) { return bits << 16; }
uint32_t from_upper_half(uint32_t bits) { return shifted_right(bits, 16); }
uint32_t magnitude(uint32_t bits) { return as_signed(bits) < 0 ? 0 - bits : bits; }

/// The low seven bits of a register give the distance; a negative one shifts in the other direction. `Number` decides
/// whether zeros or signs are shifted in from above.
template <typename Number, bool is_left>
uint32_t shifted_by_register(uint32_t bits, uint32_t by) {
  const auto wide = static_cast<int64_t>(static_cast<Number>(bits));
  const int32_t amount = static_cast<int32_t>((by & 127) ^ 64) - 64;
  const int32_t left = is_left ? amount : -amount;
  if (left > 63) return 0;
  return static_cast<uint32_t>(left >= 0 ? static_cast<uint64_t>(wide) << left
                                         : static_cast<uint64_t>(wide >> std::min(-left, 63)));
}

/// rd = rs + ru + value and the like: operands 1 to 3.
void sum_of_three(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1) + scalar(core, operation, 2) + number(operation, 3);
}
void sum_less_last(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1) + number(operation, 2) - scalar(core, operation, 3);
}
void sum_with_shifted(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1) + (scalar(core, operation, 2) << number(operation, 3));
}
void value_and_product(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = number(operation, 1) + scalar(core, operation, 2) * scalar(core, operation, 3);
}
void value_and_product_of_value(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = number(operation, 1) + scalar(core, operation, 2) * number(operation, 3);
}
void sum_with_product(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1) + scalar(core, operation, 2) * number(operation, 3);
}
void sum_with_product_of_value(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1) + number(operation, 2) * scalar(core, operation, 3);
}

void extract(CoreState& core, const Operation& operation) {
  const uint32_t width = number(operation, 2), from = number(operation, 3);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << width) - 1);
  scalar(core, operation, 0) = scalar(core, operation, 1) >> from & mask;
}

void transfer(CoreState& core, const Operation& operation) { scalar(core, operation, 0) = scalar(core, operation, 1); }
void transfer_value(CoreState& core, const Operation& operation) { scalar(core, operation, 0) = number(operation, 1); }

void nothing(CoreState& /*core*/, const Operation& /*operation*/) {}

constexpr std::array kValues{
    Value{kA2Add, of_two<sum>},
    Value{kA2Addi, of_value<sum>},
    Value{kA2Sub, of_two<difference>},
    Value{kA2Subri, of_value_first<difference>},
    Value{kA2And, of_two<both>},
    Value{kA2Andir, of_value<both>},
    Value{kA2Or, of_two<either>},
    Value{kA2Orir, of_value<either>},
    Value{kA2Xor, of_two<one_of>},
    Value{kA2Max, of_two<greater>},
    Value{kA2Maxu, of_two<greater_unsigned>},
    Value{kA2Min, of_two<smaller>},
    Value{kA2Minu, of_two<smaller_unsigned>},
    Value{kA2Sxtb, of_one<extended<int8_t>>},
    Value{kA2Sxth, of_one<extended<int16_t>>},
    Value{kA2Zxth, of_one<extended<uint16_t>>},
    Value{kA2Aslh, of_one<to_upper_half>},
    Value{kA2Asrh, of_one<from_upper_half>},
    Value{kA2Abs, of_one<magnitude>},
    Value{kA2Tfr, transfer},
    Value{kA2Tfrsi, transfer_value},
    Value{kA4Ext, nothing},
    Value{kA2Nop, nothing},
    Value{kS4Addaddi, sum_of_three},
    Value{kS4Subaddi, sum_less_last},
    Value{kS2AddaslRrri, sum_with_shifted},
    Value{kS2AslIR, of_value<shifted_left>},
    Value{kS2AsrIR, of_value<shifted_right>},
    Value{kS2LsrIR, of_value<shifted_right_logically>},
    Value{kS2AslIRAcc, onto_of_value<sum, shifted_left>},
    Value{kS2AsrIRAcc, onto_of_value<sum, shifted_right>},
    Value{kS2LsrIRAcc, onto_of_value<sum, shifted_right_logically>},
    Value{kS2AslIRNac, onto_of_value<difference, shifted_left>},
    Value{kS2AslRR, of_two<shifted_by_register<int32_t, true>>},
    Value{kS2AsrRR, of_two<shifted_by_register<int32_t, false>>},
    Value{kS2LsrRR, of_two<shifted_by_register<uint32_t, false>>},
    Value{kS2SetbitI, of_value<with_bit>},
    Value{kS2ClrbitI, of_value<without_bit>},
    Value{kS2TogglebitI, of_value<with_bit_changed>},
    Value{kS2Extractu, extract},
    Value{kM2Mpyi, of_two<product>},
    Value{kM2Mpysip, of_value<product>},
    Value{kM2Mpysin, of_value<negative_product>},
    Value{kM2Maci, onto_of_two<sum, product>},
    Value{kM2Macsip, onto_of_value<sum, product>},
    Value{kM2Macsin, onto_of_value<difference, product>},
    Value{kM2Acci, onto_of_two<sum, sum>},
    Value{kM2Accii, onto_of_value<sum, sum>},
    Value{kM2Nacci, onto_of_two<difference, sum>},
    Value{kM2MpyUp, of_two<high_of_product>},
    Value{kM2MpyuUp, of_two<high_of_unsigned_product>},
    Value{kM4MpyriAddi, value_and_product_of_value},
    Value{kM4MpyrrAddi, value_and_product},
    Value{kM4MpyriAddr, sum_with_product},
    Value{kM4MpyriAddrU2, sum_with_product_of_value},
};

}  // namespace

std::span<const Value> scalar_values() { return kValues; }

}  // namespace covenant::sim::vliw
