/// Off-chip memory that answers after a fixed number of cycles, whatever the address and the other requests.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "offchip/clock.h"
#include "offchip/model.h"

namespace covenant::offchip {

/// Properties of one port of a memory with fixed latency.
struct FixedPort {
  uint64_t latency_cycles = 0;
  uint32_t beat_bytes = 1;
};

/// The first beat of a read is answered after the port's latency, a write of n beats n - 1 cycles later than that.
class FixedLatency : public Model {
 public:
  FixedLatency(Clock clock, std::vector<FixedPort> ports);

  void request(const Burst& burst) override;
  void advance(uint64_t time, std::vector<Answer>& answers) override;
  uint64_t next() const override;
  const Statistics& statistics() const override { return statistics_; }

 private:
  struct Waiting {
    uint64_t answer = 0;  ///< never before that of the port's burst before
    uint32_t bytes = 0;
  };

  Clock clock_;
  std::vector<FixedPort> ports_;
  std::vector<std::deque<Waiting>> waiting_;  ///< by port
  Statistics statistics_;
};

}  // namespace covenant::offchip
