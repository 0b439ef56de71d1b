// Implements the branch operations.
#include <type_traits>

#include "sim/vliw/branch_access.h"
#include "sim/vliw/operand_access.h"
#include "sim/vliw/predicate_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

void jump(CoreState& core, const Operation& operation) { go_to(core, number(operation, 0)); }
void jump_to_register(CoreState& core, const Operation& operation) { go_to(core, scalar(core, operation, 0)); }

template <bool sense, bool is_likely>
void jump_if(CoreState& core, const Operation& operation) {
  go_to_if<is_likely>(core, holds<sense>(core, operation, 0), number(operation, 1));
}
template <bool sense, bool is_likely>
void jump_to_register_if(CoreState& core, const Operation& operation) {
  go_to_if<is_likely>(core, holds<sense>(core, operation, 0), scalar(core, operation, 1));
}

void call(CoreState& core, const Operation& operation) {
  core.registers.scalars[acg::kLinkRegister] = core.following;
  go_to(core, number(operation, 0));
}
void call_register(CoreState& core, const Operation& operation) {
  const uint32_t address = scalar(core, operation, 0);
  core.registers.scalars[acg::kLinkRegister] = core.following;
  go_to(core, address);
}

void set_value_and_jump(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = number(operation, 1);
  go_to(core, number(operation, 2));
}
void set_register_and_jump(CoreState& core, const Operation& operation) {
  scalar(core, operation, 0) = scalar(core, operation, 1);
  go_to(core, number(operation, 2));
}

constexpr auto kRegister = [](CoreState& core, const Operation& operation, size_t operand) {
  return scalar(core, operation, operand);
};
constexpr auto kNumber = [](CoreState& /*core*/, const Operation& operation, size_t operand) {
  return number(operation, operand);
};
constexpr auto kMinusOne = [](CoreState& /*core*/, const Operation& /*operation*/, size_t /*operand*/) {
  return ~uint32_t{0};
};

/// Writes pd, then branches on it.
template <auto right, auto function, bool sense, bool is_likely>
void compare_and_jump(CoreState& core, const Operation& operation) {
  write_predicate(core, operation, all_bits(function(scalar(core, operation, 1), right(core, operation, 2))));
  constexpr bool kIsImplied =
      std::is_same_v<std::remove_cvref_t<decltype(right)>, std::remove_cvref_t<decltype(kMinusOne)>>;
  constexpr size_t kTarget = kIsImplied ? 2 : 3;
  go_to_if<is_likely>(core, holds<sense>(core, operation, 0), number(operation, kTarget));
}

/// Its left side is operand 0; which of the two is new does not matter here.
template <auto right, auto function, bool sense, bool is_likely>
void jump_on_new(CoreState& core, const Operation& operation) {
  const bool is_so = function(scalar(core, operation, 0), right(core, operation, 1));
  go_to_if<is_likely>(core, is_so == sense, number(operation, 2));
}

constexpr std::array kValues{
    Value{kJ2Jump, jump},
    Value{kJ2Jumpt, jump_if<true, false>},
    Value{kJ2Jumpf, jump_if<false, false>},
    Value{kJ2Jumptpt, jump_if<true, true>},
    Value{kJ2Jumpfpt, jump_if<false, true>},
    Value{kJ2Jumptnew, jump_if<true, false>},
    Value{kJ2Jumpfnew, jump_if<false, false>},
    Value{kJ2Jumptnewpt, jump_if<true, true>},
    Value{kJ2Jumpfnewpt, jump_if<false, true>},
    Value{kJ2Jumpr, jump_to_register},
    Value{kJ2Jumprt, jump_to_register_if<true, false>},
    Value{kJ2Jumprf, jump_to_register_if<false, false>},
    Value{kJ2Jumprtnew, jump_to_register_if<true, false>},
    Value{kJ2Jumprfnew, jump_to_register_if<false, false>},
    Value{kJ2Jumprtnewpt, jump_to_register_if<true, true>},
    Value{kJ2Jumprfnewpt, jump_to_register_if<false, true>},
    Value{kJ2Call, call},
    Value{kJ2Callr, call_register},
    Value{kJ4Jumpseti, set_value_and_jump},
    Value{kJ4Jumpsetr, set_register_and_jump},
    Value{kJ4CmpeqTJumpNt, compare_and_jump<kRegister, equal, true, false>},
    Value{kJ4CmpeqTJumpT, compare_and_jump<kRegister, equal, true, true>},
    Value{kJ4CmpeqFJumpNt, compare_and_jump<kRegister, equal, false, false>},
    Value{kJ4CmpeqFJumpT, compare_and_jump<kRegister, equal, false, true>},
    Value{kJ4CmpgtTJumpNt, compare_and_jump<kRegister, greater, true, false>},
    Value{kJ4CmpgtTJumpT, compare_and_jump<kRegister, greater, true, true>},
    Value{kJ4CmpgtFJumpNt, compare_and_jump<kRegister, greater, false, false>},
    Value{kJ4CmpgtFJumpT, compare_and_jump<kRegister, greater, false, true>},
    Value{kJ4CmpgtuTJumpNt, compare_and_jump<kRegister, greater_unsigned, true, false>},
    Value{kJ4CmpgtuTJumpT, compare_and_jump<kRegister, greater_unsigned, true, true>},
    Value{kJ4CmpgtuFJumpNt, compare_and_jump<kRegister, greater_unsigned, false, false>},
    Value{kJ4CmpgtuFJumpT, compare_and_jump<kRegister, greater_unsigned, false, true>},
    Value{kJ4CmpeqiTJumpNt, compare_and_jump<kNumber, equal, true, false>},
    Value{kJ4CmpeqiTJumpT, compare_and_jump<kNumber, equal, true, true>},
    Value{kJ4CmpeqiFJumpNt, compare_and_jump<kNumber, equal, false, false>},
    Value{kJ4CmpeqiFJumpT, compare_and_jump<kNumber, equal, false, true>},
    Value{kJ4CmpgtiTJumpNt, compare_and_jump<kNumber, greater, true, false>},
    Value{kJ4CmpgtiTJumpT, compare_and_jump<kNumber, greater, true, true>},
    Value{kJ4CmpgtiFJumpNt, compare_and_jump<kNumber, greater, false, false>},
    Value{kJ4CmpgtiFJumpT, compare_and_jump<kNumber, greater, false, true>},
    Value{kJ4CmpgtuiTJumpNt, compare_and_jump<kNumber, greater_unsigned, true, false>},
    Value{kJ4CmpgtuiTJumpT, compare_and_jump<kNumber, greater_unsigned, true, true>},
    Value{kJ4CmpgtuiFJumpNt, compare_and_jump<kNumber, greater_unsigned, false, false>},
    Value{kJ4CmpgtuiFJumpT, compare_and_jump<kNumber, greater_unsigned, false, true>},
    Value{kJ4Cmpeqn1TJumpNt, compare_and_jump<kMinusOne, equal, true, false>},
    Value{kJ4Cmpeqn1TJumpT, compare_and_jump<kMinusOne, equal, true, true>},
    Value{kJ4Cmpeqn1FJumpNt, compare_and_jump<kMinusOne, equal, false, false>},
    Value{kJ4Cmpeqn1FJumpT, compare_and_jump<kMinusOne, equal, false, true>},
    Value{kJ4Cmpgtn1TJumpNt, compare_and_jump<kMinusOne, greater, true, false>},
    Value{kJ4Cmpgtn1TJumpT, compare_and_jump<kMinusOne, greater, true, true>},
    Value{kJ4Cmpgtn1FJumpNt, compare_and_jump<kMinusOne, greater, false, false>},
    Value{kJ4Cmpgtn1FJumpT, compare_and_jump<kMinusOne, greater, false, true>},
    Value{kJ4CmpeqTJumpnvNt, jump_on_new<kRegister, equal, true, false>},
    Value{kJ4CmpeqTJumpnvT, jump_on_new<kRegister, equal, true, true>},
    Value{kJ4CmpeqFJumpnvNt, jump_on_new<kRegister, equal, false, false>},
    Value{kJ4CmpeqFJumpnvT, jump_on_new<kRegister, equal, false, true>},
    Value{kJ4CmpgtTJumpnvNt, jump_on_new<kRegister, greater, true, false>},
    Value{kJ4CmpgtTJumpnvT, jump_on_new<kRegister, greater, true, true>},
    Value{kJ4CmpgtFJumpnvNt, jump_on_new<kRegister, greater, false, false>},
    Value{kJ4CmpgtFJumpnvT, jump_on_new<kRegister, greater, false, true>},
    Value{kJ4CmpgtuTJumpnvNt, jump_on_new<kRegister, greater_unsigned, true, false>},
    Value{kJ4CmpgtuTJumpnvT, jump_on_new<kRegister, greater_unsigned, true, true>},
    Value{kJ4CmpgtuFJumpnvNt, jump_on_new<kRegister, greater_unsigned, false, false>},
    Value{kJ4CmpgtuFJumpnvT, jump_on_new<kRegister, greater_unsigned, false, true>},
    Value{kJ4CmpltTJumpnvNt, jump_on_new<kRegister, greater, true, false>},
    Value{kJ4CmpltTJumpnvT, jump_on_new<kRegister, greater, true, true>},
    Value{kJ4CmpltFJumpnvNt, jump_on_new<kRegister, greater, false, false>},
    Value{kJ4CmpltFJumpnvT, jump_on_new<kRegister, greater, false, true>},
    Value{kJ4CmpltuTJumpnvNt, jump_on_new<kRegister, greater_unsigned, true, false>},
    Value{kJ4CmpltuTJumpnvT, jump_on_new<kRegister, greater_unsigned, true, true>},
    Value{kJ4CmpltuFJumpnvNt, jump_on_new<kRegister, greater_unsigned, false, false>},
    Value{kJ4CmpltuFJumpnvT, jump_on_new<kRegister, greater_unsigned, false, true>},
    Value{kJ4CmpeqiTJumpnvNt, jump_on_new<kNumber, equal, true, false>},
    Value{kJ4CmpeqiTJumpnvT, jump_on_new<kNumber, equal, true, true>},
    Value{kJ4CmpeqiFJumpnvNt, jump_on_new<kNumber, equal, false, false>},
    Value{kJ4CmpeqiFJumpnvT, jump_on_new<kNumber, equal, false, true>},
    Value{kJ4CmpgtiTJumpnvNt, jump_on_new<kNumber, greater, true, false>},
    Value{kJ4CmpgtiTJumpnvT, jump_on_new<kNumber, greater, true, true>},
    Value{kJ4CmpgtiFJumpnvNt, jump_on_new<kNumber, greater, false, false>},
    Value{kJ4CmpgtiFJumpnvT, jump_on_new<kNumber, greater, false, true>},
    Value{kJ4CmpgtuiTJumpnvNt, jump_on_new<kNumber, greater_unsigned, true, false>},
    Value{kJ4CmpgtuiTJumpnvT, jump_on_new<kNumber, greater_unsigned, true, true>},
    Value{kJ4CmpgtuiFJumpnvNt, jump_on_new<kNumber, greater_unsigned, false, false>},
    Value{kJ4CmpgtuiFJumpnvT, jump_on_new<kNumber, greater_unsigned, false, true>},
};

}  // namespace

std::span<const Value> branch_values() { return kValues; }

}  // namespace covenant::sim::vliw
