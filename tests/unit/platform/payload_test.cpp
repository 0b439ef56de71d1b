/// Attributes of generic payloads, as IEEE 1666 gives them to memories and to windows of registers.
#include "platform/payload.h"

#include <gtest/gtest.h>
#include <vector>

#include "acg/registers/registers.h"
#include "platform/register_access.h"
#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {
namespace {

constexpr uint8_t kOn = TLM_BYTE_ENABLED, kOff = TLM_BYTE_DISABLED;

/// A payload for an access that outlives it.
struct Sent {
  explicit Sent(Access& access) { set_up(payload, access); }
  tlm::tlm_generic_payload payload;
};

TEST(Payload, CommandsAreReadWriteAndIgnore) {
  Access access = write(0, {1, 2, 3, 4});
  Sent sent(access);
  std::vector<uint8_t> memory(8, 9);
  sent.payload.set_command(tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(status_of(sent.payload, memory.size()), tlm::TLM_OK_RESPONSE);
  move_data(sent.payload, memory);
  EXPECT_EQ(memory, std::vector<uint8_t>(8, 9));
  sent.payload.set_command(static_cast<tlm::tlm_command>(3));
  EXPECT_EQ(status_of(sent.payload, memory.size()), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST(Payload, HasBytesWithinTheMemory) {
  Access access = read(4, 4);
  Sent sent(access);
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(status_of(sent.payload, 7), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  sent.payload.set_streaming_width(3);
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_BURST_ERROR_RESPONSE);
  sent.payload.set_streaming_width(0);
  sent.payload.set_data_length(0);
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST(Payload, ByteEnablesRepeat) {
  Access access = write(1, {1, 2, 3, 4, 5});
  access.enables = {kOn, kOff};
  Sent sent(access);
  std::vector<uint8_t> memory(8, 9);
  ASSERT_EQ(status_of(sent.payload, memory.size()), tlm::TLM_OK_RESPONSE);
  move_data(sent.payload, memory);
  EXPECT_EQ(memory, (std::vector<uint8_t>{9, 1, 9, 3, 9, 5, 9, 9}));
}

TEST(Payload, ByteEnablesAreOnOrOff) {
  Access access = write(0, {1, 2});
  access.enables = {kOn, 1};
  Sent sent(access);
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  access.enables = {kOn, kOff};
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_OK_RESPONSE);
  sent.payload.set_byte_enable_length(0);
  EXPECT_EQ(status_of(sent.payload, 8), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST(Payload, DebugAccessesEndWithTheMemory) {
  Access access = write(6, {1, 2, 3});
  Sent sent(access);
  std::vector<uint8_t> memory(8, 9);
  EXPECT_EQ(move_debug_data(sent.payload, memory), 2U);
  EXPECT_EQ(memory[7], 2);
  sent.payload.set_address(8);
  EXPECT_EQ(move_debug_data(sent.payload, memory), 0U);
}

TEST(RegisterAccess, IsOneAlignedWord) {
  Access access = read(registers::kBytes - 4, 4);
  Sent sent(access);
  EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_OK_RESPONSE);
  for (const uint64_t address : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{registers::kBytes}, UINT64_MAX - 3}) {
    sent.payload.set_address(address);
    EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_GENERIC_ERROR_RESPONSE) << address;
  }
  sent.payload.set_address(0);
  for (const unsigned length : {0U, 1U, 2U, 3U, 5U, 8U}) {
    sent.payload.set_data_length(length);
    EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_BURST_ERROR_RESPONSE) << length;
  }
  sent.payload.set_data_length(4);
  sent.payload.set_streaming_width(2);
  EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_BURST_ERROR_RESPONSE);
  sent.payload.set_streaming_width(8);
  EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_OK_RESPONSE);
  sent.payload.set_data_ptr(nullptr);
  EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST(RegisterAccess, EnablesRepeatOverTheWord) {
  struct Case {
    std::vector<uint8_t> enables;
    uint32_t strobes;
  };
  for (const Case& one : {Case{{}, 0xF}, Case{{kOn}, 0xF}, Case{{kOff}, 0x0}, Case{{kOn, kOff}, 0x5},
                          Case{{kOff, kOn}, 0xA}, Case{{kOff, kOn, kOff}, 0x2}, Case{{kOn, kOff, kOff}, 0x9},
                          Case{{kOn, kOn, kOff, kOff}, 0x3}, Case{{kOff, kOff, kOn, kOff, kOn}, 0x4}}) {
    Access access = write(0, {1, 2, 3, 4});
    access.enables = one.enables;
    Sent sent(access);
    ASSERT_EQ(check_register_access(sent.payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(strobes_of(sent.payload), one.strobes);
  }
  Access access = write(0, {1, 2, 3, 4});
  access.enables = {kOn};
  Sent sent(access);
  sent.payload.set_byte_enable_length(0);
  EXPECT_EQ(check_register_access(sent.payload), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

}  // namespace
}  // namespace covenant::sc::testing
