/// The types that a SIMD operation takes: the table of docs/reference/units/simd_array.md, on a machine that offers
/// all.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

constexpr std::array<DType, 4> kDtypes{DType::kI8, DType::kU8, DType::kI32, DType::kF32};

/// A row of the table: types of the destination and of each source, by a letter each (b = i8, u = u8, i = i32,
/// f = f32); an operation of one source has one list. Some operations have two rows.
struct Row {
  Operation operation;
  const char* capability;
  const char* dst;
  const char* src1;
  const char* src2;
};
constexpr std::array<Row, 24> kTable{{
    {Operation::kAdd, "ADD", "bui", "bui", "bui"},
    {Operation::kAdd, "ADD", "f", "f", "f"},
    {Operation::kSub, "SUB", "bui", "bui", "bui"},
    {Operation::kSub, "SUB", "f", "f", "f"},
    {Operation::kMul, "MUL", "bui", "bui", "bui"},
    {Operation::kMul, "MUL", "f", "f", "f"},
    {Operation::kDiv, "DIV", "f", "f", "f"},
    {Operation::kMax, "MAX", "bui", "bui", "bui"},
    {Operation::kMax, "MAX", "f", "f", "f"},
    {Operation::kMin, "MIN", "bui", "bui", "bui"},
    {Operation::kMin, "MIN", "f", "f", "f"},
    {Operation::kMove, "MOVE", "bui", "bui", nullptr},
    {Operation::kMove, "MOVE", "f", "buif", nullptr},
    {Operation::kSqrt, "SQRT", "f", "f", nullptr},
    {Operation::kRequant, "REQUANT", "bu", "i", "f"},
    {Operation::kRequantAdd, "REQUANT_ADD", "bu", "bu", "bu"},
    {Operation::kRequantMul, "REQUANT_MUL", "bu", "bu", "bu"},
    {Operation::kDequantize, "DEQUANTIZE", "f", "bu", nullptr},
    {Operation::kQuantize, "QUANTIZE", "bu", "f", "f"},
    {Operation::kLookup, "LOOKUP", "buf", "bu", nullptr},
    {Operation::kReduceSum, "REDUCE_SUM", "i", "bui", nullptr},
    {Operation::kReduceSum, "REDUCE_SUM", "f", "f", nullptr},
    {Operation::kDequantizeSum, "DEQUANTIZE_SUM", "f", "bu", nullptr},
    {Operation::kReduceMax, "REDUCE_MAX", "bui", "bui", nullptr},
}};

/// Rows of machines in fixed point, whose scales are held as integers.
constexpr std::array<Row, 3> kFixedTable{{
    {Operation::kRequantFixed, "REQUANT_FIXED", "bu", "i", "i"},
    {Operation::kRequantAddFixed, "REQUANT_ADD_FIXED", "bu", "bu", "bu"},
    {Operation::kRequantMulFixed, "REQUANT_MUL_FIXED", "bu", "bu", "bu"},
}};

bool lists(const char* letters, int32_t type) { return std::string(letters).find("buif"[type]) != std::string::npos; }

/// Four lanes with capabilities for every operation on every combination of types.
acg::Machine anything_goes(acg::Machine machine, std::span<const Row> table) {
  acg::Compute& simd = machine.computes[find_compute(machine, "SIMD").value().value];
  const acg::Capability pattern = simd.capabilities.front();
  simd.capabilities.clear();
  for (const Row& row : table) {
    for (const DType dst : kDtypes) {
      for (const DType src1 : kDtypes) {
        for (const DType src2 : kDtypes) {
          acg::Capability capability = pattern;
          capability.name = row.capability;
          capability.output.dtype = dst;
          capability.inputs.assign(row.src2 == nullptr ? 1 : 2, pattern.inputs.front());
          capability.inputs[0].dtype = src1;
          if (row.src2 != nullptr) capability.inputs[1].dtype = src2;
          simd.capabilities.push_back(capability);
        }
      }
    }
  }
  return machine;
}

void expect_table(const acg::Machine& machine, std::span<const Row> table) {
  for (const Row& row : table) {
    for (int32_t code = 0; code < 64; ++code) {
      const std::array<int32_t, 3> types{code / 16, code / 4 % 4, code % 4};
      const bool is_listed = std::ranges::any_of(table, [&](const Row& one) {
        return one.operation == row.operation && lists(one.dst, types[0]) && lists(one.src1, types[1]) &&
               (one.src2 == nullptr || lists(one.src2, types[2]));
      });
      Assembly a(machine);
      const int32_t v1 = a.memory("VMEM1");
      const int32_t v2 = a.memory("VMEM2");
      a.group("SIMD").op(Operation::kTypes, {types[0], types[1], types[2]});
      a.op(row.operation, {v1, 0, v2, 0, v2, 0}).end_block(true);
      EXPECT_EQ(failure(a).code, is_listed ? "" : "SIM0041")
          << row.capability << " " << types[0] << " <- " << types[1] << " " << types[2];
    }
  }
}

TEST(SimdTypes, AreThoseOfTheTableWhateverTheMachineSays) {
  expect_table(anything_goes(small_machine(4, 4), kTable), kTable);
}

TEST(SimdTypes, OfFixedPointAreIntegers) {
  const acg::Machine machine = machine_with({{"M", "4"}, {"N", "4"}, {"requant", "fixed"}});
  expect_table(anything_goes(machine, kFixedTable), kFixedTable);
}

}  // namespace
}  // namespace covenant::sim
