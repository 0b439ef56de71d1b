/// Table of the operations of simd_array. Private to acg/operations.
#pragma once

#include <array>

#include "acg/operations/operation.h"

namespace covenant::acg::tables {

using enum OperandKind;

inline constexpr std::array<std::string_view, 8> kTypeNames{"I8", "U8", "I32", "F32", "I16", "U16", "I4", "U4"};
inline constexpr std::array<OperandInfo, 2> kSimdTripOperands{{{"level"}, {"last"}}};
inline constexpr std::array<OperandInfo, 6> kSimdOperands{
    {{"dst_memory", kMemory}, {"dst"}, {"src1_memory", kMemory}, {"src1"}, {"src2_memory", kMemory}, {"src2"}}};
inline constexpr std::array<OperandInfo, 1> kReduceOperand{{{"first_level"}}};
inline constexpr std::array<OperandInfo, 3> kIteratorOperands{{{"memory", kMemory}, {"index"}, {"value"}}};
inline constexpr std::array<OperandInfo, 3> kSignedIteratorOperands{
    {{"memory", kMemory}, {"index"}, {"value", kSigned}}};
inline constexpr OperandInfo kPart{"part", kUnsigned, {}, Access::kNone, true};
inline constexpr std::array<OperandInfo, 4> kHighIteratorOperands{{{"memory", kMemory}, {"index"}, {"value"}, kPart}};
inline constexpr std::array<OperandInfo, 3> kHighImmediateOperands{{{"slot"}, {"value"}, kPart}};
inline constexpr std::array<OperandInfo, 2> kImmediateOperands{{{"slot"}, {"value"}}};
inline constexpr std::array<OperandInfo, 3> kTypesOperands{
    {{"dst", kChoice, kTypeNames}, {"src1", kChoice, kTypeNames}, {"src2", kChoice, kTypeNames}}};
inline constexpr std::array<OperandInfo, 2> kTableOperands{{{"index"}, {"value"}}};
inline constexpr std::array<OperandInfo, 3> kQuantizationOperands{{{"zero_point"}, {"lowest"}, {"highest"}}};

inline constexpr std::array<OperationInfo, 33> kSimdOperations{{
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

}  // namespace covenant::acg::tables
