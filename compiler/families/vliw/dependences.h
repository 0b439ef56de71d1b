/// Dependences between instructions of straight code, with distances in packets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/families/vliw/code.h"
#include "compiler/families/vliw/register_access.h"

namespace covenant::compiler::vliw {

/// `to` must be at least `packets` packets after `from`; in a loop, this applies to the `to` of `distance` trips later.
struct Dependence {
  size_t from = 0;
  size_t to = 0;
  uint32_t packets = 0;
  uint32_t distance = 0;
  bool operator==(const Dependence&) const = default;
};

/// Whether the code runs once, or is the body of a loop.
enum class Piece : uint8_t { kOnce, kLoop };

/// All dependences of the instructions in their order, through registers and through objects in memory. `carried`: by
/// virtual register, for the body of a loop: values that are not carried get a register of their own in every trip, so
/// that no trip waits for a register to become free.
std::vector<Dependence> dependences(std::span<const CodeInstruction> instructions, const RegisterAccesses& registers,
                                    Piece piece, const std::vector<bool>& carried = {});

/// By virtual register: true if one trip of a loop passes its value to the next, or if it comes from before the loop.
/// `count`: number of virtual registers.
std::vector<bool> carried_registers(std::span<const CodeInstruction> body, const RegisterAccesses& registers,
                                    size_t count);

}  // namespace covenant::compiler::vliw
