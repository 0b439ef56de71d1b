#include "acg/operations/operation.h"

#include <gtest/gtest.h>
#include <set>

#include "acg/base/check.h"
#include "acg/operations/simd_operation.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

TEST(Operation, TableIsIndexedAndNamesAreUnique) {
  std::set<std::string> names;
  for (size_t i = 0; i < operations().size(); ++i) {
    const OperationInfo& entry = operations()[i];
    EXPECT_EQ(static_cast<size_t>(entry.operation), i);
    const std::string name = qualified_name(entry.operation);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(operation_named(name), std::optional<Operation>(entry.operation));
    for (size_t j = 0; j < entry.operands.size(); ++j) {
      EXPECT_EQ(operand_index(entry.operation, entry.operands[j].name), j) << name;
    }
  }
  EXPECT_EQ(names.size(), kOperationCount);
}

TEST(Operation, UnknownNames) {
  EXPECT_EQ(operation_named("add"), std::nullopt);
  EXPECT_EQ(operation_named("simd_array.gemm"), std::nullopt);
  EXPECT_EQ(operation_named("systolic_array.gemm"), Operation::kGemm);
  EXPECT_EQ(operation_named("loom.add"), std::nullopt);
  EXPECT_EQ(operation_named(""), std::nullopt);
  EXPECT_THROW((void)operand_index(Operation::kGemm, "level"), InternalError);
}

TEST(Operation, ChoicesAgreeWithTheirEnums) {
  const auto choices = [](Operation operation, std::string_view operand) {
    return info(operation).operands[operand_index(operation, operand)].choices;
  };
  const auto token = choices(Operation::kWait, "token");
  EXPECT_EQ(token[static_cast<size_t>(Token::kFull)], "FULL");
  EXPECT_EQ(token[static_cast<size_t>(Token::kFree)], "FREE");
  const auto half = choices(Operation::kBase, "half");
  EXPECT_EQ(half[static_cast<size_t>(Half::kLow)], "LOW");
  EXPECT_EQ(half[static_cast<size_t>(Half::kHigh)], "HIGH");
  const auto axis = choices(Operation::kLimit, "axis");
  EXPECT_EQ(axis[static_cast<size_t>(Axis::kColumn)], "COLUMN");
  const auto operand = choices(Operation::kStride, "operand");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kInput)], "INPUT");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kWeight)], "WEIGHT");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kBias)], "BIAS");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kOutput)], "OUTPUT");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kOffchip)], "OFFCHIP");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kOnchip)], "ONCHIP");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kRow)], "ROW");
  EXPECT_EQ(operand[static_cast<size_t>(AddressOperand::kColumn)], "COLUMN");
  const auto type = choices(Operation::kTypes, "src2");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kI8)], "I8");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kU8)], "U8");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kI32)], "I32");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kF32)], "F32");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kI16)], "I16");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kU16)], "U16");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kI4)], "I4");
  EXPECT_EQ(type[static_cast<size_t>(SimdType::kU4)], "U4");
  const auto input = choices(Operation::kGemm, "input_type");
  EXPECT_EQ(input[static_cast<size_t>(InputType::kI8)], "I8");
  EXPECT_EQ(input[static_cast<size_t>(InputType::kU16)], "U16");
  EXPECT_EQ(input[static_cast<size_t>(InputType::kI4)], "I4");
}

TEST(Operation, GenesysDoesThemAll) {
  std::set<Operation> done;
  // Numbers of several parts are those of wide elements; sums are scaled in one way or the other.
  for (const char* requant : {"fp32", "fixed"}) {
    const Machine wide = *load_machine("genesys", {{"bits", "16"}, {"requant", requant}});
    for (const Mnemonic& mnemonic : wide.mnemonics) done.insert(mnemonic.does);
  }
  EXPECT_EQ(done.size(), kFirstListedOperation) << "those of vliw_core are for other machines";
}

TEST(Operation, OnlyLoopNestsAreSimdComputes) {
  EXPECT_TRUE(is_simd_compute(Operation::kAdd));
  EXPECT_TRUE(is_simd_compute(Operation::kReduceSum));
  EXPECT_FALSE(is_simd_compute(Operation::kQuantization));
  EXPECT_FALSE(is_simd_compute(Operation::kGemm));
}

enum class Other : uint16_t { kFirst, kSecond };

TEST(Operation, ListsOfUnitsFollowEachOther) {
  using Both = JoinedLists<OperationList<VliwOperation, kVliwOperationCount>, OperationList<Other, 2>>;
  EXPECT_EQ(Both::kCount, kVliwOperationCount + 2);
  EXPECT_EQ(Both::first<VliwOperation>(), 0U);
  EXPECT_EQ(Both::first<Other>(), kVliwOperationCount);
  EXPECT_EQ(Both::count<Other>(), 2U);
  EXPECT_FALSE(OperationLists::kHas<Other>);
}

TEST(Operation, EntriesOfAListStandForOperationsOfOneUnit) {
  EXPECT_EQ(vliw_operation(operation_of(VliwOperation::kC4Addipc)), VliwOperation::kC4Addipc);
  EXPECT_EQ(vliw_operation(static_cast<Operation>(kFirstListedOperation)), static_cast<VliwOperation>(0));
  EXPECT_EQ(vliw_operation(Operation::kRequantMulFixed), std::nullopt);
  EXPECT_EQ(vliw_operation(kDescribedWord), std::nullopt);
}

}  // namespace
}  // namespace covenant::acg
