#include "platform/router.h"

#include <deque>
#include <gtest/gtest.h>

#include "platform/latency_extension.h"
#include "platform/memory.h"
#include "platform/port_extension.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"
#include "tests/unit/platform/one_at_a_time.h"
#include "tests/unit/platform/protocol_checker.h"

namespace covenant::sc::testing {
namespace {

AddressMap map_of(std::vector<Region> regions) {
  Result<AddressMap> map = AddressMap::of(std::move(regions));
  check(static_cast<bool>(map), "the map of a test is right");
  return *map;
}

std::string refusal(std::vector<Region> regions) {
  const Result<AddressMap> map = AddressMap::of(std::move(regions));
  EXPECT_FALSE(map);
  return map ? "" : map.error().code;
}

TEST(AddressMap, FindsWhatLiesAtAnAddress) {
  const AddressMap map = map_of({{"high", 0x1000, 16}, {"low", 0, 8}, {"top", UINT64_MAX - 3, 4}});
  EXPECT_EQ(map.find(0), 1U);
  EXPECT_EQ(map.find(7), 1U);
  EXPECT_EQ(map.find(8), std::nullopt);
  EXPECT_EQ(map.find(0x100f), 0U);
  EXPECT_EQ(map.find(0x1010), std::nullopt);
  EXPECT_EQ(map.find(UINT64_MAX), 2U);
}

TEST(AddressMap, ShowsTheTargetsAddressesOfARegion) {
  const Region region{.name = "window", .base = 0x100, .bytes = 16, .target_base = 32};
  using Range = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(region.seen(0, 31), std::nullopt);
  EXPECT_EQ(region.seen(0, 32), Range(0x100, 0x100));
  EXPECT_EQ(region.seen(40, 41), Range(0x108, 0x109));
  EXPECT_EQ(region.seen(47, 60), Range(0x10f, 0x10f));
  EXPECT_EQ(region.seen(48, 60), std::nullopt);
}

TEST(AddressMap, RefusesWhatMakesNoSense) {
  for (const Region& region : {Region{"", 0, 8}, Region{"none", 0, 0}, Region{"wraps", UINT64_MAX - 2, 4},
                               Region{.name = "beatless", .bytes = 8, .beat_bytes = 0},
                               Region{.name = "beyond", .bytes = 8, .target_base = UINT64_MAX - 6}}) {
    const Result<AddressMap> map = AddressMap::of({region});
    ASSERT_FALSE(map);
    EXPECT_EQ(map.error().code, "SIM0100") << region.name;
    EXPECT_FALSE(map.error().fix.empty());
  }
  EXPECT_EQ(refusal({{"twice", 0, 8}, {"twice", 8, 8}}), "SIM0100");
  const Result<AddressMap> map = AddressMap::of({{"b", 15, 8}, {"a", 0, 16}});
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, "SIM0101");
  EXPECT_EQ(map.error().offending, "a [0x0, 0xf] and b [0xf, 0x16]");
}

TEST(Arbiter, GoesRoundOrByPriorities) {
  Arbiter round(Arbitration::kRoundRobin, {});
  std::vector<uint32_t> order;
  for (int i = 0; i < 4; ++i) order.push_back(round.next({true, false, true}));
  order.push_back(round.next({true, true, true}));
  EXPECT_EQ(order, (std::vector<uint32_t>{0, 2, 0, 2, 0}));
  Arbiter fixed(Arbitration::kPriorities, {7, 1, 7});
  EXPECT_EQ(fixed.next({true, true, true}), 1U);
  EXPECT_EQ(fixed.next({true, false, true}), 0U);
  Arbiter partial(Arbitration::kPriorities, {1});  // the others have their numbers
  EXPECT_EQ(partial.next({true, true}), 0U);
}

/// `Initiators` of a kind, a router with one path of 4 bytes each nanosecond and 5 ns latency, a memory of 40 ns.
template <typename Initiator>
struct OnePath {
  explicit OnePath(size_t count, RouterOptions options = {.latency = ns(5)}) {
    router = std::make_unique<Router>("router", map_of({{"memory", 0x100, 0x1000, 4, ns(1)}}), std::move(options));
    for (size_t i = 0; i < count; ++i) {
      checkers.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
      initiators.push_back(std::make_unique<Initiator>(sc_core::sc_gen_unique_name("initiator")));
      initiators[i]->out.bind(checkers[i]->in);
      checkers[i]->out.bind(router->in);
    }
    router->to("memory").bind(below.in);
    below.out.bind(memory.in);
  }

  Memory memory{"memory", Storage(0x1000), ns(40)};
  ProtocolChecker below{"below"};
  std::unique_ptr<Router> router;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::vector<std::unique_ptr<Initiator>> initiators;
};

TEST(Router, LooselyTimedTransactionsWaitForTheirPath) {
  const sim::sc::Kernel kernel;
  OnePath<LooselyTimed> platform(2);
  for (auto& initiator : platform.initiators) initiator->accesses = {read(0x100, 64), read(0x10fe, 4)};
  sc_core::sc_start();
  EXPECT_EQ(platform.initiators[0]->accesses[0].answered, ns(16 + 5 + 40));
  EXPECT_FALSE(platform.initiators[0]->accesses[0].allows_direct);
  EXPECT_EQ(platform.initiators[1]->accesses[0].answered, ns(16 + 16 + 5 + 40));
  EXPECT_EQ(platform.initiators[1]->accesses[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const RouterStatistics& statistics = platform.router->statistics();
  EXPECT_EQ(statistics.initiators[0].waits, 0U);
  EXPECT_EQ(statistics.initiators[1].waits, 1U);
  EXPECT_EQ(statistics.initiators[1].waited, ns(16));
  EXPECT_EQ(statistics.initiators[1].refused, 1U);
  EXPECT_EQ(statistics.targets[0].busy, ns(32));
  EXPECT_EQ(statistics.targets[0].bytes, 128U);
}

std::vector<std::pair<uint64_t, std::string>> order_of_grants(RouterOptions options) {
  const sim::sc::Kernel kernel;
  options.keeps_slices = true;
  OnePath<ApproximatelyTimed> platform(3, std::move(options));
  for (auto& initiator : platform.initiators) initiator->accesses = {read(0x100, 8), read(0x100, 8)};
  platform.initiators[0]->accesses[1].at = ns(9);
  sc_core::sc_start();
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const offchip::Slice& slice : platform.router->slices()) {
    EXPECT_EQ(slice.duration, 2000U);
    order.emplace_back(slice.start, slice.name);
  }
  return order;
}

TEST(Router, ArbitratesByRoundRobinAndByPriorities) {
  using Order = std::vector<std::pair<uint64_t, std::string>>;
  EXPECT_EQ(order_of_grants({}), (Order{{0, "0"}, {2000, "1"}, {4000, "2"}, {6000, "1"}, {8000, "2"}, {10000, "0"}}));
  EXPECT_EQ(order_of_grants({.arbitration = Arbitration::kPriorities, .priorities = {2, 3, 1}}),
            (Order{{0, "2"}, {2000, "2"}, {4000, "0"}, {6000, "1"}, {8000, "1"}, {10000, "0"}}));
}

TEST(Router, TwoInARowAddTheirTimes) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  Router near("near", map_of({{"far", 0x1000, 0x1000}}), {.latency = ns(3)});
  Router far("far", map_of({{"unused", 0, 8}, {"memory", 0x20, 48}}), {.latency = ns(4)});
  ApproximatelyTimed initiator("initiator");
  Bare bare("bare");
  ProtocolChecker checker("checker");
  ProtocolChecker between("between");
  initiator.out.bind(checker.in);
  checker.out.bind(near.in);
  bare.out.bind(near.in);
  near.to("far").bind(between.in);
  between.out.bind(far.in);
  far.to("memory").bind(memory.in);
  far.to("unused").bind(memory.in);
  initiator.accesses = {write(0x1024, {7}), read(0x1008, 1), read(0x1024, 1, ns(1))};
  sc_core::sc_start();
  EXPECT_EQ(initiator.accesses[0].answered, ns(47));
  EXPECT_EQ(initiator.accesses[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(initiator.accesses[1].answered, ns(3));
  EXPECT_EQ(initiator.accesses[2].answered, ns(48));
  EXPECT_EQ(initiator.accesses[2].data[0], 7);
  EXPECT_EQ(memory.bytes()[4], 7);

  const auto known = ask_latency(bare.out, 0x1024);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->latency, ns(47));
  EXPECT_EQ(known->first, 0x1020U);
  EXPECT_EQ(known->last, 0x104fU);
  EXPECT_FALSE(ask_latency(bare.out, 0x1010));

  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi access;
  payload.set_address(0x1024);
  ASSERT_TRUE(bare.out->get_direct_mem_ptr(payload, access));
  EXPECT_EQ(access.get_start_address(), 0x1020U);
  EXPECT_EQ(access.get_end_address(), 0x104fU);
  EXPECT_EQ(access.get_dmi_ptr(), memory.bytes().data());
  EXPECT_EQ(access.get_read_latency(), ns(47) / 4);
  EXPECT_EQ(access.get_write_latency(), ns(47) / 4);
  EXPECT_EQ(payload.get_address(), 0x1024U);

  Access debug = read(0x104e, 4);
  set_up(payload, debug);
  EXPECT_EQ(bare.out->transport_dbg(payload), 2U);  // up to the end of the region
  EXPECT_EQ(payload.get_data_length(), 4U);
}

TEST(Router, ARegionBeginsAnywhereAtItsTarget) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  Router router("router", map_of({{.name = "window", .base = 0x100, .bytes = 16, .target_base = 32},
                                  {.name = "end", .base = 0x200, .bytes = 16, .target_base = 56}}));
  ApproximatelyTimed initiator("initiator");
  Bare bare("bare");
  initiator.out.bind(router.in);
  bare.out.bind(router.in);
  router.to("window").bind(memory.in);
  router.to("end").bind(memory.in);
  initiator.accesses = {write(0x104, {7}), write(0x208, {8}), write(0x207, {9})};
  sc_core::sc_start();
  EXPECT_EQ(memory.bytes()[36], 7);
  EXPECT_EQ(initiator.accesses[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(memory.bytes()[63], 9);

  const auto known = ask_latency(bare.out, 0x200);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->first, 0x200U);
  EXPECT_EQ(known->last, 0x207U);
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi access;
  payload.set_address(0x104);
  ASSERT_TRUE(bare.out->get_direct_mem_ptr(payload, access));
  EXPECT_EQ(access.get_dmi_ptr(), memory.bytes().data() + 32);
  EXPECT_EQ(access.get_start_address(), 0x100U);
  EXPECT_EQ(access.get_end_address(), 0x10fU);
  Access debug = read(0x204, 8);
  set_up(payload, debug);
  EXPECT_EQ(bare.out->transport_dbg(payload), 4U);
}

TEST(Router, ATransactionMayEndWithItsRegion) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  Router router("router", map_of({{"memory", 0x100, 16}}));
  Bare bare("bare");
  bare.out.bind(router.in);
  router.to("memory").bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Access access = read(0x10c, 4);
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_OK_RESPONSE);
  access.address = 0x10d;
  EXPECT_EQ(bare.send(access, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  access.address = 0x10e;
  EXPECT_EQ(bare.send(access, 2), tlm::TLM_BURST_ERROR_RESPONSE) << "within its region; the memory does not stream";
}

TEST(Router, APortThatIsNamedStays) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(64), ns(40));
  Router router("router", map_of({{"memory", 0x100, 16}}));
  Bare bare("bare");
  bare.out.bind(router.in);
  router.to("memory").bind(memory.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Access access = read(0x104, 4);
  tlm::tlm_generic_payload payload;
  set_up(payload, access);
  PortExtension port(2);
  payload.set_extension(&port);
  sc_core::sc_time delay;
  bare.out->b_transport(payload, delay);
  EXPECT_EQ(payload.get_extension<PortExtension>(), &port);
  payload.clear_extension(&port);
  ASSERT_EQ(memory.statistics().ports.size(), 3U);
  EXPECT_EQ(memory.statistics().ports[2].bursts, 1U);
}

TEST(Router, ALimitedPathHasNoFixedLatencyAndNoDirectAccess) {
  const sim::sc::Kernel kernel;
  OnePath<Bare> platform(1);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_FALSE(ask_latency(platform.initiators[0]->out, 0x100));
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi access;
  payload.set_address(0x200);
  EXPECT_FALSE(platform.initiators[0]->out->get_direct_mem_ptr(payload, access));
  EXPECT_EQ(access.get_start_address(), 0x100U);
  EXPECT_EQ(access.get_end_address(), 0x10ffU);
}

/// A target that takes the liberties of the base protocol: late ends of requests, none, early responses.
class Liberal : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Liberal> in;

  SC_HAS_PROCESS(Liberal);
  explicit Liberal(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_nb_transport_fw(this, &Liberal::nb_transport);
    SC_THREAD(run);
  }

  void invalidate(uint64_t first, uint64_t last) { in[0]->invalidate_direct_mem_ptr(first, last); }

 private:
  tlm::tlm_sync_enum nb_transport(int /*id*/, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    switch (payload.get_address()) {
      case 0:
        delay += ns(2);
        return tlm::TLM_COMPLETED;
      case 1:
        delay += ns(3);
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      default:
        waiting_.push_back(&payload);
        begun_.notify();
        return tlm::TLM_ACCEPTED;
    }
  }

  void run() {
    for (;;) {
      while (waiting_.empty()) wait(begun_);
      tlm::tlm_generic_payload& payload = *waiting_.front();
      waiting_.pop_front();
      if (payload.get_address() == 2) send(payload, tlm::END_REQ, 4);
      send(payload, tlm::BEGIN_RESP, 6);
    }
  }

  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, double after) {
    wait(ns(after));
    sc_core::sc_time delay;
    in[0]->nb_transport_bw(payload, phase, delay);
  }

  sc_core::sc_event begun_;
  std::deque<tlm::tlm_generic_payload*> waiting_;
};

TEST(Router, GetsOnWithEveryWayOfATarget) {
  const sim::sc::Kernel kernel;
  Router router("router", map_of({{"target", 0, 16}}));
  Liberal target("target");
  ProtocolChecker above("above");
  ProtocolChecker below("below");
  ApproximatelyTimed initiator("initiator");
  initiator.out.bind(above.in);
  above.out.bind(router.in);
  router.to("target").bind(below.in);
  below.out.bind(target.in);
  initiator.accesses = {read(0, 1), read(1, 1, ns(10)), read(2, 1, ns(20)), read(3, 1, ns(20)), read(0, 1, ns(21))};
  sc_core::sc_start();
  EXPECT_EQ(initiator.accesses[0].answered, ns(2));
  EXPECT_EQ(initiator.accesses[1].answered, ns(13));
  EXPECT_EQ(initiator.accesses[2].answered, ns(30));
  EXPECT_EQ(initiator.accesses[3].answered, ns(36));  // begun at 24, but the target is busy until 30
  EXPECT_EQ(initiator.accesses[4].answered, ns(38));
  EXPECT_EQ(below.completed(), 5U);
  EXPECT_EQ(above.completed(), 5U);
  EXPECT_EQ(initiator.under_way(), 0U);
}

TEST(Router, PassesOnThatDirectAccessHasEnded) {
  const sim::sc::Kernel kernel;
  Router router("router", map_of({{"target", 0x100, 16}}));
  Liberal target("target");
  Bare first("first");
  Bare second("second");
  first.out.bind(router.in);
  second.out.bind(router.in);
  router.to("target").bind(target.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  target.invalidate(4, UINT64_MAX);
  target.invalidate(16, 20);  // nothing that the region shows
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(first.invalidated, (Ranges{{0x104, 0x10f}}));
  EXPECT_EQ(second.invalidated, first.invalidated);
}

TEST(Router, MayBeStoppedWithTransactionsUnderWay) {
  const sim::sc::Kernel kernel;
  OnePath<ApproximatelyTimed> platform(2);
  for (auto& initiator : platform.initiators) initiator->accesses = {read(0x100, 64), read(0x100, 64)};
  sc_core::sc_start(ns(20));
  EXPECT_EQ(platform.initiators[0]->under_way(), 2U);
}

}  // namespace
}  // namespace covenant::sc::testing
