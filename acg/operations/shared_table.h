/// Table of the operations of the fetch unit and of the parts that several engines have. Private to acg/operations.
#pragma once

#include <array>

#include "acg/operations/operation.h"

namespace covenant::acg::tables {

using enum OperandKind;

inline constexpr std::array<OperandInfo, 2> kGroupOperands{{{"engine", kEngine}, {"count"}}};
inline constexpr std::array<OperandInfo, 1> kLastOperand{{{"last"}}};
inline constexpr std::array<OperandInfo, 3> kLoopOperands{{{"level"}, {"last"}, {"reduction"}}};
inline constexpr std::array<OperandInfo, 1> kLevelOperand{{{"level"}}};
inline constexpr std::array<std::string_view, 2> kTokens{"FULL", "FREE"};
inline constexpr std::array<OperandInfo, 3> kTokenOperands{
    {{"memory", kMemory}, {"slot"}, {"token", kChoice, kTokens}}};
inline constexpr std::array<std::string_view, kMostParts> kParts{"LOW",    "HIGH",   "HIGH_1", "HIGH_2",
                                                                 "HIGH_3", "HIGH_4", "HIGH_5", "HIGH_6"};
inline constexpr std::array<std::string_view, 8> kAddressOperands{"INPUT",   "WEIGHT", "BIAS", "OUTPUT",
                                                                  "OFFCHIP", "ONCHIP", "ROW",  "COLUMN"};
inline constexpr std::array<OperandInfo, 4> kBaseOperands{
    {{"operand", kChoice, kAddressOperands}, {"half", kChoice, kParts}, {"slot"}, {"value"}}};
inline constexpr std::array<OperandInfo, 4> kStrideOperands{
    {{"operand", kChoice, kAddressOperands}, {"level"}, {"half", kChoice, kParts}, {"value"}}};

inline constexpr std::array<OperationInfo, 2> kControlOperations{{
    {Operation::kGroup, UnitKind::kControl, "group", kGroupOperands},
    {Operation::kBlockEnd, UnitKind::kControl, "block_end", kLastOperand},
}};

inline constexpr std::array<OperationInfo, 4> kSequencerOperations{{
    {Operation::kLoop, UnitKind::kSequencer, "loop", kLoopOperands},
    {Operation::kEnd, UnitKind::kSequencer, "end", kLevelOperand},
    {Operation::kWait, UnitKind::kSequencer, "wait", kTokenOperands},
    {Operation::kPost, UnitKind::kSequencer, "post", kTokenOperands},
}};

inline constexpr std::array<OperationInfo, 3> kAddressGeneratorOperations{{
    {Operation::kTrip, UnitKind::kAddressGenerator, "trip", kLoopOperands},
    {Operation::kBase, UnitKind::kAddressGenerator, "base", kBaseOperands},
    {Operation::kStride, UnitKind::kAddressGenerator, "stride", kStrideOperands},
}};

}  // namespace covenant::acg::tables
