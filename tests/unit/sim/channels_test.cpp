/// Counted tokens at their edges: the cycle in which a token is seen, or finds no buffer.
#include "sim/stream/channels.h"

#include <gtest/gtest.h>

#include "sim/common/fault.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

constexpr uint32_t kBuffers = 2;

/// The counter of IBUF, slot 0.
uint32_t counter_of(const Channels& channels, const acg::Machine& machine, int32_t token) {
  acg::Instruction word;
  word.operation = acg::Operation::kWait;
  word.operands[0] = static_cast<int32_t>(find_memory(machine, "IBUF").value().value);
  word.operands[2] = token;
  return channels.counter(word);
}

/// The code of the fault that `action` raises; empty if it raises none.
template <typename Action>
std::string fault_of(const Action& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.diagnostic.code;
  }
  return {};
}

/// A buffer that is taken in cycle c has room for a token that is visible in c + 1, not in c.
TEST(Channels, ATokenMayBeGivenInTheCycleAfterItsBufferIsTaken) {
  const acg::Machine machine = small_machine(3, 4);
  for (const uint64_t visible : {19U, 20U, 21U}) {
    Channels channels(machine);
    const uint32_t full = counter_of(channels, machine, kFull);
    for (uint32_t k = 0; k < kBuffers; ++k) channels.post(full, 10, {});
    EXPECT_EQ(channels.take(full, 20).issue, 20U);
    EXPECT_EQ(fault_of([&] { channels.post(full, visible, {}); }), visible > 20 ? "" : "SIM0015") << visible;
  }
}

/// The same if the token is given before it is known when its buffer is taken.
TEST(Channels, ATokenGivenAheadNeedsItsBufferACycleBefore) {
  const acg::Machine machine = small_machine(3, 4);
  for (const uint64_t taken : {19U, 20U, 21U}) {
    Channels channels(machine, 1);
    const uint32_t full = counter_of(channels, machine, kFull);
    for (uint32_t k = 0; k < kBuffers; ++k) channels.post(full, 10, {});
    EXPECT_TRUE(channels.has_room(full));
    channels.post(full, 20, {});
    EXPECT_FALSE(channels.has_room(full));
    EXPECT_EQ(fault_of([&] { channels.take(full, taken); }), taken < 20 ? "" : "SIM0015") << taken;
  }
}

TEST(Channels, ATokenIsTakenWhenItIsVisible) {
  const acg::Machine machine = small_machine(3, 4);
  for (const uint64_t arrival : {4U, 5U, 6U}) {
    Channels channels(machine);
    const uint32_t full = counter_of(channels, machine, kFull);
    EXPECT_FALSE(channels.has_token(full));
    channels.post(full, 5, {});
    EXPECT_TRUE(channels.has_token(full));
    EXPECT_EQ(channels.take(full, arrival).issue, std::max<uint64_t>(arrival, 5));
  }
}

/// A block leaves every counter as it has found it: neither fewer tokens nor more.
TEST(Channels, ABlockEndsWithTheTokensItBeganWith) {
  const acg::Machine machine = small_machine(3, 4);
  for (const int32_t token : {kFull, kFree}) {
    Channels channels(machine);
    const uint32_t counter = counter_of(channels, machine, token);
    EXPECT_EQ(fault_of([&] { channels.check_balanced(); }), "");
    if (token == kFree) {
      channels.take(counter, 1);
      EXPECT_EQ(fault_of([&] { channels.check_balanced(); }), "SIM0016");
      channels.post(counter, 9, {});
    } else {
      channels.post(counter, 9, {});
      EXPECT_EQ(fault_of([&] { channels.check_balanced(); }), "SIM0016");
      channels.take(counter, 9);
    }
    EXPECT_EQ(fault_of([&] { channels.check_balanced(); }), "");
  }
}

TEST(Channels, ABlockBeginsWithAllBuffersFreeAndNobodyAtThem) {
  const acg::Machine machine = small_machine(3, 4);
  Channels channels(machine);
  const uint32_t full = counter_of(channels, machine, kFull);
  const uint32_t free = counter_of(channels, machine, kFree);
  channels.claim(full, 3, true);
  channels.claim(full, 4, false);
  channels.post(full, 9, {});
  channels.take(free, 1);
  channels.clear();
  EXPECT_FALSE(channels.has_token(full));
  for (uint32_t k = 0; k < kBuffers; ++k) {
    ASSERT_TRUE(channels.has_token(free));
    channels.take(free, 1);
  }
  EXPECT_FALSE(channels.has_token(free));
  EXPECT_FALSE(channels.poster(full));
  EXPECT_FALSE(channels.waiter(full));
  EXPECT_EQ(fault_of([&] { channels.claim(full, 5, true); }), "");
  EXPECT_EQ(fault_of([&] { channels.claim(full, 6, true); }), "SIM0014");
}

}  // namespace
}  // namespace covenant::sim
