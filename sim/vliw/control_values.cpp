// Implements hardware loops, operations on control registers, and service requests.
#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

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

/// The counters live with the core; those of packets under the number of the emulator's, too.
uint32_t control(const CoreState& core, int32_t number) {
  switch (number) {
    case acg::kCycles:
      return static_cast<uint32_t>(core.cycles);
    case acg::kCycles + 1:
      return static_cast<uint32_t>(core.cycles >> 32);
    case acg::kPackets:
    case acg::kEmulatorPackets:
      return static_cast<uint32_t>(core.packets);
    case acg::kPackets + 1:
      return static_cast<uint32_t>(core.packets >> 32);
    default:
      return core.registers.controls[static_cast<size_t>(number)];
  }
}

void transfer_from_control(CoreState& core, const Operation& operation) {
  const int32_t number = operation.operands[1];
  if (number != acg::kAllPredicates) {
    scalar(core, operation, 0) = control(core, number);
    return;
  }
  uint32_t bits = 0;
  for (size_t i = kNamedPredicates; i-- > 0;) bits = bits << 8 | core.registers.predicates[i];
  scalar(core, operation, 0) = bits;
}

/// The number has been made absolute, as a target is.
void transfer_place(CoreState& core, const Operation& operation) { scalar(core, operation, 0) = number(operation, 1); }

void trap(CoreState& core, const Operation& operation) { core.service = operation.operands[0]; }

/// A prefetch changes no value. Its pair holds height, width and stride in half words, from the lowest one.
void prefetch(CoreState& core, const Operation& operation) {
  const uint32_t low = scalar(core, operation, 1), high = (&scalar(core, operation, 1))[1];
  core.prefetched = {scalar(core, operation, 0), low & 0xffff, low >> 16, high & 0xffff};
}

constexpr std::array kValues{
    Value{kJ2Loop0i, loop_of_value<acg::kInnerStart>},
    Value{kJ2Loop0r, loop_of_register<acg::kInnerStart>},
    Value{kJ2Loop1i, loop_of_value<acg::kOuterStart>},
    Value{kJ2Loop1r, loop_of_register<acg::kOuterStart>},
    Value{kJ2Trap0, trap},
    Value{kY5L2fetch, prefetch},
    Value{kA2Tfrrcr, transfer_to_control},
    Value{kA2Tfrcrr, transfer_from_control},
    Value{kC4Addipc, transfer_place},
};

}  // namespace

std::span<const Value> control_values() { return kValues; }

}  // namespace covenant::sim::vliw
