#include "sim/stream/common/value_queue.h"

#include <array>
#include <gtest/gtest.h>
#include <new>
#include <vector>

#include "sim/stream/common/tile_transfer.h"
#include "sim/stream/systolic_array/systolic_pass.h"

namespace covenant::sim {
namespace {

/// Copies one byte of `memory` to another.
TileTransfer copy(std::vector<uint8_t>& memory, uint32_t from, uint32_t to) {
  TileTransfer transfer;
  transfer.loads = true;
  transfer.counts = {1, 1, 1};
  transfer.rows = transfer.columns = {0, 1};
  transfer.run_bytes = 1;
  transfer.far = from;
  transfer.near = to;
  transfer.far_memory = transfer.near_memory = memory.data();
  return transfer;
}

/// Takes milliseconds: commands pile up behind it.
TileTransfer slow_fill(uint8_t& byte) {
  TileTransfer transfer;
  transfer.loads = true;
  transfer.counts = {3000, 1000, 1};
  transfer.run_bytes = 1;
  transfer.near_memory = &byte;
  return transfer;
}

/// So many that a thread starts, and that all batches are full after a slow one.
constexpr uint32_t kMany = 20'000;

TEST(ValueQueue, ComputesInTheOrderOfCommands) {
  for (const auto place : {ValueQueue::Place::kHere, ValueQueue::Place::kThread}) {
    for (const uint32_t commands : {0U, 1U, 127U, 128U, 129U, kMany}) {
      std::vector<uint8_t> memory(commands + 1, 0);
      memory[0] = 7;
      uint8_t other = 1;
      ValueQueue queue(place);
      queue.run(slow_fill(other));
      for (uint32_t k = 0; k < commands; ++k) queue.run(copy(memory, k, k + 1));
      queue.finish();
      EXPECT_EQ(memory, std::vector<uint8_t>(commands + 1, 7)) << commands;
      EXPECT_EQ(other, 0);
    }
  }
}

TEST(ValueQueue, GoesOnAfterItHasBeenWaitedFor) {
  std::vector<uint8_t> memory(kMany + 1, 0);
  memory[0] = 7;
  ValueQueue queue(ValueQueue::Place::kThread);
  for (uint32_t k = 0; k < kMany; ++k) {
    queue.run(copy(memory, k, k + 1));
    if (k % 1000 != 999) continue;
    queue.finish();
    ASSERT_EQ(memory[k + 1], 7) << k;
  }
}

TEST(ValueQueue, IsDoneAtItsEnd) {
  for (const uint32_t commands : {1U, 128U, kMany}) {
    std::vector<uint8_t> memory(commands + 1, 0);
    memory[0] = 7;
    {
      ValueQueue queue(ValueQueue::Place::kThread);
      for (uint32_t k = 0; k < commands; ++k) queue.run(copy(memory, k, k + 1));
    }
    EXPECT_EQ(memory.back(), 7) << commands;
  }
}

TEST(ValueQueue, ThrowsWhatACommandHasThrownAndComputesNothingAfterIt) {
  for (const uint32_t before : {0U, kMany}) {
    std::vector<uint8_t> memory(2 * kMany + 2, 0);
    memory[0] = 7;
    PassRunner runner;
    PassValues values{&runner, {}};
    values.pass.rows = 0xFFFFFFFC;  // weights of more bytes than there are addresses
    values.pass.columns = 0xFFFFFFF0;
    values.pass.counts.fill(1);
    ValueQueue queue(ValueQueue::Place::kThread);
    for (uint32_t k = 0; k < before; ++k) queue.run(copy(memory, k, k + 1));
    queue.run(values);
    for (uint32_t k = kMany; k <= 2 * kMany; ++k) queue.run(copy(memory, 0, k + 1));
    EXPECT_THROW(queue.finish(), std::bad_alloc);
    EXPECT_EQ(memory[before], 7);
    EXPECT_EQ(memory[kMany + 1], 0);
    EXPECT_EQ(memory.back(), 0);
  }
}

/// Values of a kind that the queue does not know, larger than most, with something to be destroyed.
struct Sum {
  std::vector<uint64_t> terms;
  std::array<uint64_t, 400> more{};
  uint64_t* sum = nullptr;
};
void compute(const Sum& values) { *values.sum = *values.sum * 3 + values.terms.at(0) + values.more.back(); }

TEST(ValueQueue, TakesValuesOfAnyKindBetweenOthers) {
  for (const auto place : {ValueQueue::Place::kHere, ValueQueue::Place::kThread}) {
    uint64_t sum = 0;
    uint64_t expected = 0;
    std::vector<uint8_t> memory(1001, 0);
    memory[0] = 7;
    ValueQueue queue(place);
    for (uint32_t k = 0; k < 1000; ++k) {
      Sum values{{k}, {}, &sum};
      values.more.back() = k % 7;
      queue.run(values);
      queue.run(copy(memory, k, k + 1));
      expected = expected * 3 + k + k % 7;
    }
    queue.finish();
    EXPECT_EQ(sum, expected);
    EXPECT_EQ(memory.back(), 7);
  }
}

}  // namespace
}  // namespace covenant::sim
