/// What packets must know of an operation of the vliw_core beyond its operands.
#pragma once

#include <cstdint>

#include "acg/isa/operation.h"

namespace covenant::acg {

enum class VliwTrait : uint32_t {
  kLoad = 1 << 0,              ///< reads memory
  kStore = 1 << 1,             ///< writes memory
  kBranch = 1 << 2,            ///< may leave the order of packets
  kConditional = 1 << 3,       ///< a branch that may be passed by
  kCompare = 1 << 4,           ///< several of one packet may write one predicate: it becomes the AND of them
  kScalarArithmetic = 1 << 5,  ///< on scalar registers alone, compares among it
  kAlone = 1 << 6,             ///< has its packet to itself
  kCurrent = 1 << 7,           ///< the value loaded (`.cur`) is that of the packet's readers, too
  kTemporary = 1 << 8,         ///< the value loaded (`.tmp`) is that of the packet's readers, and of nobody else
  kNewPredicate = 1 << 9,      ///< reads the predicate (`.new`) that its packet writes
  kInnerLoop = 1 << 10,        ///< sets up the inner hardware loop
  kOuterLoop = 1 << 11,        ///< sets up the outer hardware loop
  kLink = 1 << 12,             ///< writes the return address into r31
  kPrefetch = 1 << 13,         ///< tolerates scalar arithmetic only beside it
  kInsert = 1 << 14,           ///< replaces a part of the register that it reads and writes
  kPredicated = 1 << 15,       ///< does nothing unless its predicate says so
  kWhenFalse = 1 << 16,        ///< the predicate says so where its bit 0 is clear
  kSoleStore = 1 << 17,        ///< tolerates no other store
  kSoleBranch = 1 << 18,       ///< tolerates no other branch
  kFrame = 1 << 19,            ///< writes r30 if it stores, r29 if it loads
  kCompareJump = 1 << 20,      ///< branches on the predicate that it has written itself
};

/// Any number of them.
class VliwTraits {
 public:
  constexpr VliwTraits() = default;
  constexpr VliwTraits(VliwTrait one) : bits_(static_cast<uint32_t>(one)) {}  // NOLINT(google-explicit-constructor)
  constexpr bool has(VliwTrait trait) const { return (bits_ & static_cast<uint32_t>(trait)) != 0; }
  friend constexpr VliwTraits operator|(VliwTraits left, VliwTraits right) {
    left.bits_ |= right.bits_;
    return left;
  }

 private:
  uint32_t bits_ = 0;
};
constexpr VliwTraits operator|(VliwTrait left, VliwTrait right) { return VliwTraits(left) | VliwTraits(right); }

/// False for the operations of other units.
bool has(Operation operation, VliwTrait trait);
inline bool has(const Instruction& instruction, VliwTrait trait) { return has(instruction.operation, trait); }

}  // namespace covenant::acg
