/// Transfers between two scratchpads against a literal reading of docs/reference/units/dma.md.
#include <gtest/gtest.h>
#include <random>

#include "tests/support/sim/levels.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

constexpr int32_t kTile = 1000;  // bytes of one buffer of L2
constexpr uint32_t kOut = 32768;

struct Copy {
  uint32_t from = 0;  ///< byte of L2's buffer
  int32_t run = 8;
  int32_t rows = 1, columns = 1;
  int32_t row_step = 0, column_step = 0;            ///< bytes of L2
  int32_t near_row_step = 0, near_column_step = 0;  ///< addresses of VMEM1
  int32_t first_row = 0, row_limit = 0, fill = 0;
};

/// Fills the three buffers of L2 one after the other, copies a tile of each to VMEM1 and stores that; compares bytes,
/// beats and cycles.
void expect_copies(const Copy& copy, uint32_t bandwidth, uint32_t latency) {
  constexpr int32_t kTiles = 4;  // one buffer is used twice
  Assembly a(machine_with_level(bandwidth, latency));
  a.group("DRAM->L2").stride(kOffchip, 0, kTile).op(Operation::kLoop, {0, kTiles - 1, 0});
  a.wait("L2", kFree, 2).base(kOnchip, 0, 2).op(Operation::kLoad, {kTile - 1}).post("L2", kFull, 2);
  a.op(Operation::kEnd, {0});
  a.group("L2->VMEM1").base(kOffchip, copy.from, 2).op(Operation::kTrip, {15, copy.rows - 1, 0});
  a.op(Operation::kTrip, {16, copy.columns - 1, 0});
  a.stride(kOffchip, 15, copy.row_step).stride(kOffchip, 16, copy.column_step);
  a.stride(kOnchip, 15, copy.near_row_step).stride(kOnchip, 16, copy.near_column_step);
  a.base(kRow, static_cast<uint32_t>(copy.first_row)).op(Operation::kLimit, {0, copy.row_limit});
  a.op(Operation::kFill, {copy.fill}).op(Operation::kLoop, {0, kTiles - 1, 0});
  a.wait("L2", kFull, 2).wait("VMEM1", kFree).op(Operation::kLoad, {copy.run - 1});
  a.post("L2", kFree, 2).post("VMEM1", kFull).op(Operation::kEnd, {0});
  a.group("VMEM1->DRAM").base(kOffchip, kOut).stride(kOffchip, 0, 512).op(Operation::kLoop, {0, kTiles - 1, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {511}).post("VMEM1", kFree).op(Operation::kEnd, {0}).end_block(true);
  std::vector<uint8_t> data(kTile * kTiles);
  std::mt19937 random(11);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  const Ran ran = run(a, data);

  const int64_t beat = bandwidth / 8;
  int64_t beats = 0;
  std::vector<std::vector<uint8_t>> expected(kTiles, std::vector<uint8_t>(512));
  for (int32_t row = 0; row < copy.rows; ++row) {
    const int32_t at = copy.first_row + row;
    const bool inside = copy.row_limit == 0 || (at >= 0 && at < copy.row_limit);
    for (int32_t column = 0; column < copy.columns; ++column) {
      const int64_t far = int64_t{copy.from} + row * copy.row_step + column * copy.column_step;
      const int64_t near = 4 * (row * copy.near_row_step + column * copy.near_column_step);
      beats += inside ? (far + copy.run - 1) / beat - far / beat + 1 : (copy.run + beat - 1) / beat;
      for (int32_t tile = 0; tile < kTiles; ++tile) {
        for (int32_t k = 0; k < copy.run; ++k) {
          expected[static_cast<size_t>(tile)][static_cast<size_t>(near + k)] =
              inside ? data[static_cast<size_t>(tile * kTile + far + k)] : static_cast<uint8_t>(copy.fill);
        }
      }
    }
  }
  for (size_t tile = 0; tile < kTiles; ++tile) {
    // VMEM1 has two buffers: what a tile does not write is what the tile before the last one left, the same places.
    const auto* stored = ran.memory.data() + kOut + 512 * tile;
    EXPECT_EQ(std::vector<uint8_t>(stored, stored + 512), expected[tile]) << "tile " << tile;
  }
  const acg::Codec codec(a.machine());
  int copies = 0;
  for (const auto& record : ran.of(a.engine("L2->VMEM1"))) {
    if (codec.decode(record.word)->instruction.operation != Operation::kLoad) continue;
    ++copies;
    EXPECT_EQ(record.last_port - record.issue + 1, static_cast<uint64_t>(beats));
    EXPECT_EQ(record.retire, record.last_port + 1 + latency + 2);  // a scratchpad answers in the next cycle
  }
  EXPECT_EQ(copies, kTiles);
}

TEST(Copy, RunsOfEveryAlignment) {
  for (const uint32_t bandwidth : {8U, 24U, 64U, 200U}) {
    for (uint32_t from = 0; from < 12; ++from) {
      for (const int32_t run : {1, 3, 8, 25, 60}) expect_copies({.from = from, .run = run}, bandwidth, from % 3);
    }
  }
}

TEST(Copy, LoopsStridesAndLimits) {
  const Copy copy{.from = 700,
                  .run = 7,
                  .rows = 5,
                  .columns = 4,
                  .row_step = -120,
                  .column_step = 31,
                  .near_row_step = 16,
                  .near_column_step = 4};
  expect_copies(copy, 64, 0);
  Copy limited = copy;
  limited.fill = 0xC3;
  for (const int32_t first : {-2, 0, 3}) {
    limited.first_row = first;
    limited.row_limit = 4;
    expect_copies(limited, 40, 5);
  }
}

TEST(Copy, PastTheEndOfABuffer) {
  for (const uint32_t from : {992U, 993U}) {
    Assembly a(machine_with_level(64, 0));
    a.group("L2->VMEM1").base(kOffchip, from).op(Operation::kLoad, {7}).end_block(true);
    EXPECT_EQ(failure(a).code, from == 992 ? "" : "SIM0030");
  }
}

TEST(Copy, FarChannelsAreThoseOfTheMemory) {
  Assembly a(machine_with_level(64, 0));
  a.group("DRAM->L2").base(kOffchip, 0, 1).end_block(true);
  EXPECT_EQ(failure(a).code, "SIM0022");  // off-chip memory has none
}

}  // namespace
}  // namespace covenant::sim
