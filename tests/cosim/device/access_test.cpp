/// Device conformance by bare register accesses: what the bus and the registers themselves must do.
#include <random>

#include "acg/registers/registers.h"
#include "tests/cosim/device/conformance.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

namespace map = registers;

TEST_P(Conformance, AccessesThatAreNoWordsAreErrors) {
  const auto device = GetParam().make(GetParam().programs().machine(), 4096);
  RegisterBus& bus = device->registers();
  for (const uint32_t address : {0x1U, 0x2U, 0x3U, map::kProgramLow + 1, map::kProgramLow + 2, map::kControl + 3}) {
    EXPECT_NE(bus.read32(address).response, Response::kOkay) << address;
    EXPECT_NE(bus.write32(address, UINT32_MAX), Response::kOkay) << address;
  }
  for (uint32_t address = map::kBytes; address < 4096; address += 4) {
    EXPECT_NE(bus.read32(address).response, Response::kOkay) << address;
    EXPECT_NE(bus.write32(address, UINT32_MAX), Response::kOkay) << address;
  }
  EXPECT_EQ(bus.read32(map::kProgramLow).value, 0U) << "nothing was written";
  EXPECT_EQ(bus.read32(map::kStatus).value, 0U) << "nothing was started";
}

TEST_P(Conformance, WhatCanOnlyBeReadIsNotWritten) {
  const auto device = GetParam().make(GetParam().programs().machine(), 4096);
  RegisterBus& bus = device->registers();
  for (uint32_t address = 0; address < map::kBytes; address += 4) {
    const bool can_write = address == map::kControl || address == map::kProgramLow || address == map::kProgramHigh ||
                           address == map::kInterruptEnable || address == map::kInterruptStatus;
    if (can_write) continue;
    const ReadResult before = bus.read32(address);
    EXPECT_EQ(before.response, Response::kOkay) << address;
    EXPECT_NE(bus.write32(address, ~before.value), Response::kOkay) << address;
    EXPECT_EQ(bus.read32(address).value, before.value) << address;
  }
}

/// A host may write some bytes of a register: the others keep what they have.
TEST_P(Conformance, BytesAreWrittenAlone) {
  const auto device = GetParam().make(GetParam().programs().machine(), 4096);
  RegisterBus& bus = device->registers();
  std::mt19937 random(7);
  uint32_t expected = 0;
  for (int k = 0; k < 200; ++k) {
    const auto value = static_cast<uint32_t>(random());
    const uint32_t strobes = random() % 16;
    ASSERT_EQ(device->write_bytes(map::kProgramLow, value, strobes), Response::kOkay);
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const uint32_t mask = (strobes >> byte & 1U) != 0 ? 0xFFU << (8 * byte) : 0;
      expected = (expected & ~mask) | (value & mask);
    }
    ASSERT_EQ(bus.read32(map::kProgramLow).value, expected) << k;
  }
  ASSERT_EQ(device->write_bytes(map::kControl, map::control::kStart.mask(), 0xE), Response::kOkay);
  EXPECT_EQ(bus.read32(map::kStatus).value, 0U) << "the byte with the bit was not written";
}

TEST_P(Conformance, EventsStayUntilTheyAreCleared) {
  const auto device = GetParam().make(GetParam().programs().machine(), 4096);
  RegisterBus& bus = device->registers();
  bus.write32(map::kProgramLow, 1);  // where no program can begin
  bus.write32(map::kControl, map::control::kStart.mask());
  const uint32_t refused = map::interrupt_status::kRefused.mask();
  EXPECT_EQ(bus.read32(map::kInterruptStatus).value, refused);
  EXPECT_FALSE(device->interrupt());
  bus.write32(map::kInterruptEnable, refused);
  EXPECT_TRUE(device->interrupt());
  bus.write32(map::kInterruptStatus, ~refused);
  EXPECT_TRUE(device->interrupt()) << "other bits";
  bus.write32(map::kInterruptStatus, refused);
  EXPECT_FALSE(device->interrupt());
  EXPECT_EQ(map::Refusal{map::status::kRefusal.of(bus.read32(map::kStatus).value)}, map::Refusal::kAddress);
}

}  // namespace
}  // namespace covenant::driver::testing
