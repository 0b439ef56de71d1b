// Random traffic of several initiators, compared with flat memory and with times that are computed on their own.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "platform/memory.h"
#include "platform/router.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"
#include "tests/unit/platform/one_at_a_time.h"
#include "tests/unit/platform/protocol_checker.h"

namespace covenant::sc::testing {
namespace {

constexpr uint64_t kBytes = 1 << 14;
constexpr uint64_t kStripe = 256;  ///< initiators own every n-th stripe of the memory

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint64_t below(uint64_t limit) { return engine_() % limit; }

 private:
  std::mt19937_64 engine_;
};

AddressMap map_of(std::vector<Region> regions) {
  Result<AddressMap> map = AddressMap::of(std::move(regions));
  check(static_cast<bool>(map), "the map of a test is right");
  return *map;
}

/// Accesses of the stripes that are the initiator's own, with what reads must give: `flat` is the memory as the
/// initiator has left it.
struct Program {
  std::vector<Access> accesses;
  std::vector<std::vector<uint8_t>> expected;
};

Program program_of(Random& random, uint64_t initiator, uint64_t initiators, std::vector<uint8_t>& flat) {
  Program program;
  sc_core::sc_time at;
  for (int i = 0; i < 60; ++i) {
    const uint64_t stripe = random.below(kBytes / kStripe / initiators) * initiators + initiator;
    const uint64_t length = 1 + random.below(64);
    const uint64_t address = stripe * kStripe + random.below(kStripe - length);
    at += ns(static_cast<double>(random.below(3) * random.below(40)));
    Access access{.at = at, .writes = random.below(2) == 0, .address = address, .data = std::vector<uint8_t>(length)};
    if (random.below(4) == 0) access.enables = {0xff, 0, 0xff};
    for (uint64_t k = 0; k < length; ++k) {
      const bool is_enabled = access.enables.empty() || access.enables[k % 3] != 0;
      if (access.writes) access.data[k] = static_cast<uint8_t>(random.below(256));
      if (access.writes && is_enabled) flat[address + k] = access.data[k];
    }
    std::vector<uint8_t> expected = access.data;
    for (uint64_t k = 0; k < length && !access.writes; ++k) {
      if (access.enables.empty() || access.enables[k % 3] != 0) expected[k] = flat[address + k];
    }
    program.expected.push_back(std::move(expected));
    program.accesses.push_back(std::move(access));
  }
  return program;
}

/// One half of the memory answers after a fixed time, the other by a model; two routers in a row lead to them.
struct Platform {
  Platform(Random& random, std::vector<uint8_t>& bytes)
      : low("low", Storage(std::span(bytes).first(kBytes / 2)), ns(30)),
        high("high", Storage(std::span(bytes).subspan(kBytes / 2)), std::make_unique<OneAtATime>(7000, 16)),
        near("near", map_of({{"far", 0, kBytes, 16, random.below(2) == 0 ? ns(0) : ns(1)}}), options(random)),
        far("far", map_of({{"low", 0, kBytes / 2, 8, ns(1)}, {"high", kBytes / 2, kBytes / 2, 8, ns(0)}}),
            options(random)),
        between("between") {
    near.to("far").bind(between.in);
    between.out.bind(far.in);
    far.to("low").bind(low.in);
    far.to("high").bind(high.in);
  }

  static RouterOptions options(Random& random) {
    return {.latency = ns(static_cast<double>(random.below(9))),
            .arbitration = random.below(2) == 0 ? Arbitration::kRoundRobin : Arbitration::kPriorities,
            .priorities = {3, 1, 2}};
  }

  Memory low;
  Memory high;
  Router near;
  Router far;
  ProtocolChecker between;
};

template <typename Initiator>
void expect_done(const Initiator& initiator, const Program& program, uint32_t seed) {
  for (size_t i = 0; i < program.expected.size(); ++i) {
    const Access& access = initiator.accesses[i];
    ASSERT_EQ(access.status, tlm::TLM_OK_RESPONSE) << "seed " << seed;
    ASSERT_EQ(access.data, program.expected[i]) << "seed " << seed << ", access " << i;
    ASSERT_GE(access.answered, access.asked);
  }
}

void expect_counted(const Router& router, const std::vector<Program>& programs, uint64_t beat_bytes) {
  for (size_t i = 0; i < programs.size(); ++i) {
    const RouterStatistics::Initiator& counted = router.statistics().initiators[i];
    uint64_t bytes = 0;
    uint64_t beats = 0;
    for (const Access& access : programs[i].accesses) {
      bytes += access.data.size();
      beats += (access.data.size() + beat_bytes - 1) / beat_bytes;
    }
    EXPECT_EQ(counted.transactions, programs[i].accesses.size());
    EXPECT_EQ(counted.bytes, bytes);
    EXPECT_EQ(counted.requested_beats, beats);
    EXPECT_EQ(counted.granted_beats, beats);
  }
}

void run_random(uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const sim::sc::Kernel kernel;
  std::vector<uint8_t> bytes(kBytes);
  std::vector<uint8_t> flat(kBytes);
  Platform platform(random, bytes);
  const uint64_t initiators = 2 + random.below(4);
  std::vector<Program> programs;
  for (uint64_t i = 0; i < initiators; ++i) programs.push_back(program_of(random, i, initiators, flat));
  std::vector<std::unique_ptr<LooselyTimed>> loose;
  std::vector<std::unique_ptr<ApproximatelyTimed>> approximate;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  for (uint64_t i = 0; i < initiators; ++i) {
    checkers.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
    checkers.back()->out.bind(platform.near.in);
    if (i % 2 == 0) {
      loose.push_back(std::make_unique<LooselyTimed>(sc_core::sc_gen_unique_name("loose")));
      loose.back()->accesses = programs[i].accesses;
      loose.back()->out.bind(checkers.back()->in);
    } else {
      approximate.push_back(std::make_unique<ApproximatelyTimed>(sc_core::sc_gen_unique_name("approximate")));
      approximate.back()->accesses = programs[i].accesses;
      approximate.back()->ends = static_cast<Ends>(random.below(3));
      approximate.back()->holds = ns(static_cast<double>(random.below(5)));
      approximate.back()->annotates = ns(static_cast<double>(random.below(5)));
      approximate.back()->out.bind(checkers.back()->in);
    }
  }
  sc_core::sc_start();
  for (uint64_t i = 0; i < initiators; ++i) {
    if (i % 2 == 0) {
      expect_done(*loose[i / 2], programs[i], seed);
    } else {
      expect_done(*approximate[i / 2], programs[i], seed);
      EXPECT_EQ(approximate[i / 2]->under_way(), 0U);
    }
    EXPECT_EQ(checkers[i]->completed(), 60U);
    EXPECT_EQ(checkers[i]->under_way(), 0U);
  }
  EXPECT_EQ(bytes, flat);
  expect_counted(platform.near, programs, 16);
  EXPECT_EQ(platform.between.completed(), 60 * initiators);
}

TEST(RandomTraffic, MovesWhatAFlatMemoryMoves) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    run_random(seed);
    if (::testing::Test::HasFailure()) break;
  }
}

/// When accesses that share a path of one byte each nanosecond are answered by a memory of 10 ns, going from grant to
/// grant: `asked` and `bytes` of each initiator's accesses, in their order.
std::vector<std::vector<uint64_t>> expected_answers(
    const std::vector<std::vector<std::pair<uint64_t, uint64_t>>>& all) {
  std::vector<std::vector<uint64_t>> answers(all.size());
  uint64_t now = 0;
  size_t last = all.size() - 1;
  for (;;) {
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < all.size(); ++i) {
      if (answers[i].size() < all[i].size()) earliest = std::min(earliest, all[i][answers[i].size()].first);
    }
    if (earliest == UINT64_MAX) return answers;
    now = std::max(now, earliest);
    size_t chosen = last;
    do {
      chosen = (chosen + 1) % all.size();
    } while (answers[chosen].size() == all[chosen].size() || all[chosen][answers[chosen].size()].first > now);
    now += all[chosen][answers[chosen].size()].second;
    answers[chosen].push_back(now + 10);
    last = chosen;
  }
}

TEST(RandomTraffic, WaitsAsLongAsComputed) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const sim::sc::Kernel kernel;
    Memory memory("memory", Storage(kBytes), ns(10));
    Router router("router", map_of({{"memory", 0, kBytes, 1, ns(1)}}));
    router.to("memory").bind(memory.in);
    std::vector<std::unique_ptr<ApproximatelyTimed>> initiators;
    std::vector<std::vector<std::pair<uint64_t, uint64_t>>> all(1 + random.below(5));
    for (auto& asked : all) {
      initiators.push_back(std::make_unique<ApproximatelyTimed>(sc_core::sc_gen_unique_name("initiator")));
      initiators.back()->out.bind(router.in);
      uint64_t at = 0;
      for (int i = 0; i < 40; ++i) {
        at += random.below(60);
        asked.emplace_back(at, 1 + random.below(16));
        initiators.back()->accesses.push_back(read(0, asked.back().second, ns(static_cast<double>(at))));
      }
    }
    sc_core::sc_start();
    const std::vector<std::vector<uint64_t>> expected = expected_answers(all);
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = 0; k < all[i].size(); ++k) {
        ASSERT_EQ(initiators[i]->accesses[k].answered, ns(static_cast<double>(expected[i][k]))) << i << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace covenant::sc::testing
