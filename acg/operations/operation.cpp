#include "acg/operations/operation.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/operations/vliw_operation_table.h"

namespace covenant::acg {
namespace {

using enum OperandKind;

constexpr std::array<std::string_view, 2> kTokens{"FULL", "FREE"};
constexpr std::array<std::string_view, kMostParts> kParts{"LOW",    "HIGH",   "HIGH_1", "HIGH_2",
                                                          "HIGH_3", "HIGH_4", "HIGH_5", "HIGH_6"};
constexpr std::array<std::string_view, 2> kAxes{"ROW", "COLUMN"};
constexpr std::array<std::string_view, 8> kAddressOperands{"INPUT",   "WEIGHT", "BIAS", "OUTPUT",
                                                           "OFFCHIP", "ONCHIP", "ROW",  "COLUMN"};
constexpr std::array<std::string_view, 8> kTypeNames{"I8", "U8", "I32", "F32", "I16", "U16", "I4", "U4"};
constexpr std::array<std::string_view, 6> kInputTypes{"I8", "U8", "I16", "U16", "I4", "U4"};

constexpr std::array<OperandInfo, 2> kGroupOperands{{{"engine", kEngine}, {"count"}}};
constexpr std::array<OperandInfo, 1> kLastOperand{{{"last"}}};
constexpr std::array<OperandInfo, 3> kLoopOperands{{{"level"}, {"last"}, {"reduction"}}};
constexpr std::array<OperandInfo, 1> kLevelOperand{{{"level"}}};
constexpr std::array<OperandInfo, 3> kTokenOperands{{{"memory", kMemory}, {"slot"}, {"token", kChoice, kTokens}}};
constexpr std::array<OperandInfo, 4> kBaseOperands{
    {{"operand", kChoice, kAddressOperands}, {"half", kChoice, kParts}, {"slot"}, {"value"}}};
constexpr std::array<OperandInfo, 4> kStrideOperands{
    {{"operand", kChoice, kAddressOperands}, {"level"}, {"half", kChoice, kParts}, {"value"}}};
constexpr std::array<OperandInfo, 2> kLimitOperands{{{"axis", kChoice, kAxes}, {"value"}}};
constexpr std::array<OperandInfo, 1> kValueOperand{{{"value"}}};
constexpr std::array<OperandInfo, 1> kRunOperand{{{"run_last"}}};
constexpr std::array<OperandInfo, 1> kGemmOperands{{{"input_type", kChoice, kInputTypes}}};
constexpr std::array<OperandInfo, 2> kSimdTripOperands{{{"level"}, {"last"}}};
constexpr std::array<OperandInfo, 6> kSimdOperands{
    {{"dst_memory", kMemory}, {"dst"}, {"src1_memory", kMemory}, {"src1"}, {"src2_memory", kMemory}, {"src2"}}};
constexpr std::array<OperandInfo, 1> kReduceOperand{{{"first_level"}}};
constexpr std::array<OperandInfo, 3> kIteratorOperands{{{"memory", kMemory}, {"index"}, {"value"}}};
constexpr std::array<OperandInfo, 3> kSignedIteratorOperands{{{"memory", kMemory}, {"index"}, {"value", kSigned}}};
constexpr OperandInfo kPart{"part", kUnsigned, {}, Access::kNone, true};
constexpr std::array<OperandInfo, 4> kHighIteratorOperands{{{"memory", kMemory}, {"index"}, {"value"}, kPart}};
constexpr std::array<OperandInfo, 3> kHighImmediateOperands{{{"slot"}, {"value"}, kPart}};
constexpr std::array<OperandInfo, 2> kImmediateOperands{{{"slot"}, {"value"}}};
constexpr std::array<OperandInfo, 3> kTypesOperands{
    {{"dst", kChoice, kTypeNames}, {"src1", kChoice, kTypeNames}, {"src2", kChoice, kTypeNames}}};
constexpr std::array<OperandInfo, 2> kTableOperands{{{"index"}, {"value"}}};
constexpr std::array<OperandInfo, 3> kQuantizationOperands{{{"zero_point"}, {"lowest"}, {"highest"}}};

constexpr std::array<OperandInfo, kMaxOperands> kDescribedOperands{
    {{"first"}, {"second"}, {"third"}, {"fourth"}, {"fifth"}, {"sixth"}}};

constexpr std::array<OperationInfo, kFirstVliwOperation> kUnitOperations{{
    {Operation::kGroup, UnitKind::kControl, "group", kGroupOperands},
    {Operation::kBlockEnd, UnitKind::kControl, "block_end", kLastOperand},
    {Operation::kLoop, UnitKind::kSequencer, "loop", kLoopOperands},
    {Operation::kEnd, UnitKind::kSequencer, "end", kLevelOperand},
    {Operation::kWait, UnitKind::kSequencer, "wait", kTokenOperands},
    {Operation::kPost, UnitKind::kSequencer, "post", kTokenOperands},
    {Operation::kTrip, UnitKind::kAddressGenerator, "trip", kLoopOperands},
    {Operation::kBase, UnitKind::kAddressGenerator, "base", kBaseOperands},
    {Operation::kStride, UnitKind::kAddressGenerator, "stride", kStrideOperands},
    {Operation::kLimit, UnitKind::kDma, "limit", kLimitOperands},
    {Operation::kFill, UnitKind::kDma, "fill", kValueOperand},
    {Operation::kLoad, UnitKind::kDma, "load", kRunOperand},
    {Operation::kStore, UnitKind::kDma, "store", kRunOperand},
    {Operation::kGemm, UnitKind::kSystolicArray, "gemm", kGemmOperands},
    {Operation::kSimdTrip, UnitKind::kSimdArray, "trip", kSimdTripOperands},
    {Operation::kSimdIndex, UnitKind::kSimdArray, "index", kSimdOperands},
    {Operation::kSimdReduce, UnitKind::kSimdArray, "reduce", kReduceOperand},
    {Operation::kSimdBase, UnitKind::kSimdArray, "base", kIteratorOperands},
    {Operation::kSimdBaseHigh, UnitKind::kSimdArray, "base_high", kHighIteratorOperands},
    {Operation::kSimdStride, UnitKind::kSimdArray, "stride", kSignedIteratorOperands},
    {Operation::kSimdStrideHigh, UnitKind::kSimdArray, "stride_high", kHighIteratorOperands},
    {Operation::kImmediateLow, UnitKind::kSimdArray, "immediate_low", kImmediateOperands},
    {Operation::kImmediateHigh, UnitKind::kSimdArray, "immediate_high", kHighImmediateOperands},
    {Operation::kTypes, UnitKind::kSimdArray, "types", kTypesOperands},
    {Operation::kQuantization, UnitKind::kSimdArray, "quantization", kQuantizationOperands},
    {Operation::kTable, UnitKind::kSimdArray, "table", kTableOperands},
    {Operation::kAdd, UnitKind::kSimdArray, "add", kSimdOperands},
    {Operation::kSub, UnitKind::kSimdArray, "sub", kSimdOperands},
    {Operation::kMul, UnitKind::kSimdArray, "mul", kSimdOperands},
    {Operation::kDiv, UnitKind::kSimdArray, "div", kSimdOperands},
    {Operation::kMax, UnitKind::kSimdArray, "max", kSimdOperands},
    {Operation::kMin, UnitKind::kSimdArray, "min", kSimdOperands},
    {Operation::kMove, UnitKind::kSimdArray, "move", kSimdOperands},
    {Operation::kSqrt, UnitKind::kSimdArray, "sqrt", kSimdOperands},
    {Operation::kRequant, UnitKind::kSimdArray, "requant", kSimdOperands},
    {Operation::kRequantAdd, UnitKind::kSimdArray, "requant_add", kSimdOperands},
    {Operation::kRequantMul, UnitKind::kSimdArray, "requant_mul", kSimdOperands},
    {Operation::kDequantize, UnitKind::kSimdArray, "dequantize", kSimdOperands},
    {Operation::kQuantize, UnitKind::kSimdArray, "quantize", kSimdOperands},
    {Operation::kLookup, UnitKind::kSimdArray, "lookup", kSimdOperands},
    {Operation::kReduceMax, UnitKind::kSimdArray, "reduce_max", kSimdOperands},
    {Operation::kReduceSum, UnitKind::kSimdArray, "reduce_sum", kSimdOperands},
    {Operation::kDequantizeSum, UnitKind::kSimdArray, "dequantize_sum", kSimdOperands},
    {Operation::kQuantizationHigh, UnitKind::kSimdArray, "quantization_high", kQuantizationOperands},
    {Operation::kRequantFixed, UnitKind::kSimdArray, "requant_fixed", kSimdOperands},
    {Operation::kRequantAddFixed, UnitKind::kSimdArray, "requant_add_fixed", kSimdOperands},
    {Operation::kRequantMulFixed, UnitKind::kSimdArray, "requant_mul_fixed", kSimdOperands},
}};

constexpr std::array<OperationInfo, kOperationCount> all_operations() {
  std::array<OperationInfo, kOperationCount> all{};
  size_t at = 0;
  for (const OperationInfo& entry : kUnitOperations) all[at++] = entry;
  for (const VliwOperationInfo& entry : kVliwOperations) {
    all[at++] = {operation_of(entry.operation), UnitKind::kVliwCore, entry.name, entry.operands};
  }
  all[at] = {kDescribedWord, UnitKind::kDescribed, "word", kDescribedOperands};
  return all;
}
constexpr std::array<OperationInfo, kOperationCount> kOperations = all_operations();

constexpr bool in_order() {
  for (size_t i = 0; i < kOperations.size(); ++i) {
    if (static_cast<size_t>(kOperations[i].operation) != i || kOperations[i].operands.size() > kMaxOperands)
      return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by Operation");

}  // namespace

bool has(Operation operation, VliwTrait trait) {
  const std::optional<VliwOperation> known = vliw_operation(operation);
  if (!known) return false;
  return kVliwOperations.at(static_cast<size_t>(*known)).traits.has(trait);
}

std::span<const OperationInfo> operations() { return kOperations; }

const OperationInfo& info(Operation operation) { return kOperations.at(static_cast<size_t>(operation)); }

std::string qualified_name(Operation operation) {
  return fmt::format("{}.{}", name_of(info(operation).unit), info(operation).name);
}

std::optional<Operation> operation_named(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<UnitKind> unit = value_in(kUnitKinds, name.substr(0, dot));
  if (!unit) return std::nullopt;
  for (const OperationInfo& entry : kOperations) {
    if (entry.unit == *unit && entry.name == name.substr(dot + 1)) return entry.operation;
  }
  return std::nullopt;
}

size_t operand_index(Operation operation, std::string_view operand) {
  const OperationInfo& entry = info(operation);
  for (size_t i = 0; i < entry.operands.size(); ++i) {
    if (entry.operands[i].name == operand) return i;
  }
  fail(fmt::format("{} has no operand {}", qualified_name(operation), operand));
}

}  // namespace covenant::acg
