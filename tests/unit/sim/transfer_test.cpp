/// DMA transfers of whole programs against a literal reading of docs/reference/units/dma.md.
#include <gtest/gtest.h>
#include <random>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

struct Shape {
  int32_t run = 8;
  std::array<int32_t, 3> counts{1, 1, 1};
  std::array<int32_t, 3> offchip{};  // byte strides
  std::array<int32_t, 3> onchip{};   // unit strides
  int32_t row = 0, column = 0, row_limit = 0, column_limit = 0, fill = 0;
  uint32_t from = 0;
};

void emit_tile(Assembly& a, const Shape& s, uint32_t offchip, bool with_limits) {
  a.base(kOffchip, offchip).base(kOnchip, 0);
  for (int32_t k = 0; k < 3; ++k) {
    const auto index = static_cast<size_t>(k);
    a.op(Operation::kTrip, {14 + k, s.counts[index] - 1, 0});
    a.stride(kOffchip, 14 + k, s.offchip[index]).stride(kOnchip, 14 + k, s.onchip[index]);
  }
  if (!with_limits) return;
  a.base(kRow, static_cast<uint32_t>(s.row)).base(kColumn, static_cast<uint32_t>(s.column));
  a.op(Operation::kLimit, {0, s.row_limit}).op(Operation::kLimit, {1, s.column_limit});
  a.op(Operation::kFill, {s.fill});
}

/// Loads a tile of VMEM1 by `s` and stores all of it, contiguously, at byte 32768; then compares bytes and beats.
void expect_transfer(const Shape& s, uint32_t bus_bits) {
  Assembly a(machine_with({{"M", "4"}, {"N", "4"}, {"axi", std::to_string(bus_bits)}}));
  a.group("DRAM->VMEM1").wait("VMEM1", kFree);
  emit_tile(a, s, s.from, true);
  a.op(Operation::kLoad, {s.run - 1}).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(32768, 0, 2048).post("VMEM1", kFree).end_block(true);
  std::vector<uint8_t> data(32768);
  std::mt19937 random(5);
  for (auto& byte : data) byte = static_cast<uint8_t>(random());
  const Ran ran = run(a, data);

  const uint64_t beat = bus_bits / 8;
  std::vector<uint8_t> expected(2048, 0);
  uint64_t beats = 0;
  for (int32_t p = 0; p < s.counts[0]; ++p) {
    for (int32_t r = 0; r < s.counts[1]; ++r) {
      for (int32_t c = 0; c < s.counts[2]; ++c) {
        const bool inside = (s.row_limit == 0 || (0 <= s.row + r && s.row + r < s.row_limit)) &&
                            (s.column_limit == 0 || (0 <= s.column + c && s.column + c < s.column_limit));
        const int64_t address = int64_t{s.from} + p * s.offchip[0] + r * s.offchip[1] + c * s.offchip[2];
        const int64_t local = 4 * (p * s.onchip[0] + r * s.onchip[1] + c * s.onchip[2]);
        for (int32_t k = 0; k < s.run; ++k) {
          expected[static_cast<size_t>(local + k)] =
              inside ? data[static_cast<size_t>(address + k)] : static_cast<uint8_t>(s.fill);
        }
        const auto first = static_cast<uint64_t>(address);
        const auto n = static_cast<uint64_t>(s.run);
        beats += inside ? (first + n - 1) / beat - first / beat + 1 : (n + beat - 1) / beat;
      }
    }
  }
  const std::vector<uint8_t> stored(ran.memory.begin() + 32768, ran.memory.begin() + 32768 + 2048);
  EXPECT_EQ(stored, expected);
  bool seen = false;
  for (const auto& record : ran.of(a.engine("DRAM->VMEM1"))) {
    if (record.last_port == record.issue && record.retire == record.issue + 1) continue;
    if (record.retire == record.issue + 42 && record.first_port == record.last_port && beats != 1) continue;  // post
    EXPECT_EQ(record.last_port - record.first_port + 1, beats);
    EXPECT_EQ(record.retire, record.last_port + 42);
    seen = true;
    break;
  }
  EXPECT_TRUE(seen);
}

TEST(Transfer, RunsOfEveryAlignment) {
  for (uint32_t bus : {64U, 128U, 512U}) {
    for (uint32_t from = 0; from < 20; ++from) {
      for (int32_t run : {1, 4, 15, 16, 17, 40}) {
        Shape s;
        s.from = from;
        s.run = run;
        expect_transfer(s, bus);
      }
    }
  }
}

TEST(Transfer, ThreeLoopsWithStrides) {
  Shape s;
  s.run = 12;
  s.counts = {3, 4, 5};
  s.offchip = {1000, 77, 13};
  s.onchip = {60, 15, 3};
  s.from = 3;
  expect_transfer(s, 128);
  s.offchip = {-1000, 77, -13};
  s.from = 9000;
  expect_transfer(s, 64);
}

/// Limits that cut the tile on every side, or not at all.
void expect_limits(Shape s) {
  for (int32_t row : {-2, 0, 3}) {
    for (int32_t column : {-3, 0, 5}) {
      for (int32_t limit : {0, 1, 4, 100}) {
        s.row = row;
        s.column = column;
        s.row_limit = limit;
        s.column_limit = limit == 0 ? 0 : limit + 1;
        expect_transfer(s, 128);
      }
    }
  }
}

TEST(Transfer, LimitsFillWhatLiesOutside) {
  Shape s;
  s.run = 8;
  s.counts = {2, 5, 6};
  s.fill = 0xA5;
  struct Apart {
    std::array<int32_t, 3> offchip, onchip;
    uint32_t from;
  };
  // Columns next to one another at both ends, on chip, off-chip; beats of every run as of the first one, or not.
  for (const Apart& apart : {Apart{{500, 48, 8}, {60, 12, 2}, 1000}, Apart{{512, 96, 16}, {60, 12, 2}, 1003},
                             Apart{{512, 48, 8}, {90, 18, 3}, 1000}}) {
    s.offchip = apart.offchip;
    s.onchip = apart.onchip;
    s.from = apart.from;
    expect_limits(s);
  }
}

TEST(Transfer, RunsThatOverlapOnChipKeepTheLastAndCountOnceInTheDigest) {
  Shape s;
  s.run = 8;
  s.counts = {1, 1, 4};
  s.offchip = {0, 0, 8};
  s.onchip = {0, 0, 1};
  expect_transfer(s, 128);
}

TEST(Transfer, StoresLeaveOutWhatLiesOutside) {
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 64).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull);
  Shape s;
  s.counts = {1, 4, 4};
  s.offchip = {0, 64, 4};
  s.onchip = {0, 4, 1};
  s.row = -1;
  s.row_limit = 2;
  s.column = 1;
  s.column_limit = 3;
  emit_tile(a, s, 1024, true);
  a.op(Operation::kStore, {3}).post("VMEM1", kFree).end_block(true);
  std::vector<uint8_t> data(64);
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint8_t>(k + 1);
  const Ran ran = run(a, data);
  for (uint32_t row = 0; row < 4; ++row) {
    for (uint32_t column = 0; column < 4; ++column) {
      const bool inside = row >= 1 && row < 3 && column < 2;
      const size_t at = 1024 + row * 64 + column * 4;
      EXPECT_EQ(ran.memory[at], inside ? row * 16 + column * 4 + 1 : 0U) << row << " " << column;
    }
  }
}

}  // namespace
}  // namespace covenant::sim
