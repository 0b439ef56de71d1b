#include "sim/stream/common/operands.h"

#include <gtest/gtest.h>

#include "sim/stream/dma/operands.h"
#include "sim/stream/simd_array/operands.h"
#include "sim/stream/systolic_array/operands.h"

namespace covenant::sim {
namespace {

using acg::operand_index;
using acg::Operation;

TEST(Operands, StandWhereTheTableOfOperationsHasThem) {
  EXPECT_EQ(operand_index(Operation::kGroup, "engine"), operand::kGroupEngine);
  EXPECT_EQ(operand_index(Operation::kGroup, "count"), operand::kGroupCount);
  EXPECT_EQ(operand_index(Operation::kBlockEnd, "last"), operand::kBlockEndLast);
  for (Operation operation : {Operation::kLoop, Operation::kTrip}) {
    EXPECT_EQ(operand_index(operation, "level"), operand::kLoopLevel);
    EXPECT_EQ(operand_index(operation, "last"), operand::kLoopLast);
    EXPECT_EQ(operand_index(operation, "reduction"), operand::kLoopReduction);
  }
  EXPECT_EQ(operand_index(Operation::kEnd, "level"), operand::kLoopLevel);
  for (Operation operation : {Operation::kWait, Operation::kPost}) {
    EXPECT_EQ(operand_index(operation, "memory"), operand::kTokenMemory);
    EXPECT_EQ(operand_index(operation, "slot"), operand::kTokenSlot);
    EXPECT_EQ(operand_index(operation, "token"), operand::kTokenState);
  }
  EXPECT_EQ(operand_index(Operation::kBase, "operand"), operand::kBaseOperand);
  EXPECT_EQ(operand_index(Operation::kBase, "half"), operand::kBaseHalf);
  EXPECT_EQ(operand_index(Operation::kBase, "slot"), operand::kBaseSlot);
  EXPECT_EQ(operand_index(Operation::kBase, "value"), operand::kBaseValue);
  EXPECT_EQ(operand_index(Operation::kStride, "operand"), operand::kStrideOperand);
  EXPECT_EQ(operand_index(Operation::kStride, "level"), operand::kStrideLevel);
  EXPECT_EQ(operand_index(Operation::kStride, "half"), operand::kStrideHalf);
  EXPECT_EQ(operand_index(Operation::kStride, "value"), operand::kStrideValue);
  EXPECT_EQ(operand_index(Operation::kLimit, "axis"), operand::kLimitAxis);
  EXPECT_EQ(operand_index(Operation::kLimit, "value"), operand::kLimitValue);
  EXPECT_EQ(operand_index(Operation::kFill, "value"), operand::kFillValue);
  EXPECT_EQ(operand_index(Operation::kLoad, "run_last"), operand::kRunLast);
  EXPECT_EQ(operand_index(Operation::kStore, "run_last"), operand::kRunLast);
  EXPECT_EQ(operand_index(Operation::kGemm, "input_type"), operand::kInputType);
}

TEST(Operands, OfTheSimdArrayStandWhereTheTableHasThem) {
  EXPECT_EQ(operand_index(Operation::kSimdTrip, "level"), operand::kSimdTripLevel);
  EXPECT_EQ(operand_index(Operation::kSimdTrip, "last"), operand::kSimdTripLast);
  EXPECT_EQ(operand_index(Operation::kSimdReduce, "first_level"), operand::kReduceFirstLevel);
  for (Operation operation :
       {Operation::kSimdBase, Operation::kSimdBaseHigh, Operation::kSimdStride, Operation::kSimdStrideHigh}) {
    EXPECT_EQ(operand_index(operation, "memory"), operand::kEntryMemory);
    EXPECT_EQ(operand_index(operation, "index"), operand::kEntryIndex);
    EXPECT_EQ(operand_index(operation, "value"), operand::kEntryValue);
  }
  for (Operation operation : {Operation::kImmediateLow, Operation::kImmediateHigh}) {
    EXPECT_EQ(operand_index(operation, "slot"), operand::kImmediateSlot);
    EXPECT_EQ(operand_index(operation, "value"), operand::kImmediateValue);
  }
  for (Operation operation : {Operation::kSimdBaseHigh, Operation::kSimdStrideHigh}) {
    EXPECT_EQ(operand_index(operation, "part"), operand::kEntryPart);
  }
  EXPECT_EQ(operand_index(Operation::kImmediateHigh, "part"), operand::kImmediatePart);
  EXPECT_EQ(operand_index(Operation::kTable, "index"), operand::kTableIndex);
  EXPECT_EQ(operand_index(Operation::kTable, "value"), operand::kTableValue);
  EXPECT_EQ(operand_index(Operation::kTypes, "dst"), operand::kTypeDst);
  EXPECT_EQ(operand_index(Operation::kTypes, "src1"), operand::kTypeSrc1);
  EXPECT_EQ(operand_index(Operation::kTypes, "src2"), operand::kTypeSrc2);
  EXPECT_EQ(operand_index(Operation::kQuantization, "zero_point"), operand::kZeroPoint);
  EXPECT_EQ(operand_index(Operation::kQuantization, "lowest"), operand::kLowest);
  EXPECT_EQ(operand_index(Operation::kQuantization, "highest"), operand::kHighest);
  for (Operation operation : {Operation::kSimdIndex, Operation::kAdd, Operation::kReduceSum}) {
    EXPECT_EQ(operand_index(operation, "dst_memory"), operand::memory_of(0));
    EXPECT_EQ(operand_index(operation, "dst"), operand::entry_of(0));
    EXPECT_EQ(operand_index(operation, "src1_memory"), operand::memory_of(1));
    EXPECT_EQ(operand_index(operation, "src1"), operand::entry_of(1));
    EXPECT_EQ(operand_index(operation, "src2_memory"), operand::memory_of(2));
    EXPECT_EQ(operand_index(operation, "src2"), operand::entry_of(2));
  }
}

}  // namespace
}  // namespace covenant::sim
