/// A model of off-chip memory that answers at random times and records its requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "offchip/model.h"

namespace covenant::sim::testing {

/// Answers each port in order, each burst a random time after its request: at once, or up to `longest` later.
class DrawnMemory : public offchip::Model {
 public:
  struct Asked {
    offchip::Burst burst;
    uint64_t answered = 0;  ///< time
  };

  /// `ports`: that a module of a platform may use.
  DrawnMemory(uint64_t seed, uint64_t longest_picoseconds, size_t ports = 0)
      : random_(seed), longest_(longest_picoseconds) {
    statistics_.ports.resize(ports);
  }

  void request(const offchip::Burst& burst) override {
    uint64_t& last = last_[burst.port];
    // Now and then a pause, then again a row of quick answers.
    if (random_() % 16 == 0) pace_ = random_() % (longest_ + 1);
    last = std::max(last, burst.time + (pace_ == 0 ? 0 : random_() % (pace_ + 1)));
    asked_[burst.port].push_back({burst, last});
    pending_.push_back({burst.port, last});
    ++statistics_.reads;
  }
  void advance(uint64_t time, std::vector<offchip::Answer>& answers) override {
    const auto later = std::stable_partition(pending_.begin(), pending_.end(),
                                             [&](const offchip::Answer& answer) { return answer.time <= time; });
    std::stable_sort(pending_.begin(), later, [](const offchip::Answer& a, const offchip::Answer& b) {
      return a.time != b.time ? a.time < b.time : a.port < b.port;
    });
    answers.insert(answers.end(), pending_.begin(), later);
    pending_.erase(pending_.begin(), later);
  }
  uint64_t next() const override {
    uint64_t first = UINT64_MAX;
    for (const offchip::Answer& answer : pending_) first = std::min(first, answer.time);
    return first;
  }
  const offchip::Statistics& statistics() const override { return statistics_; }

  /// All bursts of a port, in order.
  const std::vector<Asked>& asked(uint32_t port) { return asked_[port]; }

 private:
  std::mt19937_64 random_;
  uint64_t longest_;
  uint64_t pace_ = 0;
  std::map<uint32_t, uint64_t> last_;
  std::map<uint32_t, std::vector<Asked>> asked_;
  std::vector<offchip::Answer> pending_;
  offchip::Statistics statistics_;
};

}  // namespace covenant::sim::testing
