/// Packs code into packets; registers are still virtual.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/vliw/code.h"
#include "compiler/families/vliw/loop_schedules.h"

namespace covenant::compiler::vliw {

struct CodePacket {
  std::vector<CodeInstruction> instructions;  ///< in any order
  bool operator==(const CodePacket&) const = default;
};

struct PacketLoop;
using PacketStep = std::variant<CodePacket, PacketLoop>;

/// How trips are counted: by one of the two hardware loops, or by a register and a branch at the end.
enum class LoopKind : uint8_t { kInner, kOuter, kBranch };

/// A hardware loop is set up in a packet before it, the last one that sets up a loop of its kind.
struct PacketLoop {
  LoopKind kind = LoopKind::kInner;
  std::vector<PacketStep> body;
  bool operator==(const PacketLoop&) const = default;
};

struct PacketCode {
  std::vector<VirtualRegister> registers;
  std::vector<FixedRegister> fixed;
  std::vector<PacketStep> steps;
};

/// How straight code is packed: each instruction as early or as late as possible, or in the given order.
enum class StraightOrder : uint8_t { kEarly, kLate, kAsItStands };

struct PacketOptions {
  bool pack = true;      ///< several instructions in a packet
  bool pipeline = true;  ///< trips of innermost loops overlap
  StraightOrder straight = StraightOrder::kEarly;
  bool await = true;      ///< loops load words so early that they arrive in time even if they miss the nearest cache
  uint32_t slack = 0;     ///< quarters by which the intervals of loops are longer than necessary
  bool write_out = true;  ///< short loops within a loop are written out, so that the trips of the outer one overlap
  bool unroll = true;     ///< loops whose trips overlap are unrolled; otherwise a trip waits until registers are free
                          ///< again
};

/// Loops of instructions, and of short loops among them, are pipelined: their first and last trips are before and after
/// them, in packets with the code there. The remaining loop is unrolled so often that a value which outlives an
/// interval has a register of its own in each copy. Everything else is straight code. The two innermost loops of a nest
/// are hardware loops.
PacketCode packetize(const Code& code, const acg::Machine& machine, const PacketOptions& options = {});
/// The same, reusing schedules of loops from other code for this machine that was packed with the same options.
PacketCode packetize(const Code& code, const acg::Machine& machine, const PacketOptions& options, LoopSchedules& known);

}  // namespace covenant::compiler::vliw
