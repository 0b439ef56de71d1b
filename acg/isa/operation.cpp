#include "acg/isa/operation.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/isa/vliw_operation_table.h"

namespace covenant::acg {
namespace {

using enum OperandKind;

constexpr std::array<std::string_view, 2> kTokens{"FULL", "FREE"};
constexpr std::array<std::string_view, 2> kHalves{"LOW", "HIGH"};
constexpr std::array<std::string_view, 2> kAxes{"ROW", "COLUMN"};
constexpr std::array<std::string_view, 8> kAddressOperands{"INPUT",   "WEIGHT", "BIAS", "OUTPUT",
                                                          "OFFCHIP", "ONCHIP", "ROW",  "COLUMN"};
constexpr std::array<std::string_view, 4> kTypeNames{"I8", "U8", "I32", "F32"};
constexpr std::array<std::string_view, 2> kInputTypes{"I8", "U8"};

constexpr std::array<OperandInfo, 2> kGroupOperands{{{"engine", kEngine}, {"count"}}};
constexpr std::array<OperandInfo, 1> kLastOperand{{{"last"}}};
constexpr std::array<OperandInfo, 3> kLoopOperands{{{"level"}, {"last"}, {"reduction"}}};
constexpr std::array<OperandInfo, 1> kLevelOperand{{{"level"}}};
constexpr std::array<OperandInfo, 3> kTokenOperands{{{"memory", kMemory}, {"slot"}, {"token", kChoice, kTokens}}};
constexpr std::array<OperandInfo, 4> kBaseOperands{
    {{"operand", kChoice, kAddressOperands}, {"half", kChoice, kHalves}, {"slot"}, {"value"}}};
constexpr std::array<OperandInfo, 4> kStrideOperands{
    {{"operand", kChoice, kAddressOperands}, {"level"}, {"half", kChoice, kHalves}, {"value"}}};
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
constexpr std::array<OperandInfo, 2> kImmediateOperands{{{"slot"}, {"value"}}};
constexpr std::array<OperandInfo, 3> kTypesOperands{
    {{"dst", kChoice, kTypeNames}, {"src1", kChoice, kTypeNames}, {"src2", kChoice, kTypeNames}}};
constexpr std::array<OperandInfo, 3> kQuantizationOperands{{{"zero_point"}, {"lowest"}, {"highest"}}};

constexpr std::array<OperandInfo, kMaxOperands> kDescribedOperands{
    {{"first"}, {"second"}, {"third"}, {"fourth"}, {"fifth"}, {"sixth"}}};

constexpr std::array<OperationInfo, kFirstVliwOperation> kUnitOperations{{
    {Operation::kGroup, "control", "group", kGroupOperands},
    {Operation::kBlockEnd, "control", "block_end", kLastOperand},
    {Operation::kLoop, "sequencer", "loop", kLoopOperands},
    {Operation::kEnd, "sequencer", "end", kLevelOperand},
    {Operation::kWait, "sequencer", "wait", kTokenOperands},
    {Operation::kPost, "sequencer", "post", kTokenOperands},
    {Operation::kTrip, "address_generator", "trip", kLoopOperands},
    {Operation::kBase, "address_generator", "base", kBaseOperands},
    {Operation::kStride, "address_generator", "stride", kStrideOperands},
    {Operation::kLimit, "dma", "limit", kLimitOperands},
    {Operation::kFill, "dma", "fill", kValueOperand},
    {Operation::kLoad, "dma", "load", kRunOperand},
    {Operation::kStore, "dma", "store", kRunOperand},
    {Operation::kGemm, "systolic_array", "gemm", kGemmOperands},
    {Operation::kSimdTrip, "simd_array", "trip", kSimdTripOperands},
    {Operation::kSimdIndex, "simd_array", "index", kSimdOperands},
    {Operation::kSimdReduce, "simd_array", "reduce", kReduceOperand},
    {Operation::kSimdBase, "simd_array", "base", kIteratorOperands},
    {Operation::kSimdBaseHigh, "simd_array", "base_high", kIteratorOperands},
    {Operation::kSimdStride, "simd_array", "stride", kSignedIteratorOperands},
    {Operation::kSimdStrideHigh, "simd_array", "stride_high", kIteratorOperands},
    {Operation::kImmediateLow, "simd_array", "immediate_low", kImmediateOperands},
    {Operation::kImmediateHigh, "simd_array", "immediate_high", kImmediateOperands},
    {Operation::kTypes, "simd_array", "types", kTypesOperands},
    {Operation::kQuantization, "simd_array", "quantization", kQuantizationOperands},
    {Operation::kAdd, "simd_array", "add", kSimdOperands},
    {Operation::kSub, "simd_array", "sub", kSimdOperands},
    {Operation::kMul, "simd_array", "mul", kSimdOperands},
    {Operation::kMax, "simd_array", "max", kSimdOperands},
    {Operation::kMin, "simd_array", "min", kSimdOperands},
    {Operation::kMove, "simd_array", "move", kSimdOperands},
    {Operation::kRequant, "simd_array", "requant", kSimdOperands},
    {Operation::kRequantAdd, "simd_array", "requant_add", kSimdOperands},
    {Operation::kReduceMax, "simd_array", "reduce_max", kSimdOperands},
    {Operation::kReduceSum, "simd_array", "reduce_sum", kSimdOperands},
}};

constexpr std::array<OperationInfo, kOperationCount> all_operations() {
  std::array<OperationInfo, kOperationCount> all{};
  size_t at = 0;
  for (const OperationInfo& entry : kUnitOperations) all[at++] = entry;
  for (const VliwOperationInfo& entry : kVliwOperations) {
    all[at++] = {operation_of(entry.operation), "vliw_core", entry.name, entry.operands};
  }
  all[at] = {kDescribedWord, "described", "word", kDescribedOperands};
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

std::span<const OperationInfo> operations() { return kOperations; }

const OperationInfo& info(Operation operation) { return kOperations.at(static_cast<size_t>(operation)); }

std::optional<Operation> operation_named(std::string_view qualified_name) {
  const size_t dot = qualified_name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const OperationInfo& entry : kOperations) {
    if (entry.unit == qualified_name.substr(0, dot) && entry.name == qualified_name.substr(dot + 1))
      return entry.operation;
  }
  return std::nullopt;
}

size_t operand_index(Operation operation, std::string_view operand) {
  const OperationInfo& entry = info(operation);
  for (size_t i = 0; i < entry.operands.size(); ++i) {
    if (entry.operands[i].name == operand) return i;
  }
  fail(fmt::format("{}.{} has no operand {}", entry.unit, entry.name, operand));
}

}  // namespace covenant::acg
