// Transactions to a machine that commands drive: their times, their order, those that it refuses, its reset.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "tests/unit/command_device/platform.h"

namespace covenant::sc::testing {
namespace {

/// Beats of 8 bytes at 250 MHz. Address 1 writes x, 2 reads it and adds 1, 0x10 to 0x1F take as many cycles as the
/// address says, 0x20 starts a process that takes 5 cycles to raise the line, 3 lowers it.
constexpr const char* kText = R"(acg bench {
  clock = 250 MHz;
  port bus { address = 16; data = 64; }
  state x : i16 = 5;
  state y : u8[4];
  state done : bool = 0;
  queue starts : bool { depth = 1; }
  interrupt = done;
  instruction set on bus { fields { value : i16 at 0; } decode = write and address == 1; update { x = value; } }
  instruction get on bus { decode = read and address == 2; update { reply = x; x = wrap(i16, x + 1); } }
  instruction slow on bus { fields { n : u4 at address; } decode = write and address in 0x10..0x1F;
                            update { step { cycles = n; x = n; } } }
  instruction start on bus { decode = write and address == 0x20; update { push(starts, 1); } }
  instruction clear on bus { decode = write and address == 3; update { done = 0; } }
  instruction row on bus { fields { b : u8 at 0; i : u3 at address + 3; } decode = write and address in 0x100..0x138;
                           update { y[i] = b; } }
  instruction row_of on bus { fields { i : u3 at address + 3; } decode = read and address in 0x100..0x138;
                              update { reply = y[i]; } }
  instruction stuck on bus { decode = write and address == 0x40; update { push(starts, 1); push(starts, 1); } }
  process p { let s = pop(starts); step { cycles = 5; done = 1; } }
})";

Access write_of(uint64_t address, uint8_t value) { return write(address, {value, 0, 0, 0, 0, 0, 0, 0}); }

TEST(CommandAccelerator, ACommandEndsWithItsLastCycle) {
  for (const uint64_t cycles : {1U, 2U, 7U, 15U}) {
    for (const uint64_t late : {0U, 1U, 3999U}) {
      Bench bench(behaviour_of(kText));
      EXPECT_EQ(bench.npu.period(), ns(4));
      bool is_done = false;
      bench.thread([&] {
        sc_core::wait(bench.cycles(10) + sc_core::sc_time::from_value(late));
        Access access = write_of(0x10 + cycles, 0);
        EXPECT_EQ(bench.send(access), tlm::TLM_OK_RESPONSE);
        is_done = true;
        EXPECT_EQ(sc_core::sc_time_stamp(), bench.cycles(10 + (late == 0 ? 0 : 1) + cycles)) << cycles << ", " << late;
      });
      const sc_core::sc_time step = sc_core::sc_time::from_value(1);
      sc_core::sc_start(bench.cycles(10 + (late == 0 ? 0 : 1) + cycles) - step);
      EXPECT_FALSE(is_done);
      EXPECT_EQ(bench.npu.engine().elements(0).get(0), 5);
      sc_core::sc_start(step + step);
      EXPECT_TRUE(is_done);
      EXPECT_EQ(bench.npu.engine().elements(0).get(0), static_cast<int64_t>(cycles));
    }
  }
}

TEST(CommandAccelerator, AMachineThatSaysNoClockHasOneOfAGigahertz) {
  std::string text = kText;
  text.replace(text.find("clock = 250 MHz;"), 16, "");
  EXPECT_EQ(Bench(behaviour_of(text)).npu.period(), ns(1));
}

TEST(CommandAccelerator, TheAnnotatedTimeIsWaitedFor) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access access = write_of(1, 9);
    tlm::tlm_generic_payload payload;
    set_up(payload, access);
    sc_core::sc_time delay = ns(11);
    bench.hosts[0]->out->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(16));
  });
}

TEST(CommandAccelerator, TheLineRisesWithTheEndOfTheCycle) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access start = write_of(0x20, 0);
    EXPECT_EQ(bench.send(start), tlm::TLM_OK_RESPONSE);
    const uint64_t begin = sc_core::sc_time_stamp().value();
    EXPECT_FALSE(bench.line.read());
    sc_core::wait(bench.line.posedge_event());
    EXPECT_EQ(sc_core::sc_time_stamp().value() - begin, bench.cycles(5).value());
    Access clear = write_of(3, 0);
    EXPECT_EQ(bench.send(clear), tlm::TLM_OK_RESPONSE);
    EXPECT_FALSE(bench.line.read());  // as soon as the transaction has ended
    EXPECT_EQ(sc_core::sc_time_stamp().value() - begin, bench.cycles(6).value());
  });
  EXPECT_FALSE(bench.line.read());
}

TEST(CommandAccelerator, TheClockStandsStillWhereNothingGoesOn) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    sc_core::wait(ns(1e6));
    EXPECT_LE(bench.npu.engine().cycles(), 1U);
  });
  EXPECT_EQ(sc_core::sc_time_stamp(), ns(1e6));
}

TEST(CommandAccelerator, BeatsOfATransactionAreCommands) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access rows = write(0x100, std::vector<uint8_t>(32));
    for (uint8_t i = 0; i < 4; ++i) rows.data[8 * i] = 10 + i;
    EXPECT_EQ(bench.send(rows), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(sc_core::sc_time_stamp(), bench.cycles(4));
    Access back = read(0x108, 16);
    EXPECT_EQ(bench.send(back), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back.data[0], 11);
    EXPECT_EQ(back.data[8], 12);
    Access counts = read(2, 24);  // the same address again and again
    EXPECT_EQ(bench.hosts[0]->send(counts, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(counts.data[0], 5);
    EXPECT_EQ(counts.data[8], 6);
    EXPECT_EQ(counts.data[16], 7);
    Access enabled = write_of(1, 77);
    enabled.enables = {TLM_BYTE_ENABLED, TLM_BYTE_ENABLED};
    EXPECT_EQ(bench.send(enabled), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.npu.engine().elements(0).get(0), 77);
  });
}

TEST(CommandAccelerator, OtherTransactionsAreRefused) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    const auto status = [&](Access access, unsigned int width) { return bench.hosts[0]->send(access, width); };
    EXPECT_EQ(status(write(1, std::vector<uint8_t>(4)), 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(write(1, std::vector<uint8_t>(12)), 12), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(write(1, std::vector<uint8_t>(16)), 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(write(1, std::vector<uint8_t>(16)), 0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(write(1, {}), 0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(write_of(0x10000, 0), 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(write(0xFFF9, std::vector<uint8_t>(16)), 16), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(write(~uint64_t{0}, std::vector<uint8_t>(16)), 16), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Access partly = write_of(1, 9);
    partly.enables = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    EXPECT_EQ(status(partly, 8), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_FALSE(bench.npu.error());
    EXPECT_EQ(status(write_of(7, 0), 8), tlm::TLM_GENERIC_ERROR_RESPONSE);
    ASSERT_TRUE(bench.npu.error());
    EXPECT_EQ(bench.npu.error()->code, "BEH0030");
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    Access rows = write(0x130, std::vector<uint8_t>(16));  // the second beat is past the array, and stops the machine
    EXPECT_EQ(bench.send(rows), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.npu.error()->code, "BEH0032");
  });
}

TEST(CommandAccelerator, AStoppedMachineRefusesAllCommands) {
  for (const auto& [access, code] :
       {std::pair{read(0x100, 8), "BEH0033"}, {write_of(0x138, 1), "BEH0032"}, {write_of(0x40, 1), ""}}) {
    Bench bench(behaviour_of(kText));
    bench.run([&, first = access, told = std::string(code)]() mutable {
      const bool stops = !told.empty();
      EXPECT_EQ(bench.send(first) == tlm::TLM_OK_RESPONSE, !stops) << told;
      Access next = write_of(1, 1);
      EXPECT_EQ(bench.send(next) == tlm::TLM_OK_RESPONSE, !stops) << told;
      if (stops) {
        EXPECT_EQ(bench.npu.error()->code, told);
      }
    });
  }
}

TEST(CommandAccelerator, ACommandThatWaitsForEverIsTold) {
  std::string text = kText;
  text.replace(text.find("process p { let s"), 11, "process p { wait x == 9; ");
  Bench bench(behaviour_of(text));
  bench.run([&] {
    Access stuck = write_of(0x40, 0);
    EXPECT_EQ(bench.send(stuck), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.npu.error()->code, "BEH0036");
    Access next = write_of(1, 9);
    EXPECT_EQ(bench.send(next), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.npu.error()->code, "BEH0036");
  });
}

TEST(CommandAccelerator, CommandsOfSeveralInitiatorsAreTakenInTheirOrder) {
  Bench bench(behaviour_of(kText), {.initiators = 3});
  std::map<size_t, uint64_t> ends;
  for (size_t host = 0; host < 3; ++host) {
    bench.thread([&, host] {
      sc_core::wait(sc_core::sc_time::from_value(3 - host));  // the last one comes first
      Access slow = write(0x12 + host, std::vector<uint8_t>(16));
      EXPECT_EQ(bench.hosts[host]->send(slow, 8), tlm::TLM_OK_RESPONSE);
      ends[host] = sc_core::sc_time_stamp().value() / bench.npu.period().value();
    });
  }
  sc_core::sc_start();
  EXPECT_EQ(ends[2], 1U + 2 * 4);
  EXPECT_EQ(ends[1], ends[2] + 2 * 3);
  EXPECT_EQ(ends[0], ends[1] + 2 * 2);
}

TEST(CommandAccelerator, AResetDropsWhatIsUnderWay) {
  Bench bench(behaviour_of(kText), {.initiators = 2});
  bench.thread([&] {
    Access set = write_of(1, 99), slow = write_of(0x1F, 0), start = write_of(0x20, 0);
    EXPECT_EQ(bench.send(set), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.send(start), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.send(slow), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(41));
    EXPECT_EQ(bench.npu.error()->code, "BEH0038");
    EXPECT_EQ(bench.npu.engine().elements(0).get(0), 5);
    sc_core::wait(ns(1));
    EXPECT_FALSE(bench.line.read());
    EXPECT_EQ(bench.send(set), tlm::TLM_GENERIC_ERROR_RESPONSE);
    sc_core::wait(ns(50) - sc_core::sc_time_stamp());
    bench.reset_n.write(true);
    sc_core::wait(ns(1));
    Access get = read(2, 8);
    EXPECT_EQ(bench.send(get), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(get.data[0], 5);
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(56));
    EXPECT_FALSE(bench.line.read());
  });
  bench.thread([&] {  // waits for its turn when the reset comes
    sc_core::wait(ns(13));
    Access set = write_of(1, 3);
    EXPECT_EQ(bench.send(set, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(41));
  });
  bench.thread([&] {
    sc_core::wait(ns(41));
    bench.reset_n.write(false);
  });
  sc_core::sc_start();
}

TEST(CommandAccelerator, AResetEndsAFault) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access bad = write_of(0x138, 0), set = write_of(1, 9);
    EXPECT_EQ(bench.send(bad), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bench.send(set), tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.reset_n.write(false);
    sc_core::wait(ns(1));
    bench.reset_n.write(true);
    sc_core::wait(ns(1));
    EXPECT_FALSE(bench.npu.error());
    EXPECT_EQ(bench.send(set), tlm::TLM_OK_RESPONSE);
  });
}

TEST(CommandAccelerator, ThereIsNoDirectAccess) {
  Bench bench(behaviour_of(kText));
  bench.run([&] {
    Access get = read(2, 8);
    tlm::tlm_generic_payload payload;
    set_up(payload, get);
    tlm::tlm_dmi direct;
    EXPECT_FALSE(bench.hosts[0]->out->get_direct_mem_ptr(payload, direct));
    EXPECT_EQ(bench.hosts[0]->out->transport_dbg(payload), 0U);
    payload.set_dmi_allowed(true);
    sc_core::sc_time delay;
    bench.hosts[0]->out->b_transport(payload, delay);
    EXPECT_FALSE(payload.is_dmi_allowed());
    EXPECT_EQ(get.data[0], 5);  // the debug access has not read
  });
}

TEST(CommandAccelerator, NonBlockingInitiatorsAreAnswered) {
  const sim::sc::Kernel kernel;
  CommandAccelerator npu("npu", behaviour_of(kText));
  ApproximatelyTimed host("host");
  sc_core::sc_signal<bool> line;
  npu.interrupt(line);
  host.out.bind(npu.socket("bus"));
  host.accesses = {write_of(1, 42), read(2, 8), read(2, 8)};
  sc_core::sc_start();
  EXPECT_EQ(host.accesses[1].data[0], 42);
  EXPECT_EQ(host.accesses[2].data[0], 43);
  EXPECT_EQ(host.accesses[2].status, tlm::TLM_OK_RESPONSE);
}

TEST(CommandAccelerator, PortsThatThereAreNot) {
  Bench bench(behaviour_of(kText));
  for (const auto& [port, initiator] : {std::pair{"bas", 0U}, {"bus", 1U}}) {
    try {
      bench.npu.socket(port, initiator);
      ADD_FAILURE() << port;
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), "covenant/BEH0031");
    }
  }
}

}  // namespace
}  // namespace covenant::sc::testing
