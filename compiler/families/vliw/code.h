/// Code of a core that issues packets, before packing: instructions on virtual registers, and loops with known trips.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "acg/operations/operation.h"
#include "acg/operations/vliw_registers.h"

namespace covenant::compiler::vliw {

/// A value that needs a register of a file, or two adjacent ones.
struct VirtualRegister {
  acg::RegisterFile file = acg::RegisterFile::kScalar;
  bool is_pair = false;
  bool operator==(const VirtualRegister&) const = default;
};

/// How an operand refers to a virtual register: to all of it or, for a pair, to its lower or upper half.
struct Name {
  uint32_t number = 0;  ///< index into Code::registers
  bool is_upper = false;

  int32_t operand() const { return static_cast<int32_t>(2 * number + (is_upper ? 1 : 0)); }
  static Name of(int32_t operand) { return {static_cast<uint32_t>(operand) / 2, operand % 2 != 0}; }
  auto operator<=>(const Name&) const = default;
};

/// One instruction; operands that are registers hold Name::operand().
struct CodeInstruction {
  acg::Instruction instruction;
  bool is_extended = false;
  /// The object in memory that it accesses; different objects share no byte. Meaningless without an access.
  uint32_t object = 0;
  /// Expected cycles by which its result is later than its mnemonic states, for a load that misses.
  uint32_t delay = 0;
  bool operator==(const CodeInstruction&) const = default;
};

struct CodeLoop;
using CodeStep = std::variant<CodeInstruction, CodeLoop>;

/// Runs its body `trips` times, at least once.
struct CodeLoop {
  uint32_t trips = 1;
  std::vector<CodeStep> body;
  bool operator==(const CodeLoop&) const = default;
};

/// Number of instructions executed, over all trips of loops.
inline uint64_t instructions_that_run(const std::vector<CodeStep>& steps) {
  uint64_t sum = 0;
  for (const CodeStep& step : steps) {
    const auto* loop = std::get_if<CodeLoop>(&step);
    sum += loop == nullptr ? 1 : loop->trips * instructions_that_run(loop->body);
  }
  return sum;
}

/// A virtual register that is a given register of the machine, at least at the start of the code.
struct FixedRegister {
  uint32_t number = 0;  ///< index into Code::registers
  int32_t index = 0;    ///< number of the register in its file
  bool operator==(const FixedRegister&) const = default;
};

struct Code {
  std::vector<VirtualRegister> registers;
  std::vector<FixedRegister> fixed;
  std::vector<CodeStep> steps;

  Name make(acg::RegisterFile file, bool is_pair = false) {
    registers.push_back({file, is_pair});
    return {static_cast<uint32_t>(registers.size() - 1), false};
  }
};

}  // namespace covenant::compiler::vliw
