/// Grants on shared buses, compared with an arbiter that simulates every cycle.
#include "sim/stream/shared_bus.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "acg/graph/queries.h"
#include "tests/support/seed.h"
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
struct Transfer {
  uint64_t first = 0;  ///< cycle of its first beat
  uint64_t last = 0;   ///< and of its last one
};
using Transfers = std::vector<std::vector<Transfer>>;  ///< by worker

/// The rules of docs/reference/units/dma.md, cycle by cycle.
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
      if (!s.begun) done[w].push_back({cycle, 0});
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

/// One bus, burst by burst, as long as there are requests.
void by_bursts(SharedBus& bus, const std::vector<Worker>& workers, Transfers& done) {
  const size_t members = bus.members().size();
  std::vector<size_t> worker_of(members), at(members, 0);
  std::vector<uint64_t> left(members, 0);
  const auto ask = [&](size_t m, uint64_t from) {
    const std::vector<Work>& work = workers[worker_of[m]].work;
    if (at[m] == work.size()) return;
    left[m] = work[at[m]].beats;
    bus.request(m, from + work[at[m]++].gap, left[m]);
    done[worker_of[m]].push_back({UINT64_MAX, 0});
  };
  for (size_t m = 0; m < members; ++m) {
    const auto found = std::find_if(workers.begin(), workers.end(),
                                    [&](const Worker& worker) { return worker.engine == bus.members()[m].engine; });
    worker_of[m] = static_cast<size_t>(found - workers.begin());
    ask(m, 0);
  }
  while (const auto cycle = bus.next()) {
    const SharedBus::Grant grant = bus.grant(*cycle);
    EXPECT_FALSE(bus.next());  // while the burst goes on
    Transfer& transfer = done[worker_of[grant.member]].back();
    transfer.first = std::min(transfer.first, *cycle);
    transfer.last = *cycle + grant.beats - 1;
    bus.ended(transfer.last + 1);
    left[grant.member] -= grant.beats;
    if (left[grant.member] == 0) ask(grant.member, transfer.last + 1);
  }
  bus.clear();  // nothing is open
}

Transfers by_bursts(const acg::Machine& machine, const std::vector<Worker>& workers) {
  Transfers done(workers.size());
  for (SharedBus& bus : shared_buses(machine)) by_bursts(bus, workers, done);
  return done;
}

TEST(SharedBus, GrantsWhatAnArbiterOfEveryCycleGrants) {
  const uint64_t seed = test::seed();
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
    const Transfers found = by_bursts(machine, workers);
    for (size_t w = 0; w < workers.size(); ++w) {
      ASSERT_EQ(found[w].size(), expected[w].size()) << "round " << round;
      for (size_t k = 0; k < found[w].size(); ++k) {
        ASSERT_EQ(found[w][k].first, expected[w][k].first) << "round " << round << " worker " << w << " transfer " << k;
        ASSERT_EQ(found[w][k].last, expected[w][k].last) << "round " << round << " worker " << w << " transfer " << k;
      }
    }
  }
}

TEST(SharedBus, WhoAsksInTheCycleOfAGrantTakesPartInIt) {
  SharedBus bus("b", {{0, 16}, {1, 16}});
  EXPECT_FALSE(bus.next());
  bus.request(1, 10, 5);
  EXPECT_EQ(bus.next(), 10U);
  bus.request(0, 10, 40);  // its turn comes first
  SharedBus::Grant grant = bus.grant(10);
  EXPECT_EQ(grant.member, 0U);
  EXPECT_EQ(grant.beats, 16U);
  bus.ended(30);  // the memory made it wait
  EXPECT_EQ(bus.next(), 30U);
  grant = bus.grant(30);
  EXPECT_EQ(grant.member, 1U);
  EXPECT_EQ(grant.beats, 5U);
  bus.ended(35);
  EXPECT_EQ(bus.grant(35).member, 0U);
}

}  // namespace
}  // namespace covenant::sim
