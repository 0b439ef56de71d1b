#include "platform/memory.h"

#include <gtest/gtest.h>

#include "platform/latency_extension.h"
#include "platform/port_extension.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"
#include "tests/unit/platform/one_at_a_time.h"
#include "tests/unit/platform/protocol_checker.h"

namespace covenant::sc::testing {
namespace {

using sc_core::sc_time;

TEST(Memory, LooselyTimedTransactionsTakeTheLatency) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  LooselyTimed initiator("initiator");
  initiator.out.bind(memory.in);
  initiator.accesses = {write(8, {1, 2, 3, 4}), read(6, 8), read(60, 8)};
  sc_core::sc_start();
  EXPECT_EQ(initiator.accesses[0].answered, ns(40));
  EXPECT_TRUE(initiator.accesses[0].allows_direct);
  EXPECT_EQ(initiator.accesses[1].answered, ns(80));
  EXPECT_EQ(initiator.accesses[1].data, (std::vector<uint8_t>{0, 0, 1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(initiator.accesses[2].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(memory.statistics().bytes_read, 8U);
  EXPECT_EQ(memory.statistics().bytes_written, 4U);
  EXPECT_EQ(memory.statistics().last, 80'000U);
}

TEST(Memory, ApproximatelyTimedTransactionsOverlap) {
  for (const Ends ends : {Ends::kByCall, Ends::kByUpdate, Ends::kByCompletion}) {
    const sim::sc::Kernel kernel;
    std::vector<uint8_t> bytes(64);
    Memory memory("memory", Storage(std::span<uint8_t>(bytes)), ns(40));
    ProtocolChecker checker("checker");
    ApproximatelyTimed initiator("initiator");
    initiator.out.bind(checker.in);
    checker.out.bind(memory.in);
    initiator.ends = ends;
    initiator.holds = ns(3);
    initiator.accesses = {write(0, {5, 6}), read(0, 2, ns(1)), read(1, 1, ns(10)), read(64, 1, ns(11))};
    sc_core::sc_start();
    EXPECT_EQ(initiator.accesses[0].answered, ns(40));
    EXPECT_TRUE(initiator.accesses[0].allows_direct);
    EXPECT_EQ(initiator.accesses[1].answered, ns(43));  // at 41 the response before is not over
    EXPECT_EQ(initiator.accesses[2].answered, ns(50));
    EXPECT_EQ(initiator.accesses[2].data[0], 6);
    EXPECT_EQ(initiator.accesses[3].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[3].answered, ns(11));
    EXPECT_EQ(bytes[1], 6);
    EXPECT_EQ(checker.completed(), 4U);
    EXPECT_EQ(initiator.under_way(), 0U);
  }
}

TEST(Memory, CountsFromTheFirstRequestToTheLastAnswer) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  LooselyTimed initiator("initiator");
  initiator.out.bind(memory.in);
  initiator.accesses = {read(0, 4, ns(5)), read(0, 4, ns(90))};
  sc_core::sc_start();
  EXPECT_EQ(memory.statistics().first, 5'000U);
  EXPECT_EQ(memory.statistics().last, 130'000U);
}

TEST(Memory, AModelSaysWhenRequestsOfOneTimeAreAnswered) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(1 << 16), std::make_unique<OneAtATime>(1000, 3));
  // Made in another order than bound: which process runs first must not matter.
  LooselyTimed third("third");
  ApproximatelyTimed second("second");
  ApproximatelyTimed first("first");
  first.out.bind(memory.in);
  second.out.bind(memory.in);
  third.out.bind(memory.in);
  first.accesses = {write(0, {1}, ns(5)), write(1, {2}, ns(5))};
  second.accesses = {read(0, 1, ns(5))};
  second.annotates = ns(0);
  third.accesses = {read(4090, 10, ns(5)), read(1, 1, ns(100))};
  sc_core::sc_start();
  EXPECT_EQ(first.accesses[0].answered, ns(6));
  EXPECT_EQ(first.accesses[1].answered, ns(7));
  EXPECT_EQ(second.accesses[0].answered, ns(8));
  EXPECT_EQ(third.accesses[0].answered, ns(10));  // two bursts: it crosses 4 KiB
  EXPECT_EQ(third.accesses[1].answered, ns(101));
  EXPECT_EQ(second.accesses[0].data[0], 1);
  EXPECT_EQ(third.accesses[1].data[0], 2);
  EXPECT_EQ(memory.statistics().ports[2].bursts, 3U);
}

TEST(Memory, AnnotatedRequestsComeAtTheirTime) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), std::make_unique<OneAtATime>(2000, 1));
  ProtocolChecker checker("checker");
  ApproximatelyTimed initiator("initiator");
  initiator.out.bind(checker.in);
  checker.out.bind(memory.in);
  initiator.annotates = ns(7);
  initiator.accesses = {read(0, 4), read(4, 4)};
  sc_core::sc_start();
  EXPECT_EQ(initiator.accesses[0].answered, ns(9));
  EXPECT_EQ(initiator.accesses[1].asked, ns(14));
  EXPECT_EQ(initiator.accesses[1].answered, ns(16));
}

TEST(Memory, SaysWhatIsWrongWithATransaction) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(16), ns(1));
  Bare bare("bare");
  bare.out.bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Access access = write(12, {1, 2, 3, 4});
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bare.send(access, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  access.address = 13;
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  access.address = UINT64_MAX;
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  access.enables = {0xff, 1};
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  access.data.clear();
  EXPECT_EQ(bare.send(access, 0), tlm::TLM_BURST_ERROR_RESPONSE);
  access = {.writes = true, .address = 12, .data = {9, 8, 7, 6}, .enables = {0, 0xff}};
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(memory.bytes()[12], 1);
  EXPECT_EQ(memory.bytes()[13], 8);
  EXPECT_EQ(memory.bytes()[14], 3) << "enables repeat";
  EXPECT_EQ(memory.bytes()[15], 6);
}

TEST(Memory, AnswersTheQuestionForItsLatency) {
  const sim::sc::Kernel kernel;
  Memory fixed("fixed", Storage(64), ns(40));
  Memory banked("banked", Storage(64), std::make_unique<OneAtATime>(2000, 1));
  Bare to_fixed("to_fixed");
  Bare to_banked("to_banked");
  to_fixed.out.bind(fixed.in);
  to_banked.out.bind(banked.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto known = ask_latency(to_fixed.out, 8);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->latency, ns(40));
  EXPECT_EQ(known->last, 63U);
  EXPECT_FALSE(ask_latency(to_fixed.out, 64));
  EXPECT_FALSE(ask_latency(to_banked.out, 8));
}

TEST(Memory, GrantsDirectAccessWhereItsTimeIsFixed) {
  const sim::sc::Kernel kernel;
  Memory fixed("fixed", Storage(64), ns(40));
  Memory banked("banked", Storage(64), std::make_unique<OneAtATime>(2000, 1));
  Memory open("open", Storage(64), std::make_unique<OneAtATime>(2000, 1), Memory::DirectAccess::kGranted);
  Bare to_fixed("to_fixed");
  Bare to_banked("to_banked");
  Bare to_open("to_open");
  to_fixed.out.bind(fixed.in);
  to_banked.out.bind(banked.in);
  to_open.out.bind(open.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi access;
  EXPECT_FALSE(to_banked.out->get_direct_mem_ptr(payload, access));
  EXPECT_TRUE(to_open.out->get_direct_mem_ptr(payload, access));
  access.init();
  ASSERT_TRUE(to_fixed.out->get_direct_mem_ptr(payload, access));
  EXPECT_EQ(access.get_dmi_ptr(), fixed.bytes().data());
  EXPECT_EQ(access.get_end_address(), 63U);
  EXPECT_EQ(access.get_read_latency(), ns(10));  // a byte of a word of four
  EXPECT_EQ(access.get_write_latency(), ns(10));
  EXPECT_TRUE(access.is_read_write_allowed());
}

TEST(Memory, DebugTransactionsStopAtItsEnd) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(8), ns(40));
  Bare bare("bare");
  bare.out.bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Access access = write(5, {1, 2, 3, 4});
  tlm::tlm_generic_payload payload;
  set_up(payload, access);
  EXPECT_EQ(bare.out->transport_dbg(payload), 3U);
  EXPECT_EQ(memory.bytes()[7], 3);
  payload.set_address(8);
  EXPECT_EQ(bare.out->transport_dbg(payload), 0U);
}

}  // namespace
}  // namespace covenant::sc::testing
