/// What must come before what in a straight piece of code, and how many packets later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/target/vliw/code.h"
#include "compiler/target/vliw/register_access.h"

namespace covenant::compiler::vliw {

/// `to` may not be in a packet earlier than `packets` after that of `from`; of a loop: the `to` of `distance` trips
/// later.
struct Dependence {
  size_t from = 0;
  size_t to = 0;
  uint32_t packets = 0;
  uint32_t distance = 0;
  bool operator==(const Dependence&) const = default;
};

/// Whether the code runs once, or is the body of a loop.
enum class Piece : uint8_t { kOnce, kLoop };

/// All dependences of the instructions in their order, by registers and by objects in memory. `carried`: by virtual
/// register, of the body of a loop: another value gets a register of its own in every trip, and nobody waits for it to
/// be free again.
std::vector<Dependence> dependences(std::span<const CodeInstruction> instructions, const RegisterAccesses& registers,
                                    Piece piece, const std::vector<bool>& carried = {});

/// By virtual register: does one trip of a loop leave its value to the next, or does it come from before the loop?
/// `count`: of virtual registers.
std::vector<bool> carried_registers(std::span<const CodeInstruction> body, const RegisterAccesses& registers,
                                    size_t count);

}  // namespace covenant::compiler::vliw
