/// The registers that an instruction of the vliw_core reads and writes, implied ones included.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "acg/operations/operation.h"

namespace covenant::acg {

enum class RegisterFile : uint8_t { kScalar, kVector, kPredicate, kVectorPredicate, kControl };

struct Register {
  RegisterFile file = RegisterFile::kScalar;
  int32_t number = 0;
  auto operator<=>(const Register&) const = default;
};

/// Number of registers in a file: 4 for predicates, 32 for others.
constexpr int32_t count_of(RegisterFile file) {
  return file == RegisterFile::kPredicate || file == RegisterFile::kVectorPredicate ? 4 : 32;
}
/// The highest number that the operand may have: for a register the last of its file, for a pair that of the lower
/// register. Nothing if every number is allowed.
std::optional<int32_t> highest_number(const OperandInfo& operand);

/// Names of registers: "r3", "v3", "p3", "q3", "c3".
std::string name_of(const Register& named);

/// Control registers, by number.
inline constexpr int32_t kInnerStart = 0, kInnerCount = 1, kOuterStart = 2, kOuterCount = 3, kAllPredicates = 4,
                         kFirstModifier = 6, kUserStatus = 8, kProgramCounter = 9, kCycles = 14, kFrameKey = 17,
                         kPackets = 18, kEmulatorPackets = 20;
inline constexpr int32_t kStackRegister = 29, kFrameRegister = 30, kLinkRegister = 31;

/// Position of the operand that names the predicate of the instruction, if there is one.
std::optional<size_t> predicate_read(const Instruction& instruction);

struct RegisterUse {
  Register used;
  Access access = Access::kRead;
  std::optional<size_t> operand;  ///< position of the operand that names it (one for both registers of a pair); nothing
                                  ///< if it is implied
  bool operator==(const RegisterUse&) const = default;
};

/// Register uses of an instruction; a pair gives two. Not included: a `produced` value, which only the packet can
/// resolve (`PacketCodec::producer`), and the effects of the end of a hardware loop.
std::vector<RegisterUse> register_uses(const Instruction& instruction);

}  // namespace covenant::acg
