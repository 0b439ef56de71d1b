/// The calendar of shared buses against an arbiter that looks at every cycle.
#include "sim/units/buses.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

#include "acg/graph/queries.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

struct Work {
  uint64_t gap = 0;  ///< cycles from the end of the transfer before (or from the start) to the request
  uint64_t beats = 0;
};
/// One engine: what it wants to move, in order.
struct Worker {
  uint32_t engine = 0;
  uint32_t bus = 0;
  uint32_t burst = 0;
  std::vector<Work> work;
};
using Transfers = std::vector<std::vector<Buses::Transfer>>;  ///< by worker

/// As dma.md says it, cycle by cycle.
Transfers step_by_step(const std::vector<Worker>& workers, uint32_t buses) {
  struct State {
    size_t at = 0;
    uint64_t asks = 0, left = 0, in_burst = 0;
    bool begun = false;
  };
  std::vector<State> states(workers.size());
  Transfers done(workers.size());
  for (size_t w = 0; w < workers.size(); ++w) {
    if (!workers[w].work.empty()) states[w] = {0, workers[w].work[0].gap, workers[w].work[0].beats, 0, false};
  }
  std::vector<size_t> last(buses);
  std::vector<size_t> holder(buses, workers.size());
  for (uint32_t b = 0; b < buses; ++b)
    last[b] = workers.size() - 1;  // after the last of all comes the first of the bus
  for (uint64_t cycle = 0;; ++cycle) {
    bool open = false;
    for (uint32_t b = 0; b < buses; ++b) {
      if (holder[b] == workers.size()) {
        for (size_t k = 1; k <= workers.size(); ++k) {
          const size_t w = (last[b] + k) % workers.size();
          if (workers[w].bus != b || states[w].left == 0 || states[w].asks > cycle) continue;
          holder[b] = w;
          break;
        }
      }
      if (holder[b] == workers.size()) continue;
      const size_t w = holder[b];
      State& s = states[w];
      if (!s.begun) done[w].push_back({workers[w].engine, cycle, 0});
      s.begun = true;
      last[b] = w;
      --s.left;
      if (++s.in_burst < workers[w].burst && s.left > 0) continue;
      s.in_burst = 0;
      holder[b] = workers.size();
      if (s.left > 0) continue;
      done[w].back().last = cycle;
      s.begun = false;
      if (++s.at < workers[w].work.size()) {
        s.left = workers[w].work[s.at].beats;
        s.asks = cycle + 1 + workers[w].work[s.at].gap;
      }
    }
    for (const State& s : states) open = open || s.left > 0;
    if (!open) return done;
  }
}

Transfers by_calendar(const acg::Machine& machine, const std::vector<Worker>& workers) {
  Buses buses(machine);
  Transfers done(workers.size());
  std::vector<size_t> at(workers.size(), 0);
  const auto ask = [&](size_t w, uint64_t from) {
    if (at[w] == workers[w].work.size()) return;
    const Work& work = workers[w].work[at[w]++];
    buses.request(workers[w].engine, from + work.gap, work.beats);
  };
  for (size_t w = 0; w < workers.size(); ++w) ask(w, 0);
  while (const auto transfer = buses.advance(UINT64_MAX)) {
    const auto found = std::find_if(workers.begin(), workers.end(),
                                    [&](const Worker& worker) { return worker.engine == transfer->engine; });
    const auto w = static_cast<size_t>(found - workers.begin());
    done[w].push_back(*transfer);
    ask(w, transfer->last + 1);
  }
  buses.clear();  // nothing is open
  return done;
}

TEST(Buses, GrantsWhatAnArbiterOfEveryCycleGrants) {
  const char* given = std::getenv("COVENANT_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    acg::Machine machine = small_machine(3, 4);
    const std::vector<acg::Engine> engines = acg::engines(machine);
    std::vector<Worker> workers;
    const auto buses = static_cast<uint32_t>(1 + random() % 3);
    for (uint32_t engine = 0; engine < engines.size(); ++engine) {
      if (!engines[engine].edge || random() % 5 == 0) continue;
      acg::Edge& edge = machine.edges[engines[engine].edge.value()];
      if (random() % 2 == 0) edge.burst = static_cast<uint32_t>(1 + random() % 40);
      Worker worker{engine, static_cast<uint32_t>(random() % buses), edge.burst, {}};
      edge.bus = "b" + std::to_string(worker.bus);
      const size_t count = random() % 6;
      for (size_t k = 0; k < count; ++k)
        worker.work.push_back({random() % 3 == 0 ? random() % 90 : 0, 1 + random() % 70});
      workers.push_back(std::move(worker));
    }
    if (workers.empty()) continue;
    const Transfers expected = step_by_step(workers, buses);
    const Transfers found = by_calendar(machine, workers);
    for (size_t w = 0; w < workers.size(); ++w) {
      ASSERT_EQ(found[w].size(), expected[w].size()) << "round " << round;
      for (size_t k = 0; k < found[w].size(); ++k) {
        ASSERT_EQ(found[w][k].first, expected[w][k].first) << "round " << round << " worker " << w << " transfer " << k;
        ASSERT_EQ(found[w][k].last, expected[w][k].last) << "round " << round << " worker " << w << " transfer " << k;
      }
    }
  }
}

TEST(Buses, NothingIsGrantedPastTheHorizon) {
  acg::Machine machine = small_machine(3, 4);
  const uint32_t engine = acg::find_engine(acg::engines(machine), "DRAM->IBUF").value();
  machine.edges[acg::engines(machine)[engine].edge.value()].bus = "b";
  Buses buses(machine);
  EXPECT_FALSE(buses.empty());
  EXPECT_TRUE(buses.is_shared(engine));
  EXPECT_FALSE(buses.is_shared(engine + 1));
  buses.request(engine, 10, 40);
  EXPECT_FALSE(buses.advance(10));
  EXPECT_FALSE(buses.advance(26));  // one burst, of cycles 10 to 25
  const auto transfer = buses.advance(43);
  ASSERT_TRUE(transfer);
  EXPECT_EQ(transfer->first, 10U);
  EXPECT_EQ(transfer->last, 49U);
}

/// Alone or not, no burst that begins at the horizon is granted before it is known who asks in that cycle.
TEST(Buses, WhoAsksAtTheHorizonTakesPartInItsGrant) {
  acg::Machine machine = small_machine(3, 4);
  const std::vector<acg::Engine> engines = acg::engines(machine);
  const uint32_t first = acg::find_engine(engines, "DRAM->IBUF").value();
  const uint32_t second = acg::find_engine(engines, "DRAM->WBUF").value();
  for (const uint32_t engine : {first, second}) machine.edges[engines[engine].edge.value()].bus = "b";

  Buses burst(machine);
  burst.request(first, 10, 40);
  EXPECT_FALSE(burst.advance(26));  // cycles 10 to 25 are granted, those from 26 on are not
  burst.request(second, 26, 5);
  const auto other = burst.advance(UINT64_MAX);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->engine, second);
  EXPECT_EQ(other->first, 26U);
  EXPECT_EQ(burst.advance(UINT64_MAX)->last, 54U);

  Buses grant(machine);
  grant.request(second, 10, 5);
  EXPECT_FALSE(grant.advance(10));
  grant.request(first, 10, 5);  // its turn comes first
  const auto winner = grant.advance(UINT64_MAX);
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->engine, first);
  EXPECT_EQ(winner->first, 10U);
  EXPECT_EQ(grant.advance(UINT64_MAX)->first, 15U);
}

}  // namespace
}  // namespace covenant::sim
