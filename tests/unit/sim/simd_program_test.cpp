/// Programs of the SIMD array: nests, reductions, immediates, in-place operation, requantisation in memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

constexpr uint32_t kLanes = 4;
constexpr uint32_t kInBytes = 2048;  // VMEM1 from byte 0, VMEM2 from byte 4096 of the image
constexpr uint32_t kSecond = 4096, kOut = 8192;

std::vector<uint8_t> noise(uint32_t seed) {
  std::vector<uint8_t> data(kOut, 0);
  std::mt19937 random(seed);
  for (auto& byte : data) byte = static_cast<uint8_t>(random());
  return data;
}

/// Loads both vector memories, lets `body` work, stores all of VMEM1 to kOut.
template <typename Body>
Ran run_simd(const std::vector<uint8_t>& data, Body&& body, const acg::Machine& machine = small_machine(3, kLanes)) {
  Assembly a(machine);
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, kInBytes).post("VMEM1", kFull);
  a.group("DRAM->VMEM2").wait("VMEM2", kFree).load(kSecond, 0, kInBytes).post("VMEM2", kFull);
  a.group("SIMD").wait("VMEM1", kFull).wait("VMEM2", kFull);
  body(a);
  // Slot 1 carries the result on; both slots start at the same bytes of buffer 0.
  a.wait("VMEM1", kFree, 1).post("VMEM1", kFull, 1).post("VMEM1", kFree).post("VMEM2", kFree);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull, 1).base(kOnchip, 0, 1).base(kOffchip, kOut);
  a.op(Operation::kStore, {static_cast<int32_t>(kInBytes) - 1}).post("VMEM1", kFree, 1).end_block(true);
  return run(a, data);
}

template <typename T>
T at(const std::vector<uint8_t>& memory, size_t byte) {
  T value;
  std::memcpy(&value, memory.data() + byte, sizeof(T));
  return value;
}

TEST(SimdProgram, TwoLevelNestWithBroadcastSource) {
  const auto data = noise(1);
  const Ran ran = run_simd(data, [](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kI32, kI32, kI32});
    a.iterator("VMEM1", 0, 0, 16).iterator("VMEM2", 0, 0, 4);
    a.op(Operation::kSimdStride, {v1, 1, 4}).op(Operation::kSimdStride, {v2, 1, 0});
    a.op(Operation::kSimdTrip, {0, 2}).op(Operation::kSimdIndex, {v1, 0, v1, 0, v2, 0});
    a.op(Operation::kSimdTrip, {1, 3}).op(Operation::kSimdIndex, {v1, 1, v1, 1, v2, 1});
    a.op(Operation::kMul, {v1, 0, v1, 0, v2, 0});  // in place: iteration (i, j) times vector i
  });
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t j = 0; j < 4; ++j) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const size_t byte = (i * 16 + j * 4) * kLanes + lane * 4;
        const auto expected = at<uint32_t>(data, byte) * at<uint32_t>(data, kSecond + i * 16 + lane * 4);
        EXPECT_EQ(at<uint32_t>(ran.memory, kOut + byte), expected) << i << j << lane;
      }
    }
  }
  EXPECT_EQ(at<uint32_t>(ran.memory, kOut + 12 * 16), at<uint32_t>(data, 12 * 16));
}

TEST(SimdProgram, RowsOfManyVectors) {
  const auto data = noise(9);
  const Ran ran = run_simd(data, [](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kI32, kI32, kI32}).iterator("VMEM1", 0, 0, 4).iterator("VMEM2", 0, 20, 0);
    a.op(Operation::kSimdTrip, {0, 99}).op(Operation::kSimdIndex, {v1, 0, v1, 0, v2, 0});
    a.op(Operation::kMax, {v1, 0, v1, 0, v2, 0});  // 100 vectors, each with one and the same
  });
  for (uint32_t byte = 0; byte < 100 * 16; byte += 4) {
    const auto expected = std::max(at<int32_t>(data, byte), at<int32_t>(data, kSecond + 80 + byte % 16));
    EXPECT_EQ(at<int32_t>(ran.memory, kOut + byte), expected) << byte;
  }
}

/// The machine, its SIMD array able to move f32, too.
acg::Machine moving_machine() {
  acg::Machine machine = small_machine(3, kLanes);
  for (acg::Compute& compute : machine.computes) {
    const auto move = std::ranges::find(compute.capabilities, "MOVE", &acg::Capability::name);
    if (move == compute.capabilities.end()) continue;
    acg::Capability moves = *move;
    moves.inputs.at(0).dtype = moves.output.dtype = DType::kF32;
    compute.capabilities.push_back(moves);
  }
  return machine;
}

TEST(SimdProgram, AMoveReadsTheTypeOfWhatItMoves) {
  const auto data = noise(11);
  const auto move = [&data](int32_t from) {
    return run_simd(
        data,
        [from](Assembly& a) {
          const int32_t v1 = a.memory("VMEM1");
          const int32_t v2 = a.memory("VMEM2");
          a.op(Operation::kTypes, {kF32, from, kI32}).iterator("VMEM1", 0, 0, 4).iterator("VMEM2", 0, 0, 4);
          a.op(Operation::kSimdTrip, {0, 9}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
          a.op(Operation::kMove, {v1, 0, v2, 0, v2, 0});
        },
        moving_machine());
  };
  const Ran converted = move(kI32);
  const Ran moved = move(kF32);
  for (uint32_t byte = 0; byte < 10 * 16; byte += 4) {
    const auto value = at<int32_t>(data, kSecond + byte);
    EXPECT_EQ(at<float>(converted.memory, kOut + byte), static_cast<float>(value)) << byte;
    EXPECT_EQ(at<int32_t>(moved.memory, kOut + byte), value) << byte;
  }
}

TEST(SimdProgram, OneOperandAloneMayNotGoOnWhereTheOthersDo) {
  const auto data = noise(10);
  const Ran ran = run_simd(data, [](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kI32, kI32, kI32}).iterator("VMEM1", 0, 0, 24).iterator("VMEM2", 0, 0, 16);
    a.op(Operation::kSimdStride, {v1, 1, 4}).op(Operation::kSimdStride, {v2, 1, 4});
    a.op(Operation::kSimdTrip, {0, 2}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
    a.op(Operation::kSimdTrip, {1, 3}).op(Operation::kSimdIndex, {v1, 1, v2, 1, v2, 1});
    a.op(Operation::kMove, {v1, 0, v2, 0, v2, 0});  // rows of four vectors, two vectors apart at their destination
  });
  for (uint32_t byte = 0; byte < 3 * 6 * 16; ++byte) {
    const uint32_t within = byte % (6 * 16);
    const uint32_t source = kSecond + byte / (6 * 16) * 4 * 16 + within;
    EXPECT_EQ(ran.memory[kOut + byte], data[within < 4 * 16 ? source : byte]) << byte;
  }
}

TEST(SimdProgram, ReductionsWriteOncePerOuterIteration) {
  const auto data = noise(2);
  for (const Operation operation : {Operation::kReduceSum, Operation::kReduceMax}) {
    for (const int32_t type : {kI8, kU8}) {
      const bool sums = operation == Operation::kReduceSum;
      const Ran ran = run_simd(data, [&](Assembly& a) {
        const int32_t v1 = a.memory("VMEM1");
        const int32_t v2 = a.memory("VMEM2");
        a.op(Operation::kTypes, {sums ? kI32 : type, type, kI8}).op(Operation::kSimdReduce, {1});
        // A destination stride at the reduction level that must not count.
        a.iterator("VMEM1", 0, 0, sums ? 4 : 1).iterator("VMEM1", 1, 0, 4).iterator("VMEM2", 0, 8, 5);
        a.op(Operation::kSimdStride, {v2, 1, 1});
        a.op(Operation::kSimdTrip, {0, 5}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
        a.op(Operation::kSimdTrip, {1, 4}).op(Operation::kSimdIndex, {v1, 1, v2, 1, v2, 1});
        a.op(operation, {v1, 0, v2, 0, v2, 0});
      });
      for (uint32_t i = 0; i < 6; ++i) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          int32_t sum = 0;
          int32_t largest = INT32_MIN;
          for (uint32_t r = 0; r < 5; ++r) {
            const uint8_t byte = data[kSecond + (8 + i * 5 + r) * kLanes + lane];
            const int32_t value = type == kI8 ? static_cast<int8_t>(byte) : byte;
            sum += value;
            largest = std::max(largest, value);
          }
          if (sums) {
            EXPECT_EQ(at<int32_t>(ran.memory, kOut + (i * kLanes + lane) * 4), sum);
          } else {
            EXPECT_EQ(ran.memory[kOut + i * kLanes + lane], static_cast<uint8_t>(largest));
          }
        }
      }
    }
  }
}

/// Three iterations of a tile loop, the same five vectors in each: a marked loop continues, another one begins anew.
TEST(SimdProgram, ReductionsGoOnOverMarkedLoops) {
  const auto data = noise(8);
  for (const int32_t is_marked : {0, 1}) {
    for (const Operation operation : {Operation::kReduceSum, Operation::kReduceMax}) {
      const bool sums = operation == Operation::kReduceSum;
      const Ran ran = run_simd(data, [&](Assembly& a) {
        const int32_t v1 = a.memory("VMEM1");
        const int32_t v2 = a.memory("VMEM2");
        a.op(Operation::kTypes, {sums ? kI32 : kI8, kI8, kU8}).op(Operation::kSimdReduce, {1});
        a.iterator("VMEM1", 0, 0, sums ? 4 : 1).iterator("VMEM2", 0, 0, 5);
        a.op(Operation::kSimdStride, {v2, 1, 1});
        a.op(Operation::kSimdTrip, {0, 5}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
        a.op(Operation::kSimdTrip, {1, 4}).op(Operation::kSimdIndex, {v1, 0, v2, 1, v2, 1});
        a.op(Operation::kLoop, {2, 2, is_marked}).op(operation, {v1, 0, v2, 0, v2, 0}).op(Operation::kEnd, {2});
      });
      for (uint32_t i = 0; i < 6; ++i) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          int32_t sum = 0;
          int32_t largest = INT32_MIN;
          for (uint32_t r = 0; r < 5; ++r) {
            const int32_t value = static_cast<int8_t>(data[kSecond + (i * 5 + r) * kLanes + lane]);
            sum += value;
            largest = std::max(largest, value);
          }
          if (sums) {
            EXPECT_EQ(at<int32_t>(ran.memory, kOut + (i * kLanes + lane) * 4), is_marked != 0 ? 3 * sum : sum);
          } else {
            EXPECT_EQ(static_cast<int8_t>(ran.memory[kOut + i * kLanes + lane]), largest);
          }
        }
      }
    }
  }
}

/// The second word of the block runs in a loop that is past its first iteration: what the first one left counts.
TEST(SimdProgram, AResumedMaximumKeepsWhatWasLarger) {
  std::vector<uint8_t> data(kOut, 0);
  for (uint32_t k = 0; k < 8 * kLanes; ++k) data[kSecond + k] = static_cast<uint8_t>(40 + k);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kSimdReduce, {0});
    a.iterator("VMEM1", 0, 0, 0).iterator("VMEM2", 0, 4, 1).op(Operation::kSimdTrip, {0, 3});
    a.op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0}).op(Operation::kLoop, {0, 1, 1});
    a.op(Operation::kReduceMax, {v1, 0, v2, 0, v2, 0}).op(Operation::kSimdBase, {v2, 0, 0});
    a.op(Operation::kEnd, {0});
  });
  for (uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(ran.memory[kOut + lane], 40 + 7 * kLanes + lane);
}

TEST(SimdProgram, RequantReadsSignednessFromTheDestination) {
  const auto data = noise(3);
  for (const int32_t type : {kI8, kU8}) {
    const Ran ran = run_simd(data, [&](Assembly& a) {
      const int32_t v1 = a.memory("VMEM1");
      const int32_t v2 = a.memory("VMEM2");
      const int32_t imm = a.memory("IMM");
      a.op(Operation::kTypes, {type, kI32, kF32}).immediate(3, std::bit_cast<uint32_t>(1.0e-7F));
      a.op(Operation::kQuantization, {0x85, type == kI8 ? 0x80 : 0, type == kI8 ? 0x7F : 0xFF});
      a.iterator("VMEM1", 0, 0, 1).iterator("VMEM2", 0, 0, 4).op(Operation::kSimdTrip, {0, 9});
      a.op(Operation::kSimdIndex, {v1, 0, v2, 0, imm, 0}).op(Operation::kRequant, {v1, 0, v2, 0, imm, 3});
    });
    for (uint32_t k = 0; k < 10 * kLanes; ++k) {
      const float scaled = static_cast<float>(at<int32_t>(data, kSecond + k * 4)) * 1.0e-7F;
      const int32_t zero = type == kI8 ? static_cast<int8_t>(0x85) : 0x85;
      const int32_t low = type == kI8 ? -128 : 0;
      const int32_t value = static_cast<int32_t>(std::nearbyint(scaled)) + zero;
      EXPECT_EQ(ran.memory[kOut + k], static_cast<uint8_t>(std::min(low + 255, std::max(low, value)))) << k;
    }
  }
}

TEST(SimdProgram, RequantAddTakesItsScalarsFromImmediates) {
  const auto data = noise(4);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {77, 0, 0xFF});
    a.immediate(0, std::bit_cast<uint32_t>(0.5F)).immediate(1, std::bit_cast<uint32_t>(0.25F));
    a.immediate(2, std::bit_cast<uint32_t>(3.0F));
    a.iterator("VMEM1", 0, 0, 1).iterator("VMEM2", 0, 0, 1).op(Operation::kSimdTrip, {0, 9});
    a.op(Operation::kSimdIndex, {v1, 0, v1, 0, v2, 0}).op(Operation::kRequantAdd, {v1, 0, v1, 0, v2, 0});
  });
  for (uint32_t k = 0; k < 10 * kLanes; ++k) {
    const double exact = data[k] * 0.5 + data[kSecond + k] * 0.25 + 3.0;  // the zero point is not added
    EXPECT_EQ(ran.memory[kOut + k], static_cast<uint8_t>(std::nearbyint(exact))) << k;
  }
}

TEST(SimdProgram, RequantMulTakesItsScalarsFromImmediates) {
  const auto data = noise(9);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {77, 0, 0xFF});
    a.immediate(0, std::bit_cast<uint32_t>(0x1p-7F)).immediate(1, std::bit_cast<uint32_t>(100.0F));
    a.immediate(2, static_cast<uint32_t>(-5)).immediate(3, 9);
    a.iterator("VMEM1", 0, 0, 1).iterator("VMEM2", 0, 0, 1).op(Operation::kSimdTrip, {0, 9});
    a.op(Operation::kSimdIndex, {v1, 0, v1, 0, v2, 0}).op(Operation::kRequantMul, {v1, 0, v1, 0, v2, 0});
  });
  for (uint32_t k = 0; k < 10 * kLanes; ++k) {
    const double exact = (data[k] + 5) * (data[kSecond + k] - 9) * 0x1p-7 + 100.0;
    const double limited = std::min(255.0, std::max(0.0, std::nearbyint(exact)));
    EXPECT_EQ(ran.memory[kOut + k], static_cast<uint8_t>(limited)) << k;
  }
}

/// A part that is set twice, parts in any order, one past the end, and what is not set.
TEST(SimdProgram, LookupsTakeTheirTableFromWords) {
  const auto data = noise(10);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kI8, kI8, kI8}).table(5, 0xFFFF).table(128, 0x1234).table(255, 0x5678);
    for (uint32_t part = 100; part-- > 0;) a.table(part, 0x100 * (2 * part + 41) + (2 * part + 40));
    a.iterator("VMEM1", 0, 0, 1).iterator("VMEM2", 0, 0, 1).op(Operation::kSimdTrip, {0, 9});
    a.op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0}).op(Operation::kLookup, {v1, 0, v2, 0, v2, 0});
  });
  for (uint32_t k = 0; k < 10 * kLanes; ++k) {
    const uint32_t byte = data[kSecond + k];
    EXPECT_EQ(ran.memory[kOut + k], byte < 200 ? static_cast<uint8_t>(byte + 40) : 0) << byte;
  }
}

TEST(SimdProgram, ABlockStartsWithoutATable) {
  const auto data = noise(11);
  Assembly a(small_machine(3, kLanes));
  const int32_t v1 = a.memory("VMEM1");
  a.group("SIMD");
  for (uint32_t part = 0; part < 128; ++part) a.table(part, 0xABAB);
  a.end_block(false);
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 64).post("VMEM1", kFull);
  a.group("SIMD").wait("VMEM1", kFull).op(Operation::kTypes, {kU8, kU8, kU8}).iterator("VMEM1", 0, 0, 1);
  a.op(Operation::kSimdTrip, {0, 3}).op(Operation::kSimdIndex, {v1, 0, v1, 0, v1, 0});
  a.op(Operation::kLookup, {v1, 0, v1, 0, v1, 0}).wait("VMEM1", kFree, 1).post("VMEM1", kFull, 1).post("VMEM1", kFree);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull, 1).base(kOnchip, 0, 1).base(kOffchip, kOut);
  a.op(Operation::kStore, {15}).post("VMEM1", kFree, 1).end_block(true);
  const Ran ran = run(a, data);
  for (uint32_t k = 0; k < 16; ++k) EXPECT_EQ(ran.memory[kOut + k], 0) << k;
}

TEST(SimdProgram, ImmediatesOfByteTypesUseTheirLowByte) {
  const auto data = noise(5);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t imm = a.memory("IMM");
    a.op(Operation::kTypes, {kI8, kI8, kI32}).immediate(31, 0xFFFFFFF6U);  // -10
    a.iterator("VMEM1", 0, 0, 1).op(Operation::kSimdTrip, {0, 3});
    a.op(Operation::kSimdIndex, {v1, 0, v1, 0, imm, 0}).op(Operation::kMax, {v1, 0, v1, 0, imm, 31});
  });
  for (uint32_t k = 0; k < 16; ++k) {
    EXPECT_EQ(static_cast<int8_t>(ran.memory[kOut + k]), std::max(-10, int32_t{static_cast<int8_t>(data[k])}));
  }
}

TEST(SimdProgram, HighHalvesReachFarAddresses) {
  const auto data = noise(6);
  const Ran ran = run_simd(data, [&](Assembly& a) {
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.op(Operation::kTypes, {kI32, kI32, kI32});
    a.op(Operation::kSimdBase, {v2, 0, 40}).op(Operation::kSimdStride, {v2, 0, -4});
    a.op(Operation::kSimdBaseHigh, {v1, 0, 5}).op(Operation::kSimdBase, {v1, 0, 0});  // base clears the high half
    a.op(Operation::kSimdStride, {v1, 0, -1}).op(Operation::kSimdStrideHigh, {v1, 0, 0});
    a.op(Operation::kSimdStride, {v1, 0, 4});  // sign-extends anew
    a.op(Operation::kSimdTrip, {0, 9}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
    a.op(Operation::kMove, {v1, 0, v2, 0, v2, 0});
  });
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(at<uint32_t>(ran.memory, kOut + i * 16), at<uint32_t>(data, kSecond + (10 - i) * 16)) << i;
  }
}

}  // namespace
}  // namespace covenant::sim
