/// Instruction fetch against its formulas, beat by beat (docs/reference/off-chip-port.md, "Instruction fetch").
#include "sim/stream/fetch_stream.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <random>

#include "sim/stream/answer_queue.h"
#include "tests/support/seed.h"

namespace covenant::sim {
namespace {

/// Steps every cycle of the fetch unit and of a memory that answers when it likes, in order.
TEST(FetchStream, FollowsTheFormulas) {
  const uint64_t seed = test::seed();
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const uint64_t latency = random() % 60;
    const uint64_t places = AnswerQueue::places(latency);
    FetchStream stream(latency);
    std::vector<uint64_t> issue, arrive;  // cycles of every beat since the start
    std::deque<uint64_t> answers;         // to come, by cycle
    uint64_t cycle = 0, last_answer = 0;
    size_t end = 0;          // beats up to the end of the block
    const auto pass = [&] {  // answers of this cycle
      while (!answers.empty() && answers.front() == cycle) {
        const size_t k = arrive.size();
        stream.answered(cycle, k + 1 == end);
        arrive.push_back(std::max({k == 0 ? 0 : arrive[k - 1] + 1, issue[k] + latency, cycle}));
        answers.pop_front();
      }
    };
    for (int block = 0; block < 4; ++block) {
      const uint64_t beats = 1 + random() % 150;
      const size_t first = issue.size();
      end = first + beats;
      stream.begin(cycle);
      while (true) {
        pass();
        const bool has_come = arrive.size() >= first + beats;
        const bool stops = has_come && cycle > arrive[first + beats - 1];
        ASSERT_EQ(stream.has_come(), has_come) << "round " << round;
        if (stops) break;
        const size_t k = issue.size();
        const bool fits = k < places || (k - places < arrive.size() && arrive[k - places] + 1 <= cycle);
        const auto next = stream.next();
        ASSERT_EQ(next == cycle, fits) << "round " << round << " cycle " << cycle;
        if (fits) {
          stream.requested();
          issue.push_back(cycle);
          last_answer = std::max(last_answer, cycle + random() % (latency + 40));
          answers.push_back(std::max(last_answer, cycle));
          pass();  // a memory may answer at once
        }
        ++cycle;
      }
      ASSERT_EQ(stream.arrivals(), std::vector<uint64_t>(arrive.begin() + static_cast<int64_t>(first),
                                                         arrive.begin() + static_cast<int64_t>(first + beats)));
      ASSERT_NE(stream.next(), cycle) << "it asks for nothing any more";
      const uint64_t pause = random() % 30;
      for (uint64_t k = 0; k < 1 + pause; ++k) {
        ++cycle;
        pass();
      }
    }
  }
}

}  // namespace
}  // namespace covenant::sim
