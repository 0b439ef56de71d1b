/// Which registers an instruction of the vliw_core reads and writes, those that no operand names among them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "acg/isa/operation.h"

namespace covenant::acg {

enum class RegisterFile : uint8_t { kScalar, kVector, kPredicate, kVectorPredicate, kControl };

struct Register {
  RegisterFile file = RegisterFile::kScalar;
  int32_t number = 0;
  auto operator<=>(const Register&) const = default;
};

/// Registers of a file: 32, and 4 of predicates.
constexpr int32_t count_of(RegisterFile file) {
  return file == RegisterFile::kPredicate || file == RegisterFile::kVectorPredicate ? 4 : 32;
}
/// The greatest number that the operand may have: of a register by its file, of a pair the lower one's. Nothing where
/// any number does.
std::optional<int32_t> highest_number(const OperandInfo& operand);

/// "r3", "v3", "p3", "q3", "c3".
std::string name_of(const Register& named);

/// Control registers, by number.
inline constexpr int32_t kInnerStart = 0, kInnerCount = 1, kOuterStart = 2, kOuterCount = 3, kAllPredicates = 4,
                         kFirstModifier = 6, kUserStatus = 8, kProgramCounter = 9, kCycles = 14, kFrameKey = 17,
                         kPackets = 18, kEmulatorPackets = 20;
inline constexpr int32_t kStackRegister = 29, kFrameRegister = 30, kLinkRegister = 31;

/// The operand that names the predicate on which the instruction depends.
std::optional<size_t> predicate_read(const Instruction& instruction);

struct RegisterUse {
  Register used;
  Access access = Access::kRead;
  std::optional<size_t> operand;  ///< that names it; of a pair both registers; nothing for one that is implied
  bool operator==(const RegisterUse&) const = default;
};

/// Pairs as two uses. Not among them: a `produced` value, which its packet must be asked for
/// (`PacketCodec::producer`), and what the end of a hardware loop does.
std::vector<RegisterUse> register_uses(const Instruction& instruction);

}  // namespace covenant::acg
