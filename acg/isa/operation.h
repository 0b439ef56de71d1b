/// What words mean: the closed list of operations that unit kinds offer.
///
/// A mnemonic of a machine says which operation it does (`does = simd_array.add`) and which operand each of its fields
/// carries. Everything outside `acg/isa` speaks of operations and operands; only the encoder and the decoder know
/// opcodes and bit positions. Meaning and cycles of each operation: `docs/reference/units/<unit>.md`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "acg/isa/operand.h"
#include "acg/isa/simd_immediates.h"
#include "acg/isa/unit_kind.h"
#include "acg/isa/vliw_operation.h"

namespace covenant::acg {

enum class Operation : uint16_t {
  // control: read by the fetch unit itself
  kGroup,     ///< the next `count` words belong to `engine`
  kBlockEnd,  ///< a block (one layer) is complete; `last` = 1 ends the program
  // sequencer: every engine has one
  kLoop,  ///< open loop `level`; its index runs 0..last; `reduction` = 1 marks it for systolic_array.gemm
  kEnd,   ///< close loop `level`
  kWait,  ///< wait for a token of channel (memory, slot), take it
  kPost,  ///< release a token of channel (memory, slot) when all earlier words have taken effect; turn to the next
          ///< buffer
  // address_generator: engines that move or multiply whole tiles (dma, systolic_array)
  kTrip,    ///< inner loop `level` runs 0..last within one command; `reduction` as in kLoop
  kBase,    ///< base address of `operand`, one part of it (`half`); its channel slot is `slot`
  kStride,  ///< what `operand` advances by per iteration of loop `level`, one part of it
  // dma
  kLimit,  ///< rows or columns outside 0..value-1 are filled, not read; 0 = no limit
  kFill,   ///< bytes that are written, again and again, in place of what lies outside the limits
  kLoad,   ///< one tile, off-chip to on-chip, in runs of run_last + 1 bytes
  kStore,  ///< one tile, on-chip to off-chip, in runs of run_last + 1 bytes
  // systolic_array
  kGemm,  ///< one pass over the resident tile
  // simd_array: configuration
  kSimdTrip,        ///< level `level` of the nest runs 0..last; kSimdIndex then speaks of this level
  kSimdIndex,       ///< which stride entry each operand advances by at the level of the last kSimdTrip
  kSimdReduce,      ///< levels first_level and deeper are reductions
  kSimdBase,        ///< base address of iterator (space, index), low part; clears the bits above
  kSimdBaseHigh,    ///< a part above, the first one unless `part` says another
  kSimdStride,      ///< stride entry (space, index), sign-extended low part
  kSimdStrideHigh,  ///< a part above, sign-extended
  kImmediateLow,    ///< low part of immediate `slot`; clears the bits above
  kImmediateHigh,   ///< a part above
  kTypes,           ///< element types of dst, src1, src2
  kQuantization,  ///< zero point, lowest and highest value of REQUANT, REQUANT_ADD, REQUANT_MUL and QUANTIZE, low part
  kTable,         ///< part `index` of the table of LOOKUP, a number with an entry for each value of its source
  // simd_array: one loop nest each
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kMove,
  kSqrt,
  kRequant,
  kRequantAdd,
  kRequantMul,
  kDequantize,
  kQuantize,
  kLookup,
  kReduceMax,
  kReduceSum,
  kDequantizeSum,
  kQuantizationHigh,  ///< simd_array: the part above that of kQuantization, of elements that have one
  // simd_array: one loop nest each, in fixed point
  kRequantFixed,
  kRequantAddFixed,
  kRequantMulFixed,
};
/// Operations of vliw_core follow: values from here on stand for the entries of VliwOperation, in their order.
inline constexpr size_t kFirstVliwOperation = static_cast<size_t>(Operation::kRequantMulFixed) + 1;
/// The last one is what a mnemonic without `does` says: a word of a machine that is only described, its fields as they
/// stand (the ADD of the Covenant paper's Figure 6). Operand i is the i-th field that is no constant; nothing runs it.
inline constexpr auto kDescribedWord = static_cast<Operation>(kFirstVliwOperation + kVliwOperationCount);
inline constexpr size_t kOperationCount = kFirstVliwOperation + kVliwOperationCount + 1;
inline constexpr size_t kMaxOperands = 6;
/// Parts of a number of 32 bits, the low one among them: of 4 bits each at least.
inline constexpr size_t kMostParts = 8;

struct OperationInfo {
  Operation operation;
  UnitKind unit;
  std::string_view name;  ///< "wait"; `does = sequencer.wait`
  std::span<const OperandInfo> operands;
};

// Choices, in the order of their codes. The enums below are the same codes for C++.
enum class Token : uint8_t { kFull, kFree };
/// Which part of a number a word sets; later high parts follow, as many as a machine names.
enum class Half : uint8_t { kLow, kHigh };
enum class Axis : uint8_t { kRow, kColumn };
/// Operands of address generators: the first four of systolic_array, the others of dma.
enum class AddressOperand : uint8_t { kInput, kWeight, kBias, kOutput, kOffchip, kOnchip, kRow, kColumn };
/// Element types that inputs of a systolic array and operands of a SIMD array may have.
enum class InputType : uint8_t { kI8, kU8, kI16, kU16, kI4, kU4 };
enum class SimdType : uint8_t { kI8, kU8, kI32, kF32, kI16, kU16, kI4, kU4 };

/// The whole table, indexed by Operation.
std::span<const OperationInfo> operations();
const OperationInfo& info(Operation operation);
/// "simd_array.add": what `does` says.
std::string qualified_name(Operation operation);
/// The operation of this qualified name.
std::optional<Operation> operation_named(std::string_view name);
/// Position of an operand in its operation; InternalError if it has none of this name.
size_t operand_index(Operation operation, std::string_view operand);
constexpr Operation operation_of(VliwOperation operation) {
  return static_cast<Operation>(kFirstVliwOperation + static_cast<size_t>(operation));
}
/// Nothing for the operations of other units.
constexpr std::optional<VliwOperation> vliw_operation(Operation operation) {
  if (static_cast<size_t>(operation) < kFirstVliwOperation || operation == kDescribedWord) return std::nullopt;
  return static_cast<VliwOperation>(static_cast<size_t>(operation) - kFirstVliwOperation);
}

/// One operation with its operand values, in the order of OperationInfo::operands.
struct Instruction {
  Operation operation = Operation::kBlockEnd;
  std::array<int32_t, kMaxOperands> operands{};
  bool operator==(const Instruction&) const = default;
};

/// Loop levels of the sequencer, of inner loops of a systolic pass, and of inner loops of a DMA transfer.
inline constexpr uint32_t kTileLoops = 7;      // levels 0..6, outermost first
inline constexpr uint32_t kFirstPassLoop = 7;  // levels 7..13
inline constexpr uint32_t kPassLoops = 7;
inline constexpr uint32_t kFirstTransferLoop = 14;  // levels 14 (plane), 15 (row), 16 (column)
inline constexpr uint32_t kTransferLoops = 3;
inline constexpr uint32_t kLoopLevels = 17;
inline constexpr uint32_t kSimdLevels = 8;                       // levels 0..7 of a SIMD nest, outermost first
inline constexpr uint32_t kChannelSlots = 4, kMaxChannels = 32;  // of a memory that does not say how many; of any
inline constexpr uint32_t kIteratorEntries =
    32;  // per memory; channel slot s has entries s*e .. s*e+e-1, e = 32 / channels
inline constexpr uint32_t kImmediateSlots = 32;
/// The table of LOOKUP has an entry for every value of its source, which has 8 bits at most: a byte, or 32 bits of f32.
inline constexpr uint32_t kMostTableEntries = 256, kMostTableBytes = 4 * kMostTableEntries;

}  // namespace covenant::acg
