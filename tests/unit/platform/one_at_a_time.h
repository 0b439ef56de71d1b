/// A model of memory that is simple enough to be computed by hand.
#pragma once

#include <deque>
#include <vector>

#include "offchip/model.h"

namespace covenant::sc::testing {

/// Serves one burst after the other, each for the same number of picoseconds; bursts of one time in the order of ports.
class OneAtATime : public offchip::Model {
 public:
  OneAtATime(uint64_t service, size_t ports) : service_(service) { statistics_.ports.resize(ports); }

  void request(const offchip::Burst& burst) override {
    auto place = waiting_.end();
    while (place != waiting_.begin() && std::prev(place)->time == burst.time && std::prev(place)->port > burst.port) {
      --place;
    }
    waiting_.insert(place, burst);
    ++statistics_.ports.at(burst.port).bursts;
    statistics_.ports.at(burst.port).bytes += burst.bytes;
  }

  void advance(uint64_t time, std::vector<offchip::Answer>& answers) override {
    while (!waiting_.empty() && begin() + service_ <= time) {
      free_at_ = begin() + service_;
      answers.push_back({waiting_.front().port, free_at_});
      waiting_.pop_front();
    }
  }

  uint64_t next() const override { return waiting_.empty() ? UINT64_MAX : begin() + service_; }
  const offchip::Statistics& statistics() const override { return statistics_; }

 private:
  uint64_t begin() const { return std::max(free_at_, waiting_.front().time); }

  uint64_t service_;
  uint64_t free_at_ = 0;
  std::deque<offchip::Burst> waiting_;
  offchip::Statistics statistics_;
};

}  // namespace covenant::sc::testing
