/// Bursts against a walk of every beat (docs/reference/off-chip-port.md, docs/reference/units/dma.md).
#include "sim/stream/burst_walk.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace covenant::sim {
namespace {

/// Every beat by itself: those of one burst have the same number.
struct Beat {
  bool is_inside = false;
  uint64_t number = 0;  ///< number of the beat, inside
  uint64_t burst = 0;
  uint64_t near = 0;
  uint64_t bytes = 0;
  bool operator==(const Beat&) const = default;
};

std::vector<Beat> beat_by_beat(const TileTransfer& t, uint64_t beat_bytes) {
  std::vector<Beat> beats;
  uint64_t burst = 0;
  for (uint32_t p = 0; p < t.counts[0]; ++p) {
    for (uint32_t r = 0; r < t.counts[1]; ++r) {
      for (uint32_t c = 0; c < t.counts[2]; ++c) {
        ++burst;
        const bool is_inside = t.rows.holds(r) && t.columns.holds(c);
        const auto near = static_cast<uint64_t>(static_cast<int64_t>(t.near) + p * t.near_strides[0] +
                                                r * t.near_strides[1] + c * t.near_strides[2]);
        uint64_t done = 0;
        while (done < t.run_bytes) {
          const uint64_t address = is_inside ? t.address(p, r, c) + done : 0;
          const uint64_t room = is_inside ? beat_bytes - address % beat_bytes : beat_bytes;
          const uint64_t bytes = std::min(room, t.run_bytes - done);
          const uint64_t number = is_inside ? address / beat_bytes : 0;
          if (is_inside && done > 0 && number % 16 == 0) ++burst;
          beats.push_back({is_inside, number, burst, near + done, bytes});
          done += bytes;
        }
      }
    }
  }
  return beats;
}

TEST(BurstWalk, VisitsEveryBeat) {
  const uint64_t seed = test::seed();
  SCOPED_TRACE(::testing::Message() << "COVENANT_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t end) { return static_cast<uint32_t>(random() % end); };
  for (int round = 0; round < 2000; ++round) {
    const uint64_t beat_bytes = 1 + random() % 70;
    TileTransfer t;
    t.fill[0] = static_cast<uint8_t>(random());
    t.counts = {1 + below(3), 1 + below(4), 1 + below(4)};
    t.far = 100'000 + below(5000);
    for (int k = 0; k < 3; ++k) {
      t.far_strides[k] = static_cast<int32_t>(below(4000)) - 2000;
      t.near_strides[k] = below(3000);
    }
    t.near = below(1000);
    t.run_bytes = 1 + random() % 1500;
    t.rows = {below(2), t.counts[1]};
    t.columns = {below(2), 1 + below(t.counts[2])};
    const std::vector<Beat> expected = beat_by_beat(t, beat_bytes);
    BurstWalk walk(t, beat_bytes);
    size_t at = 0;
    while (!walk.at_end()) {
      const Burst burst = walk.next();
      ASSERT_GT(burst.beats, 0U);
      ASSERT_LE(at + burst.beats, expected.size()) << "round " << round;
      uint64_t bytes = 0;
      for (uint64_t k = 0; k < burst.beats; ++k) {
        const Beat& beat = expected[at + k];
        ASSERT_EQ(burst.is_inside, beat.is_inside) << "round " << round;
        ASSERT_EQ(beat.burst, expected[at].burst) << "round " << round;
        if (beat.is_inside) {
          ASSERT_EQ(burst.address / beat_bytes + k, beat.number) << "round " << round;
        }
        bytes += beat.bytes;
      }
      ASSERT_EQ(burst.near, expected[at].near);
      ASSERT_EQ(burst.bytes, bytes);
      if (burst.is_inside) {
        ASSERT_EQ(burst.address % beat_bytes, 0U);
      }
      if (!burst.is_inside) {
        ASSERT_EQ(burst.fill, t.fill);
      }
      at += burst.beats;
      if (at < expected.size()) {
        ASSERT_NE(expected[at].burst, expected[at - 1].burst) << "round " << round;
      }
    }
    ASSERT_EQ(at, expected.size());
  }
}

}  // namespace
}  // namespace covenant::sim
