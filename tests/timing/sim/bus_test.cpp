/// Transfers that share a bus: which one moves in which cycle, as stated in docs/reference/units/dma.md.
#include <gtest/gtest.h>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// GeneSys 4x4 with beats of 8 bytes; the edges named share one bus.
acg::Machine sharing(const std::vector<std::string>& edges) {
  acg::Machine machine = machine_with({{"M", "4"}, {"N", "4"}, {"axi", "64"}});
  const std::vector<acg::Engine> engines = acg::engines(machine);
  for (const std::string& name : edges) {
    const acg::Engine& engine = engines[acg::find_engine(engines, name).value()];
    machine.edges[engine.edge.value()].bus = "main";
  }
  return machine;
}

acg::RetireRecord transfer_of(const Ran& ran, const Assembly& a, std::string_view engine, size_t which = 0) {
  const acg::Codec codec(a.machine());
  for (const auto& record : ran.of(a.engine(engine))) {
    const Operation operation = codec.decode(record.word)->instruction.operation;
    if ((operation == Operation::kLoad || operation == Operation::kStore) && which-- == 0) return record;
  }
  throw std::runtime_error("no such transfer");
}

/// Two loads that ask in the same cycle: 40 beats into IBUF, 20 into BBUF.
Assembly two_loads(acg::Machine machine) {
  Assembly a(std::move(machine));
  a.group("DRAM->IBUF").wait("IBUF", kFree).load(0, 0, 320).post("IBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(0, 0, 160).post("BBUF", kFull);
  a.group("SA").wait("BBUF", kFull).post("BBUF", kFree).wait("IBUF", kFull).post("IBUF", kFree).end_block(true);
  return a;
}

TEST(BusTiming, BurstsOf16BeatsTakeTurns) {
  Assembly a = two_loads(sharing({"DRAM->IBUF", "DRAM->BBUF"}));
  const Ran ran = run(a);
  const auto input = transfer_of(ran, a, "DRAM->IBUF");
  const auto bias = transfer_of(ran, a, "DRAM->BBUF");
  const uint64_t c = input.issue;
  ASSERT_EQ(bias.issue, c);
  // IBUF c..c+15, BBUF c+16..c+31, IBUF c+32..c+47, BBUF c+48..c+51, IBUF c+52..c+59.
  EXPECT_EQ(input.first_port, c);
  EXPECT_EQ(input.last_port, c + 59);
  EXPECT_EQ(input.stall, 20U);
  EXPECT_EQ(input.retire, c + 59 + 42);
  EXPECT_EQ(bias.first_port, c + 16);
  EXPECT_EQ(bias.last_port, c + 51);
  EXPECT_EQ(bias.stall, 32U);
  EXPECT_EQ(bias.retire, c + 51 + 42);
  // Tight: the array's wait issues in the cycle in which the token of the post after the load is visible.
  const auto array = ran.of(a.engine("SA"));
  EXPECT_EQ(array[0].issue, bias.last_port + 1 + 42);
  EXPECT_EQ(array[2].issue, input.last_port + 1 + 42);
  for (const EngineStatistics& engine : ran.result.statistics.engines) {
    if (engine.engine == "DRAM->IBUF") {
      EXPECT_EQ(engine.stalls.at("bus"), 20U);
    }
    if (engine.engine == "DRAM->BBUF") {
      EXPECT_EQ(engine.stalls.at("bus"), 32U);
    }
  }
}

TEST(BusTiming, EachEdgeHasItsOwnBurst) {
  acg::Machine machine = sharing({"DRAM->IBUF", "DRAM->BBUF"});
  const std::vector<acg::Engine> engines = acg::engines(machine);
  const auto edge_of = [&](std::string_view name) -> acg::Edge& {
    return machine.edges[engines[acg::find_engine(engines, name).value()].edge.value()];
  };
  edge_of("DRAM->IBUF").burst = 30;
  edge_of("DRAM->BBUF").burst = 5;
  Assembly a = two_loads(machine);
  const Ran ran = run(a);
  const auto input = transfer_of(ran, a, "DRAM->IBUF");
  const auto bias = transfer_of(ran, a, "DRAM->BBUF");
  const uint64_t c = input.issue;
  ASSERT_EQ(bias.issue, c);
  // IBUF c..c+29, BBUF c+30..c+34, IBUF c+35..c+44, BBUF c+45..c+59.
  EXPECT_EQ(input.first_port, c);
  EXPECT_EQ(input.last_port, c + 44);
  EXPECT_EQ(input.stall, 5U);
  EXPECT_EQ(bias.first_port, c + 30);
  EXPECT_EQ(bias.last_port, c + 59);
  EXPECT_EQ(bias.stall, 40U);
  // Without other requests, the length of bursts changes nothing.
  machine = sharing({"DRAM->IBUF"});
  Assembly plain = two_loads(machine);
  edge_of("DRAM->IBUF").burst = 1;
  Assembly single = two_loads(machine);
  EXPECT_EQ(run(single).result.records, run(plain).result.records);
}

TEST(BusTiming, ABusOfOnesOwnCostsNothing) {
  Assembly shared = two_loads(sharing({"DRAM->IBUF"}));
  Assembly own = two_loads(sharing({}));
  EXPECT_EQ(run(shared).result.records, run(own).result.records);
}

TEST(BusTiming, WhoComesLaterWaitsForTheBurstAndIsNext) {
  Assembly a(sharing({"DRAM->IBUF", "DRAM->WBUF", "DRAM->BBUF"}));
  a.group("DRAM->WBUF").wait("WBUF", kFree).load(0, 0, 80 * 8).post("WBUF", kFull);
  // Three words more: it asks three cycles later, when the bus is taken.
  a.group("DRAM->IBUF").wait("IBUF", kFree).base(kRow, 0).base(kRow, 0).base(kRow, 0).load(0, 0, 8).load(0, 0, 8);
  a.post("IBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(0, 0, 17 * 8).post("BBUF", kFull);
  a.group("SA").wait("BBUF", kFull).post("BBUF", kFree).wait("IBUF", kFull).post("IBUF", kFree);
  a.wait("WBUF", kFull).post("WBUF", kFree).end_block(true);
  const Ran ran = run(a);
  const uint64_t c = transfer_of(ran, a, "DRAM->WBUF").issue;
  // WBUF and BBUF ask in c, the former is first; IBUF asks in c + 3. WBUF c..c+15, BBUF c+16..c+31, IBUF c+32, which
  // asks again in c+35 (two words later), WBUF c+33..c+48, BBUF c+49 (its 17th), IBUF c+50, WBUF from c+51 on.
  EXPECT_EQ(transfer_of(ran, a, "DRAM->BBUF").first_port, c + 16);
  const auto first = transfer_of(ran, a, "DRAM->IBUF");
  EXPECT_EQ(first.issue, c + 3);
  EXPECT_EQ(first.first_port, c + 32);
  EXPECT_EQ(first.last_port, c + 32);
  EXPECT_EQ(first.stall, 29U);
  EXPECT_EQ(transfer_of(ran, a, "DRAM->BBUF").last_port, c + 49);
  const auto second = transfer_of(ran, a, "DRAM->IBUF", 1);
  EXPECT_EQ(second.issue, c + 35);
  EXPECT_EQ(second.first_port, c + 50);
  EXPECT_EQ(transfer_of(ran, a, "DRAM->WBUF").last_port, c + 98);  // 48 beats from c+51 on
}

TEST(BusTiming, EachBlockStartsTheRoundAnew) {
  Assembly a = two_loads(sharing({"DRAM->IBUF", "DRAM->BBUF"}));
  Assembly twice(a.machine());
  for (const bool last : {false, true}) {
    twice.group("DRAM->IBUF").wait("IBUF", kFree).load(0, 0, 8).post("IBUF", kFull);
    twice.group("DRAM->BBUF").wait("BBUF", kFree).load(0, 0, 8).post("BBUF", kFull);
    twice.group("SA").wait("BBUF", kFull).post("BBUF", kFree).wait("IBUF", kFull).post("IBUF", kFree).end_block(last);
  }
  const Ran ran = run(twice);
  for (const size_t block : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(transfer_of(ran, twice, "DRAM->IBUF", block).stall, 0U);
    EXPECT_EQ(transfer_of(ran, twice, "DRAM->BBUF", block).stall, 1U);
  }
}

TEST(BusTiming, TokensGivenAheadAreStillCounted) {
  // The producer posts three times; only two buffers are there, and the consumer is slow: it waits for a load on the
  // bus.
  Assembly a(sharing({"DRAM->IBUF", "DRAM->BBUF"}));
  a.group("DRAM->IBUF").post("IBUF", kFull).post("IBUF", kFull).post("IBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(0, 0, 8 * 200).post("BBUF", kFull);
  a.group("SA").wait("BBUF", kFull).post("BBUF", kFree);
  for (int k = 0; k < 3; ++k) a.wait("IBUF", kFull);
  a.end_block(true);
  EXPECT_EQ(failure(a).code, "SIM0015");
}

}  // namespace
}  // namespace covenant::sim
