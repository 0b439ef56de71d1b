/// Which virtual registers an instruction reads and writes, and in which stages.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/isa/operation_stages.h"
#include "compiler/target/vliw/code.h"

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

/// Does the operand name a virtual register? Code has none that is a modifier, a control register or a value of the
/// same packet.
bool is_virtual(const acg::OperandInfo& operand);

/// By the mnemonics of a machine.
class RegisterAccesses {
 public:
  /// Keeps no reference to the machine. Precondition: it has packets.
  explicit RegisterAccesses(const acg::Machine& machine);

  std::vector<RegisterAccess> of(const CodeInstruction& instruction) const;
  /// Packets from one that writes in stage `written` to one that reads in stage `read` without waiting.
  uint32_t packets_between(uint32_t written, uint32_t read) const;

 private:
  acg::StageTable stages_;
  uint32_t interval_;
};

/// How often the code names each of so many virtual registers.
std::vector<size_t> uses_of(const std::vector<Step>& steps, const RegisterAccesses& accesses, size_t registers);

}  // namespace covenant::compiler::vliw
