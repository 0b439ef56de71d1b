#include "compiler/families/vliw/written_out.h"

#include <map>

#include "compiler/families/vliw/dependences.h"

namespace covenant::compiler::vliw {
namespace {

class Writing {
 public:
  Writing(const RegisterAccesses& accesses, const std::vector<size_t>& uses, std::vector<VirtualRegister>& registers)
      : accesses_(accesses), uses_(uses), registers_(registers) {}

  std::vector<CodeInstruction> body_of(const CodeLoop& loop) {
    std::vector<CodeInstruction> code;
    for (const CodeStep& step : loop.body) {
      if (const auto* instruction = std::get_if<CodeInstruction>(&step)) {
        code.push_back(*instruction);
      } else {
        append_trips(std::get<CodeLoop>(step), code);
      }
    }
    return code;
  }

 private:
  void append_trips(const CodeLoop& loop, std::vector<CodeInstruction>& to) {
    const std::vector<CodeInstruction> body = body_of(loop);
    const std::vector<bool> is_own = own_registers(loop, body);
    to.insert(to.end(), body.begin(), body.end());
    for (uint32_t trip = 1; trip < loop.trips; ++trip) {
      std::map<uint32_t, uint32_t> of_trip;
      for (CodeInstruction instruction : body) {
        rename(instruction, is_own, of_trip);
        to.push_back(instruction);
      }
    }
  }

  /// Registers used by one trip only, which no other code names.
  std::vector<bool> own_registers(const CodeLoop& loop, const std::vector<CodeInstruction>& body) const {
    std::vector<bool> own = carried_registers(body, accesses_, registers_.size());
    own.flip();
    const std::vector<size_t> within = uses_of(loop.body, accesses_, registers_.size());
    for (size_t i = 0; i < uses_.size(); ++i) own[i] = own[i] && uses_[i] <= within[i];
    return own;
  }

  void rename(CodeInstruction& instruction, const std::vector<bool>& is_own, std::map<uint32_t, uint32_t>& of_trip) {
    const std::span<const acg::OperandInfo> operands = acg::info(instruction.instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!is_virtual(operands[i])) continue;
      const Name name = Name::of(instruction.instruction.operands[i]);
      if (!is_own[name.number]) continue;
      const auto [entry, is_new] = of_trip.emplace(name.number, registers_.size());
      if (is_new) registers_.push_back(VirtualRegister(registers_.at(name.number)));
      instruction.instruction.operands[i] = Name{entry->second, name.is_upper}.operand();
    }
  }

  const RegisterAccesses& accesses_;
  const std::vector<size_t>& uses_;
  std::vector<VirtualRegister>& registers_;
};

}  // namespace

std::optional<std::vector<CodeInstruction>> written_out(const CodeLoop& loop, size_t most,
                                                        const RegisterAccesses& accesses,
                                                        const std::vector<size_t>& uses,
                                                        std::vector<VirtualRegister>& registers) {
  if (instructions_that_run(loop.body) > most) return std::nullopt;
  return Writing(accesses, uses, registers).body_of(loop);
}

}  // namespace covenant::compiler::vliw
