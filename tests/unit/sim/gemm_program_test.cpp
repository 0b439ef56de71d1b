/// Whole programs that multiply matrices: loads, passes, a copy through the SIMD array, a store.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

constexpr uint32_t kWeights = 4096, kBiases = 16384, kResults = 20480;

/// out[v] = bias + sum over t of x[v, t] * w[t]: `vectors` results of `tiles` row tiles each, in `passes` passes along
/// the reduction (a tile loop marked as reduction round the pass).
struct Product {
  uint32_t rows = 3, columns = 5;
  int32_t vectors = 7, tiles = 2, passes = 1;
  bool is_unsigned = false;
};

Assembly assemble(const Product& p) {
  const auto rows = static_cast<int32_t>(p.rows);
  const auto columns = static_cast<int32_t>(p.columns);
  Assembly a(small_machine(p.rows, p.columns));
  a.group("DRAM->IBUF").base(kOffchip, 0).stride(kOffchip, 0, p.vectors * p.tiles * rows);
  a.op(Operation::kLoop, {0, p.passes - 1, 0}).wait("IBUF", kFree);
  a.op(Operation::kLoad, {p.vectors * p.tiles * rows - 1}).post("IBUF", kFull).op(Operation::kEnd, {0});
  a.group("DRAM->WBUF").base(kOffchip, kWeights).stride(kOffchip, 0, p.tiles * rows * columns);
  a.op(Operation::kLoop, {0, p.passes - 1, 0}).wait("WBUF", kFree);
  a.op(Operation::kLoad, {p.tiles * rows * columns - 1}).post("WBUF", kFull).op(Operation::kEnd, {0});
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(kBiases, 0, columns * 4).post("BBUF", kFull);
  a.group("SA").op(Operation::kTrip, {7, p.tiles - 1, 1}).op(Operation::kTrip, {8, p.vectors - 1, 0});
  a.stride(kInput, 7, 1).stride(kInput, 8, p.tiles).stride(kWeight, 7, 1).stride(kOutput, 8, 1);
  a.wait("BBUF", kFull).wait("OBUF", kFree).op(Operation::kLoop, {3, p.passes - 1, 1});
  a.wait("IBUF", kFull).wait("WBUF", kFull).op(Operation::kGemm, {p.is_unsigned ? 1 : 0});
  a.post("IBUF", kFree).post("WBUF", kFree).op(Operation::kEnd, {3});
  a.post("BBUF", kFree).post("OBUF", kFull);
  // The SIMD array copies the results to VMEM1.
  a.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32}).wait("OBUF", kFull).wait("VMEM1", kFree);
  a.iterator("VMEM1", 0, 0, 4).iterator("OBUF", 0, 0, 1).op(Operation::kSimdTrip, {0, p.vectors - 1});
  const int32_t v = a.memory("VMEM1");
  const int32_t o = a.memory("OBUF");
  a.op(Operation::kSimdIndex, {v, 0, o, 0, o, 0}).op(Operation::kMove, {v, 0, o, 0, o, 0});
  a.post("OBUF", kFree).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(kResults, 0, p.vectors * columns * 4).post("VMEM1", kFree);
  a.end_block(true);
  return a;
}

void expect_product(const Product& p, bool extremes) {
  SCOPED_TRACE(::testing::Message() << p.rows << "x" << p.columns << " vectors " << p.vectors << " tiles " << p.tiles
                                    << " passes " << p.passes << " unsigned " << p.is_unsigned);
  std::mt19937 random(1);
  std::vector<uint8_t> data(kResults, 0);
  for (size_t k = 0; k < kBiases + p.columns * 4; ++k) {
    data[k] = static_cast<uint8_t>(extremes ? (random() % 2 ? 0x80 : 0xFF) : random());
  }
  Assembly a = assemble(p);
  const Ran ran = run(a, data);
  for (int32_t v = 0; v < p.vectors; ++v) {
    for (uint32_t j = 0; j < p.columns; ++j) {
      uint32_t expected = 0;
      std::memcpy(&expected, data.data() + kBiases + j * 4, 4);
      for (int32_t pass = 0; pass < p.passes; ++pass) {
        for (int32_t t = 0; t < p.tiles; ++t) {
          for (uint32_t i = 0; i < p.rows; ++i) {
            const auto x_at = static_cast<uint32_t>((pass * p.vectors + v) * p.tiles + t) * p.rows + i;
            const auto w_at = kWeights + (static_cast<uint32_t>(pass * p.tiles + t) * p.rows + i) * p.columns + j;
            const int32_t x = p.is_unsigned ? data[x_at] : static_cast<int8_t>(data[x_at]);
            expected += static_cast<uint32_t>(x * static_cast<int8_t>(data[w_at]));
          }
        }
      }
      uint32_t got = 0;
      std::memcpy(&got, ran.memory.data() + kResults + (static_cast<uint32_t>(v) * p.columns + j) * 4, 4);
      ASSERT_EQ(got, expected) << "vector " << v << " column " << j;
    }
  }
}

TEST(GemmProgram, EveryShapeAndSignedness) {
  for (auto [rows, columns] : {std::pair<uint32_t, uint32_t>{3, 5}, {5, 3}, {8, 24}, {20, 12}, {16, 16}}) {
    for (bool is_unsigned : {false, true}) {
      for (int32_t passes : {1, 2, 3}) {
        for (bool extremes : {false, true}) {
          Product p;
          p.rows = rows;
          p.columns = columns;
          p.is_unsigned = is_unsigned;
          p.passes = passes;
          expect_product(p, extremes);
        }
      }
    }
  }
}

TEST(GemmProgram, TimingOnlyTakesTheSameCycles) {
  Assembly a = assemble({});
  SimulateOptions timing_only;
  timing_only.values = false;
  const Ran with_values = run(a);
  Assembly b = assemble({});
  const Ran without = run(b, {}, timing_only);
  ASSERT_EQ(with_values.result.records.size(), without.result.records.size());
  for (size_t k = 0; k < without.result.records.size(); ++k) {
    acg::RetireRecord expected = with_values.result.records[k];
    expected.digest = 0;
    EXPECT_EQ(without.result.records[k], expected) << k;
  }
  EXPECT_EQ(with_values.result.statistics, without.result.statistics);
}

TEST(GemmProgram, DigestsAreThoseOfTheBytesLeftBehind) {
  Product p;
  Assembly a = assemble(p);
  std::vector<uint8_t> data(kResults);
  std::mt19937 random(2);
  for (auto& byte : data) byte = static_cast<uint8_t>(random());
  const Ran ran = run(a, data);
  const auto bytes = static_cast<uint64_t>(p.vectors) * p.columns * 4;
  uint64_t store = 0;
  uint64_t gemm = 0;
  for (uint64_t k = 0; k < bytes; ++k) {
    const uint8_t value = ran.memory[kResults + k];
    store += acg::write_hash(static_cast<uint32_t>(a.memory("DRAM")), kResults + k, value);
    gemm += acg::write_hash(static_cast<uint32_t>(a.memory("OBUF")), k, value);
  }
  bool saw_store = false;
  bool saw_gemm = false;
  for (const auto& record : ran.result.records) {
    saw_store = saw_store || (record.engine == a.engine("VMEM1->DRAM") && record.digest == store);
    saw_gemm = saw_gemm || (record.engine == a.engine("SA") && record.digest == gemm);
  }
  EXPECT_TRUE(saw_store);
  EXPECT_TRUE(saw_gemm);
}

TEST(GemmProgram, AResultMayBeTheNextBias) {
  // Results go where biases lie, one further: each sum begins with the one before it, so no two may be taken together.
  acg::Machine machine = small_machine(3, 5);
  const acg::NodeId biases = acg::find_memory(machine, "BBUF").value();
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    if (machine.computes[i].unit != acg::UnitKind::kSystolicArray) continue;
    machine.computes[i].attributes["output"] = std::string("BBUF");
    machine.edges.push_back({acg::ComputeId{i}, biases, 0, {}});
  }
  constexpr int32_t kVectors = 6;
  std::vector<uint8_t> data(kResults, 0);
  std::mt19937 random(3);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  Assembly a(machine);
  a.group("DRAM->IBUF").wait("IBUF", kFree).load(0, 0, kVectors * 3).post("IBUF", kFull);
  a.group("DRAM->WBUF").wait("WBUF", kFree).load(kWeights, 0, 15).post("WBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(kBiases, 0, 20).post("BBUF", kFull);
  a.group("SA").op(Operation::kTrip, {8, kVectors - 1, 0}).stride(kInput, 8, 1).stride(kBias, 8, 1);
  a.base(kOutput, 1).stride(kOutput, 8, 1);
  a.wait("IBUF", kFull).wait("WBUF", kFull).wait("BBUF", kFull).op(Operation::kGemm, {0});
  a.post("IBUF", kFree).post("WBUF", kFree).post("BBUF", kFree).end_block(true);
  const Ran ran = run(a, data);

  std::vector<uint32_t> sums(5);
  std::memcpy(sums.data(), data.data() + kBiases, 20);
  uint64_t expected = 0;
  for (uint32_t v = 0; v < kVectors; ++v) {
    for (uint32_t j = 0; j < 5; ++j) {
      for (uint32_t i = 0; i < 3; ++i) {
        const auto x = static_cast<int8_t>(data[v * 3 + i]);
        const auto w = static_cast<int8_t>(data[kWeights + i * 5 + j]);
        sums[j] += static_cast<uint32_t>(int32_t{x} * w);
      }
      for (uint32_t k = 0; k < 4; ++k) {
        const auto memory = static_cast<uint32_t>(a.memory("BBUF"));
        expected += acg::write_hash(memory, (v + 1) * 20 + j * 4 + k, static_cast<uint8_t>(sums[j] >> (8 * k)));
      }
    }
  }
  const std::vector<acg::RetireRecord> records = ran.of(a.engine("SA"));
  EXPECT_TRUE(std::ranges::any_of(records, [&](const auto& record) { return record.digest == expected; }));
}

}  // namespace
}  // namespace covenant::sim
