/// Traits of vliw_core operations that the rules for packets depend on.
#pragma once

#include <cstdint>

#include "acg/operations/operation.h"

namespace covenant::acg {

enum class VliwTrait : uint32_t {
  kLoad = 1 << 0,              ///< reads memory
  kStore = 1 << 1,             ///< writes memory
  kBranch = 1 << 2,            ///< may change the order of packets
  kConditional = 1 << 3,       ///< a branch that may not be taken
  kCompare = 1 << 4,           ///< several in one packet may write one predicate, which becomes the AND of their
                               ///< results
  kScalarArithmetic = 1 << 5,  ///< works on scalar registers alone; includes compares
  kAlone = 1 << 6,             ///< must be the only instruction of its packet
  kCurrent = 1 << 7,           ///< readers in the same packet see the loaded value (`.cur`), too
  kTemporary = 1 << 8,         ///< only readers in the same packet see the loaded value (`.tmp`)
  kNewPredicate = 1 << 9,      ///< reads the value of the predicate (`.new`) that its packet writes
  kInnerLoop = 1 << 10,        ///< sets up the inner hardware loop
  kOuterLoop = 1 << 11,        ///< sets up the outer hardware loop
  kLink = 1 << 12,             ///< writes the return address into r31
  kPrefetch = 1 << 13,         ///< may share its packet with scalar arithmetic only
  kInsert = 1 << 14,           ///< replaces a part of the register that it reads and writes
  kPredicated = 1 << 15,       ///< executes only if its predicate allows it
  kWhenFalse = 1 << 16,        ///< the predicate allows it if bit 0 is clear
  kSoleStore = 1 << 17,        ///< allows no other store in its packet
  kSoleBranch = 1 << 18,       ///< allows no other branch in its packet
  kFrame = 1 << 19,            ///< writes r30 if it stores, r29 if it loads
  kCompareJump = 1 << 20,      ///< branches on a predicate that it writes itself
};

/// A set of traits.
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
