/// Operands of operations and the meaning of their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace covenant::acg {

/// The meaning of the number in an operand.
enum class OperandKind : uint8_t {
  kUnsigned,
  kSigned,
  kMemory,  ///< index into Machine::memories; in a mnemonic an efield of memory names
  kEngine,  ///< index into engines(machine); in a mnemonic an efield of engine names
  kChoice,  ///< index into OperandInfo::choices; in a mnemonic an efield of these names
  // Registers by number; a pair has the number of its lower, even register. In a mnemonic an ifield.
  kScalar,
  kScalarPair,
  kVector,
  kVectorPair,
  kPredicate,
  kVectorPredicate,
  kModifier,
  kControlRegister,  ///< in a mnemonic an efield of the names of OperandInfo::choices
  kProduced,         ///< 2 * (how many vector instructions back in the packet) + (1 for the odd register of a pair)
  kProducedScalar,   ///< 2 * (how many instructions back in the packet)
};
/// Access of an operation to the register that an operand names.
enum class Access : uint8_t { kNone, kRead, kWrite, kReadWrite };
constexpr bool reads(Access access) { return access == Access::kRead || access == Access::kReadWrite; }
constexpr bool writes(Access access) { return access == Access::kWrite || access == Access::kReadWrite; }

constexpr bool is_produced(OperandKind kind) {
  return kind == OperandKind::kProduced || kind == OperandKind::kProducedScalar;
}
constexpr bool is_pair(OperandKind kind) {
  return kind == OperandKind::kScalarPair || kind == OperandKind::kVectorPair;
}

struct OperandInfo {
  std::string_view name;
  OperandKind kind = OperandKind::kUnsigned;
  std::span<const std::string_view> choices{};
  Access access = Access::kNone;     ///< for registers
  bool is_optional = false;          ///< a mnemonic may leave it out; its value is then 0
  std::optional<int32_t> highest{};  ///< for unsigned numbers; nothing: limited by the field alone
};

}  // namespace covenant::acg
