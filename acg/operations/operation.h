/// Operations: what instruction words can do, by unit kind.
///
/// The operations of the engines that are sent words in groups are numbered here; units of other machines bring lists
/// of their own (acg/operations/operation_lists.h). The table of each unit's operations is a file of its own. A
/// mnemonic of a machine names its operation (`does = simd_array.add`) and the operand that each of its fields carries.
/// Code outside `acg/isa` works with operations and operands; only the encoder and the decoder know opcodes and bit
/// positions. Meaning and cycles of each operation: `docs/reference/units/<unit>.md`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "acg/operations/counts.h"
#include "acg/operations/operand.h"
#include "acg/operations/operation_lists.h"
#include "acg/operations/simd_immediates.h"
#include "acg/operations/unit_kind.h"

namespace covenant::acg {

enum class Operation : uint16_t {
  // control: executed by the fetch unit itself
  kGroup,     ///< the next `count` words belong to `engine`
  kBlockEnd,  ///< a block (one layer) is complete; `last` = 1 ends the program
  // sequencer: part of every engine
  kLoop,  ///< open loop `level`, whose index runs 0..last; `reduction` = 1 marks it for systolic_array.gemm
  kEnd,   ///< close loop `level`
  kWait,  ///< wait for a token of channel (memory, slot) and take it
  kPost,  ///< when all earlier words have taken effect, release a token of channel (memory, slot) and switch to the
          ///< next buffer
  // address_generator: part of engines that move or multiply whole tiles (dma, systolic_array)
  kTrip,    ///< inner loop `level` runs 0..last within one command; `reduction` as in kLoop
  kBase,    ///< base address of `operand`, the part named by `half`; `slot` is its channel slot
  kStride,  ///< stride of `operand` per iteration of loop `level`, the part named by `half`
  // dma
  kLimit,  ///< rows or columns outside 0..value-1 are filled instead of read; 0 = no limit
  kFill,   ///< the byte pattern written, repeatedly, in place of what lies outside the limits
  kLoad,   ///< one tile, off-chip to on-chip, in runs of run_last + 1 bytes
  kStore,  ///< one tile, on-chip to off-chip, in runs of run_last + 1 bytes
  // systolic_array
  kGemm,  ///< one pass over the resident tile
  // simd_array: configuration
  kSimdTrip,        ///< level `level` of the nest runs 0..last; later kSimdIndex words refer to this level
  kSimdIndex,       ///< stride entry by which each operand advances at the level of the last kSimdTrip
  kSimdReduce,      ///< levels first_level and deeper are reductions
  kSimdBase,        ///< base address of iterator (space, index), low part; clears the bits above
  kSimdBaseHigh,    ///< the next higher part of that base, or the one that `part` names
  kSimdStride,      ///< stride entry (space, index), sign-extended low part
  kSimdStrideHigh,  ///< the next higher part of that stride, sign-extended
  kImmediateLow,    ///< low part of immediate `slot`; clears the bits above
  kImmediateHigh,   ///< the next higher part
  kTypes,           ///< element types of dst, src1, src2
  kQuantization,  ///< zero point, lowest and highest value of REQUANT, REQUANT_ADD, REQUANT_MUL and QUANTIZE, low part
  kTable,         ///< part `index` of the table of LOOKUP, which has one entry for each value of its source
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
  kQuantizationHigh,  ///< simd_array: the next higher part of kQuantization, for wider element types
  // simd_array: one loop nest each, in fixed point
  kRequantFixed,
  kRequantAddFixed,
  kRequantMulFixed,
};
/// Operations with lists of their own follow: values from here on stand for the entries of those lists, in their order.
inline constexpr size_t kFirstListedOperation = static_cast<size_t>(Operation::kRequantMulFixed) + 1;
/// The last operation is that of a mnemonic without `does`: a word of a machine that is only described, with its fields
/// as they are (the ADD of the Covenant paper's Figure 6). Operand i is the i-th field that is not constant; nothing
/// runs it.
inline constexpr auto kDescribedWord = static_cast<Operation>(kFirstListedOperation + OperationLists::kCount);
inline constexpr size_t kOperationCount = kFirstListedOperation + OperationLists::kCount + 1;
inline constexpr size_t kMaxOperands = 6;
/// Most parts of a 32-bit number, the low one included: each has at least 4 bits.
inline constexpr size_t kMostParts = 8;

struct OperationInfo {
  Operation operation;
  UnitKind unit;
  std::string_view name;  ///< "wait"; `does = sequencer.wait`
  std::span<const OperandInfo> operands;
};

// Values of choice operands, in the order of their codes.
enum class Token : uint8_t { kFull, kFree };
/// The part of a number that a word sets. A machine may name several high parts.
enum class Half : uint8_t { kLow, kHigh };
enum class Axis : uint8_t { kRow, kColumn };
/// Operands of address generators: the first four of systolic_array, the others of dma.
enum class AddressOperand : uint8_t { kInput, kWeight, kBias, kOutput, kOffchip, kOnchip, kRow, kColumn };
/// Element types of the inputs of a systolic array and of the operands of a SIMD array.
enum class InputType : uint8_t { kI8, kU8, kI16, kU16, kI4, kU4 };
enum class SimdType : uint8_t { kI8, kU8, kI32, kF32, kI16, kU16, kI4, kU4 };

/// The whole table, indexed by Operation.
std::span<const OperationInfo> operations();
const OperationInfo& info(Operation operation);
/// The qualified name, as `does` takes it: "simd_array.add".
std::string qualified_name(Operation operation);
/// The operation with this qualified name, or nothing.
std::optional<Operation> operation_named(std::string_view name);
/// Position of an operand in its operation. InternalError if the operation has no operand of this name.
size_t operand_index(Operation operation, std::string_view operand);
/// The operation that an entry of a list stands for.
template <typename Entry>
  requires OperationLists::kHas<Entry>
constexpr Operation operation_of(Entry entry) {
  return static_cast<Operation>(kFirstListedOperation + OperationLists::first<Entry>() + static_cast<size_t>(entry));
}
/// The entry of the list that the operation stands for; nothing for operations of other units.
template <typename Entry>
  requires OperationLists::kHas<Entry>
constexpr std::optional<Entry> listed(Operation operation) {
  const size_t first = kFirstListedOperation + OperationLists::first<Entry>();
  const auto number = static_cast<size_t>(operation);
  if (number < first || number - first >= OperationLists::count<Entry>()) return std::nullopt;
  return static_cast<Entry>(number - first);
}
constexpr std::optional<VliwOperation> vliw_operation(Operation operation) { return listed<VliwOperation>(operation); }

/// One operation with its operand values, in the order of OperationInfo::operands.
struct Instruction {
  Operation operation = Operation::kBlockEnd;
  std::array<int32_t, kMaxOperands> operands{};
  bool operator==(const Instruction&) const = default;
};

}  // namespace covenant::acg
