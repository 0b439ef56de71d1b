/// Timelines: tokens by hand, shared buses against an arbiter that looks at every cycle.
#include "compiler/families/stream/timeline.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace covenant::compiler::stream {
namespace {

TEST(Timeline, AnEngineWaitsUntilATokenIsVisible) {
  Timeline timeline({{.start = 10, .depth = 42}, {.start = 10, .depth = 1}}, 0);
  timeline.add_channel(2);
  timeline.wait(0, 0, TokenKind::kFree);  // 10
  timeline.run(0, 5);                     // 11..15
  timeline.post(0, 0, TokenKind::kFull);  // 16, visible in 58
  timeline.wait(1, 0, TokenKind::kFull);
  EXPECT_EQ(timeline.of(0).retired, 15U + 42U);
  EXPECT_EQ(timeline.of(0).now, 17U);
  EXPECT_EQ(timeline.of(1).stall, 58U - 10U);
  EXPECT_EQ(timeline.of(1).now, 59U);
}

TEST(Timeline, AThirdTileWaitsForTheFirstBuffer) {
  Timeline timeline({{.depth = 3}, {.depth = 2}}, 0);
  timeline.add_channel(2);
  for (int tile = 0; tile < 3; ++tile) {
    timeline.wait(0, 0, TokenKind::kFree);
    timeline.post(0, 0, TokenKind::kFull);
    timeline.wait(1, 0, TokenKind::kFull);
    timeline.run(1, 100);
    timeline.post(1, 0, TokenKind::kFree);
  }
  // Full in 4: waited for in 4, used in 5 to 104, posted in 105, free again in 107; then a wait and a post.
  EXPECT_EQ(timeline.of(0).now, 107 + 2U);
}

struct Work {
  uint64_t gap = 0;  ///< words in front of the transfer
  uint64_t beats = 0;
};
struct Worker {
  size_t bus = 0;
  uint64_t burst = 0;
  std::vector<Work> work;
};

/// dma.md, "Shared buses", cycle by cycle: when each worker is through.
std::vector<uint64_t> step_by_step(const std::vector<Worker>& workers, size_t buses) {
  struct State {
    size_t at = 0;
    uint64_t asks = 0;
    uint64_t left = 0;
  };
  struct Turn {
    size_t last = 0;
    uint64_t burst = 0;  ///< beats left of it
  };
  std::vector<State> states;
  for (const Worker& worker : workers) states.push_back({0, worker.work[0].gap, worker.work[0].beats});
  std::vector<Turn> turns(buses, {workers.size() - 1, 0});
  std::vector<uint64_t> through(workers.size());
  for (uint64_t cycle = 0; std::count(through.begin(), through.end(), 0U) > 0; ++cycle) {
    for (size_t bus = 0; bus < buses; ++bus) {
      Turn& turn = turns[bus];
      for (size_t k = 1; turn.burst == 0 && k <= workers.size(); ++k) {
        const size_t w = (turn.last + k) % workers.size();
        if (workers[w].bus != bus || states[w].left == 0 || states[w].asks > cycle) continue;
        turn = {w, std::min(workers[w].burst, states[w].left)};
        break;
      }
      if (turn.burst == 0) continue;
      --turn.burst;
      State& state = states[turn.last];
      if (--state.left > 0) continue;
      const std::vector<Work>& work = workers[turn.last].work;
      if (++state.at == work.size()) {
        through[turn.last] = cycle + 1;
      } else {
        state.asks = cycle + 1 + work[state.at].gap;
        state.left = work[state.at].beats;
      }
    }
  }
  return through;
}

TEST(Timeline, BusesTakeTurnsAsTheUnitPageSays) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const size_t buses = 1 + random() % 2;
    std::vector<Worker> workers(2 + random() % 4);
    std::vector<TimedEngine> engines;
    for (Worker& worker : workers) {
      worker.bus = random() % buses;
      worker.burst = random() % 2 == 0 ? 16 : 1 + random() % 40;
      engines.push_back({.bus = worker.bus, .burst = worker.burst});
      for (size_t count = 1 + random() % 6; count > 0; --count)
        worker.work.push_back({random() % 60, 1 + random() % 90});
    }
    Timeline timeline(engines, buses);
    std::vector<uint64_t> beats(workers.size());
    std::vector<uint64_t> words(workers.size());
    for (size_t w = 0; w < workers.size(); ++w) {
      for (const Work& work : workers[w].work) {
        for (uint64_t i = 0; i < work.gap; ++i) timeline.word(w);
        timeline.run(w, work.beats);
        beats[w] += work.beats;
        words[w] += work.gap;
      }
    }
    timeline.finish();
    const std::vector<uint64_t> expected = step_by_step(workers, buses);
    for (size_t w = 0; w < workers.size(); ++w) {
      EXPECT_EQ(timeline.of(w).now, expected[w]);
      EXPECT_EQ(timeline.of(w).work, beats[w]);
      EXPECT_EQ(timeline.of(w).stall, expected[w] - beats[w] - words[w]);
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::stream
