// Implements operations on pairs of scalar registers, that is, 64-bit numbers.
#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

template <auto function>
void of_two(CoreState& core, const Operation& operation) {
  set_wide(core, operation, 0, function(wide(core, operation, 1), wide(core, operation, 2)));
}
template <auto function>
void of_value(CoreState& core, const Operation& operation) {
  set_wide(core, operation, 0, function(wide(core, operation, 1), number(operation, 2)));
}

uint64_t sum(uint64_t left, uint64_t right) { return left + right; }
uint64_t difference(uint64_t left, uint64_t right) { return left - right; }
uint64_t both(uint64_t left, uint64_t right) { return left & right; }
uint64_t either(uint64_t left, uint64_t right) { return left | right; }
uint64_t one_of(uint64_t left, uint64_t right) { return left ^ right; }
uint64_t shifted_left(uint64_t left, uint32_t right) { return left << right; }
uint64_t shifted_right(uint64_t left, uint32_t right) {
  return static_cast<uint64_t>(static_cast<int64_t>(left) >> right);
}
uint64_t shifted_right_logically(uint64_t left, uint32_t right) { return left >> right; }

/// rs * rt in 64 bits, onto the pair or in its place.
template <typename Factor, bool accumulates>
void multiply(CoreState& core, const Operation& operation) {
  const auto left = static_cast<int64_t>(static_cast<Factor>(scalar(core, operation, 1)));
  const auto right = static_cast<int64_t>(static_cast<Factor>(scalar(core, operation, 2)));
  const uint64_t product = static_cast<uint64_t>(left) * static_cast<uint64_t>(right);
  set_wide(core, operation, 0, (accumulates ? wide(core, operation, 0) : 0) + product);
}

void extend(CoreState& core, const Operation& operation) {
  const auto low = static_cast<int32_t>(scalar(core, operation, 1));
  set_wide(core, operation, 0, static_cast<uint64_t>(int64_t{low}));
}

void set_halves(CoreState& core, const Operation& operation, uint32_t high, uint32_t low) {
  set_wide(core, operation, 0, uint64_t{high} << 32 | low);
}
void combine(CoreState& core, const Operation& operation) {
  set_halves(core, operation, scalar(core, operation, 1), scalar(core, operation, 2));
}
void combine_values(CoreState& core, const Operation& operation) {
  set_halves(core, operation, number(operation, 1), number(operation, 2));
}
void combine_value_and_register(CoreState& core, const Operation& operation) {
  set_halves(core, operation, number(operation, 1), scalar(core, operation, 2));
}
void combine_register_and_value(CoreState& core, const Operation& operation) {
  set_halves(core, operation, scalar(core, operation, 1), number(operation, 2));
}

constexpr std::array kValues{
    Value{kA2Addp, of_two<sum>},
    Value{kA2Subp, of_two<difference>},
    Value{kA2Andp, of_two<both>},
    Value{kA2Orp, of_two<either>},
    Value{kA2Xorp, of_two<one_of>},
    Value{kA2Sxtw, extend},
    Value{kS2AslIP, of_value<shifted_left>},
    Value{kS2AsrIP, of_value<shifted_right>},
    Value{kS2LsrIP, of_value<shifted_right_logically>},
    Value{kM2DpmpyssS0, multiply<int32_t, false>},
    Value{kM2DpmpyuuS0, multiply<uint32_t, false>},
    Value{kM2DpmpyssAccS0, multiply<int32_t, true>},
    Value{kM2DpmpyuuAccS0, multiply<uint32_t, true>},
    Value{kA2Combinew, combine},
    Value{kA2Combineii, combine_values},
    Value{kA4Combineii, combine_values},
    Value{kA4Combineir, combine_value_and_register},
    Value{kA4Combineri, combine_register_and_value},
};

}  // namespace

std::span<const Value> pair_values() { return kValues; }

}  // namespace covenant::sim::vliw
