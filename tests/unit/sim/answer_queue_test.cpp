/// When entries take effect, against the formulas of docs/reference/off-chip-port.md, entry by entry.
#include "sim/stream/answer_queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace covenant::sim {
namespace {

/// One entry, as the page has it.
struct Entry {
  uint64_t issue = 0;
  bool waits = false;
  bool is_noted = false;
};

class ByFormula {
 public:
  explicit ByFormula(uint64_t latency) : latency_(latency), places_(AnswerQueue::places(latency)) {}

  /// The earliest cycle in which the next entry may issue; nothing: its place depends on an answer.
  std::optional<uint64_t> issue(uint64_t wanted) const {
    if (entries_.size() < places_) return wanted;
    const size_t before = entries_.size() - places_;
    if (before >= visible_.size()) return std::nullopt;
    return std::max(wanted, visible_[before]);
  }
  void add(const Entry& entry) {
    entries_.push_back(entry);
    settle();
  }
  void answered(uint64_t cycle) {
    answers_.push_back(cycle);
    settle();
  }
  std::vector<uint64_t> noted() const {
    std::vector<uint64_t> noted;
    for (size_t k = 0; k < visible_.size(); ++k) {
      if (entries_[k].is_noted) noted.push_back(visible_[k]);
    }
    return noted;
  }
  uint64_t waiting() const {
    uint64_t waiting = 0;
    for (size_t k = 0; k < entries_.size(); ++k) waiting += entries_[k].waits ? 1U : 0U;
    return waiting - taken_;
  }

 private:
  void settle() {
    while (visible_.size() < entries_.size()) {
      const Entry& entry = entries_[visible_.size()];
      if (entry.waits && taken_ == answers_.size()) return;
      const uint64_t answer = entry.waits ? answers_[taken_++] + 1 : 0;
      const uint64_t before = visible_.empty() ? 0 : visible_.back() + 1;
      visible_.push_back(std::max({before, entry.issue + latency_ + 2, answer}));
    }
  }
  uint64_t latency_;
  size_t places_;
  std::vector<Entry> entries_;
  std::vector<uint64_t> visible_;
  std::vector<uint64_t> answers_;
  size_t taken_ = 0;
};

TEST(AnswerQueue, FollowsTheFormulas) {
  const uint64_t seed = test::seed();
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    const uint64_t latency = random() % 4 == 0 ? random() % 300 : random() % 40;
    AnswerQueue queue(latency);
    ByFormula expected(latency);
    std::vector<uint64_t> noted;
    uint64_t next = 0, answer = 0;
    const auto take = [&] {
      while (const auto cycle = queue.take_effect()) noted.push_back(*cycle);
      ASSERT_EQ(noted, expected.noted()) << "round " << round;
    };
    for (int step = 0; step < 200; ++step) {
      if (expected.waiting() > 0 && random() % 3 == 0) {
        answer = std::max(answer, next) + random() % (2 * latency + 90);
        queue.answered(answer);
        expected.answered(answer);
        take();
        continue;
      }
      if (random() % 4 == 0) next += random() % 30;
      const uint64_t wanted = 1 + random() % 16;
      const AnswerQueue::Room room = queue.room(next, wanted);
      const auto first = expected.issue(next);
      ASSERT_EQ(room.count > 0, first.has_value()) << "round " << round;
      if (!first) {
        if (expected.waiting() == 0) break;
        continue;
      }
      ASSERT_EQ(room.cycle, *first) << "round " << round;
      const auto waits = static_cast<AnswerQueue::Waits>(random() % 3);
      const bool is_noted = random() % 2 == 0;
      for (uint64_t k = 0; k < room.count; ++k) {
        const auto issue = expected.issue(*first + k);
        ASSERT_EQ(issue, *first + k) << "round " << round << ": a gap";
        const bool is_first = k == 0, is_last = k + 1 == room.count;
        expected.add(
            {*issue,
             (waits == AnswerQueue::Waits::kFirst && is_first) || (waits == AnswerQueue::Waits::kLast && is_last),
             is_noted && is_last});
      }
      // It stops at the first gap, or where an answer decides.
      if (room.count < wanted) {
        EXPECT_NE(expected.issue(*first + room.count), *first + room.count);
      }
      queue.push({*first, room.count, waits, is_noted});
      next = *first + room.count;
      take();
    }
  }
}

TEST(AnswerQueue, WithAnswersInTimeNothingWaits) {
  AnswerQueue queue(40);
  queue.push({100, 16, AnswerQueue::Waits::kFirst, true});
  EXPECT_FALSE(queue.take_effect());
  queue.answered(141);
  EXPECT_EQ(queue.take_effect(), 115U + 42U);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(AnswerQueue::places(0), 64U);
  EXPECT_EQ(AnswerQueue::places(30), 64U);
  EXPECT_EQ(AnswerQueue::places(31), 128U);
}

}  // namespace
}  // namespace covenant::sim
