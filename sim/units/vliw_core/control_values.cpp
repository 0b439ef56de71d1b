// Branches, hardware loops, control registers and what asks others for something.
#include "sim/units/vliw_core/operand_access.h"
#include "sim/units/vliw_core/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

/// The first branch taken of a packet counts.
void go_to(CoreState& core, uint32_t address) {
  if (!core.taken) core.taken = address;
}

void jump(CoreState& core, const Operation& operation) { go_to(core, number(operation, 0)); }

/// `is_likely`: its text says that it is taken. A branch after one that is taken is not reached.
template <bool is_likely>
void jump_if(CoreState& core, const Operation& operation) {
  if (core.taken) return;
  const bool is_taken = (core.registers.predicates[static_cast<size_t>(operation.operands[0])] & 1) != 0;
  core.is_guessed_wrong = core.is_guessed_wrong || is_taken != is_likely;
  if (is_taken) go_to(core, number(operation, 1));
}

void jump_to_register(CoreState& core, const Operation& operation) { go_to(core, scalar(core, operation, 0)); }

void call(CoreState& core, const Operation& operation) {
  core.registers.scalars[acg::kLinkRegister] = core.following;
  go_to(core, number(operation, 0));
}

template <int32_t start>
void begin_loop(CoreState& core, uint32_t target, uint32_t count) {
  core.registers.controls[start] = target;
  core.registers.controls[start + 1] = count;
}
template <int32_t start>
void loop_of_value(CoreState& core, const Operation& operation) {
  begin_loop<start>(core, number(operation, 0), number(operation, 1));
}
template <int32_t start>
void loop_of_register(CoreState& core, const Operation& operation) {
  begin_loop<start>(core, number(operation, 0), scalar(core, operation, 1));
}

void transfer_to_control(CoreState& core, const Operation& operation) {
  const int32_t number = operation.operands[0];
  const uint32_t bits = scalar(core, operation, 1);
  if (number != acg::kAllPredicates) {
    core.registers.controls[static_cast<size_t>(number)] = bits;
    return;
  }
  for (size_t i = 0; i < kNamedPredicates; ++i) core.registers.predicates[i] = static_cast<uint8_t>(bits >> (8 * i));
}

void trap(CoreState& core, const Operation& operation) { core.service = operation.operands[0]; }

/// A prefetch changes no value. Its pair holds height, width and stride in half words, from the lowest one.
void prefetch(CoreState& core, const Operation& operation) {
  const uint32_t low = scalar(core, operation, 1), high = (&scalar(core, operation, 1))[1];
  core.prefetched = {scalar(core, operation, 0), low & 0xffff, low >> 16, high & 0xffff};
}

constexpr std::array kValues{
    Value{kJ2Jump, jump},
    Value{kJ2Jumpt, jump_if<false>},
    Value{kJ2Jumptnewpt, jump_if<true>},
    Value{kJ2Jumpr, jump_to_register},
    Value{kJ2Call, call},
    Value{kJ2Loop0i, loop_of_value<acg::kInnerStart>},
    Value{kJ2Loop0r, loop_of_register<acg::kInnerStart>},
    Value{kJ2Loop1i, loop_of_value<acg::kOuterStart>},
    Value{kJ2Loop1r, loop_of_register<acg::kOuterStart>},
    Value{kJ2Trap0, trap},
    Value{kY5L2fetch, prefetch},
    Value{kA2Tfrrcr, transfer_to_control},
};

}  // namespace

std::span<const Value> control_values() { return kValues; }

}  // namespace covenant::sim::vliw
