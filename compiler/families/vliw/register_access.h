/// The virtual registers that an instruction reads and writes, and the pipeline stages in which it does.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/isa/vliw/operation_stages.h"
#include "compiler/families/vliw/code.h"

namespace covenant::compiler::vliw {

struct RegisterAccess {
  Name name;
  bool is_pair = false;  ///< both halves
  bool reads = false;
  bool writes = false;
  uint32_t read_stage = 0;
  uint32_t write_stage = 0;
  uint32_t limit = UINT32_MAX;  ///< its field holds only numbers of registers below this

  bool touches_same(const RegisterAccess& other) const {
    if (name.number != other.name.number) return false;
    return is_pair || other.is_pair || name.is_upper == other.name.is_upper;
  }
};

/// True if the operand names a virtual register. Modifiers, control registers and values of the same packet are never
/// virtual.
bool is_virtual(const acg::OperandInfo& operand);

/// Accesses of instructions according to the mnemonics of a machine.
class RegisterAccesses {
 public:
  /// Keeps no reference to the machine. Precondition: it has packets.
  explicit RegisterAccesses(const acg::Machine& machine);

  std::vector<RegisterAccess> of(const CodeInstruction& instruction) const;
  /// Least distance in packets from a write in stage `written` to a read in stage `read` without waiting.
  uint32_t packets_between(uint32_t written, uint32_t read) const;

 private:
  acg::StageTable stages_;
  uint32_t interval_;
};

/// How often the code names each of its virtual registers, `registers` in number.
std::vector<size_t> uses_of(const std::vector<CodeStep>& steps, const RegisterAccesses& accesses, size_t registers);

}  // namespace covenant::compiler::vliw
