/// Streams, strides and random reads against what the parameters allow, in closed form.
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

using namespace covenant::offchip::test;

/// A port that keeps `depth` bursts under way: the next one is asked for when one is answered. Bytes per second.
template <typename NextBurst>
double rate(Dram& dram, uint64_t count, uint64_t depth, NextBurst next_burst) {
  uint64_t asked = 0;
  uint64_t bytes = 0;
  const auto ask = [&](uint64_t time) {
    Burst burst = next_burst(asked++);
    burst.time = time;
    bytes += burst.bytes;
    dram.request(burst);
  };
  while (asked < std::min(depth, count)) ask(0);
  std::vector<Answer> answers;
  uint64_t last = 0;
  while (dram.next() != kNever) {
    answers.clear();
    dram.advance(dram.next(), answers);
    for (const Answer& answer : answers) {
      last = answer.time;
      if (asked < count) ask(answer.time);
    }
  }
  return static_cast<double>(bytes) * 1e12 / static_cast<double>(last);
}

double share_without_refresh(const Parameters& set) {
  return 1 - static_cast<double>(set.timing.rfc) / static_cast<double>(set.timing.refi);
}

void report(const Parameters& set, const char* what, double reached, double bound) {
  std::printf("%s, %s: %.3f GB/s, %.2f %% of the bound %.3f\n", set.name.c_str(), what, reached / 1e9,
              100 * reached / bound, bound / 1e9);
}

class Bandwidth : public ::testing::TestWithParam<std::string> {
 protected:
  Parameters set_ = *load_parameters(GetParam());
};

TEST_P(Bandwidth, StreamsReachNineTenths) {
  const double bound = set_.peak_bytes_per_second() * share_without_refresh(set_);
  for (const bool writes : {false, true}) {
    Dram dram(set_, 1);
    const double reached = rate(dram, 40'000, 64, [&](uint64_t i) { return Burst{0, 0, i * 1024, 1024, writes}; });
    report(set_, writes ? "writes in a row" : "reads in a row", reached, bound);
    EXPECT_GE(reached, 0.9 * bound);
    EXPECT_LE(reached, bound);
  }
}

// Bursts of a quarter of an access: what joins is moved once.
TEST_P(Bandwidth, NarrowStreamsReachNineTenths) {
  const double bound = set_.peak_bytes_per_second() * share_without_refresh(set_);
  const auto bytes = static_cast<uint32_t>(set_.organization.access_bytes / 4);
  Dram dram(set_, 1);
  const double reached = rate(dram, 400'000, 4096, [&](uint64_t i) { return Burst{0, 0, i * bytes, bytes, false}; });
  report(set_, "narrow reads in a row", reached, bound);
  EXPECT_GE(reached, 0.9 * bound);
  EXPECT_LE(reached, bound);
}

// Every access opens another row of one bank: one access in each tRC.
TEST_P(Bandwidth, RowsOfOneBankTakeTrcEach) {
  const Organization& organization = set_.organization;
  const uint64_t row_bytes = organization.bytes() / organization.rows;  // the row is the highest field of all sets
  Dram dram(set_, 1);
  const auto bytes = static_cast<uint32_t>(organization.access_bytes);
  const double reached =
      rate(dram, 4000, 64, [&](uint64_t i) { return Burst{0, 0, i % organization.rows * row_bytes, bytes, false}; });
  const double trc = static_cast<double>(std::max(set_.timing.rc, set_.timing.ras + set_.timing.rp) * set_.clock_ps);
  const double bound = static_cast<double>(bytes) * 1e12 / trc * share_without_refresh(set_);
  report(set_, "one bank", reached, bound);
  EXPECT_GE(reached, 0.98 * bound);
  EXPECT_LE(reached, 1.005 * bound);
}

/// Clocks from the time of a lone read to its data: one until it is seen, and what its commands take. `closed` is the
/// share of reads that find their bank closed by the refresh before, the others close another row first.
double lone_read_clocks(const Parameters& set, double closed) {
  const Timing& time = set.timing;
  const auto common = static_cast<double>(1 + time.rcd_read + time.cl + time.burst);
  const auto activate = static_cast<double>(set.commands.activate - 1);
  const auto other = static_cast<double>(time.rp + set.commands.precharge - 1);
  return common + closed * activate + (1 - closed) * other;
}

/// After a refresh all banks are closed: of n reads of random banks, as many find a closed one as banks are touched.
double closed_share(const Parameters& set) {
  const auto banks = static_cast<double>(set.organization.channels * set.organization.banks_of_channel());
  const double window = static_cast<double>(set.timing.refi - set.timing.rfc);
  double share = 0;
  for (int i = 0; i < 20; ++i) {  // the share depends on how many reads there are, and they on the share
    const double reads = window / lone_read_clocks(set, share);
    share = banks * (1 - std::pow(1 - 1 / banks, reads)) / reads;
  }
  return share;
}

TEST_P(Bandwidth, LoneRandomReadsTakeTheSumOfTheirTimes) {
  const auto bytes = static_cast<uint32_t>(set_.organization.access_bytes);
  std::mt19937_64 random(7);
  Dram dram(set_, 1);
  const uint64_t lines = set_.organization.bytes() / bytes;
  const double reached =
      rate(dram, 100'000, 1, [&](uint64_t) { return Burst{0, 0, random() % lines * bytes, bytes, false}; });
  const double clocks = lone_read_clocks(set_, closed_share(set_));
  const double bound = bytes * 1e12 / (clocks * static_cast<double>(set_.clock_ps)) * share_without_refresh(set_);
  report(set_, "lone random reads", reached, bound);
  EXPECT_NEAR(reached / bound, 1, 0.02);
}

/// The bandwidth that the data bus, tFAW, tRRD and the banks allow. At a refresh no row is opened from tRCD before it
/// is due on (or from one activation before that) until the last row has been open for tRAS, and then for tRP and tRFC.
double random_bound(const Parameters& set) {
  const Timing& time = set.timing;
  const auto per = [](double count, uint64_t clocks) { return count / static_cast<double>(clocks); };
  const auto banks = static_cast<double>(set.organization.banks_of_channel());
  const double accesses = std::min({per(1, time.ccd_short), per(4, time.faw), per(1, time.rrd_short),
                                    per(banks, std::max(time.rc, time.ras + time.rp))});
  const double idle = static_cast<double>(time.rfc + time.rp_all) +
                      std::max(static_cast<double>(time.rcd_read), static_cast<double>(time.ras) - 1 / accesses);
  const double share = 1 - idle / static_cast<double>(time.refi);
  return accesses * static_cast<double>(set.organization.channels * set.organization.access_bytes) * 1e12 /
         static_cast<double>(set.clock_ps) * share;
}

// With room for many the controller finds a bank that may be opened whenever any may.
TEST_P(Bandwidth, ManyRandomReadsReachTheBound) {
  set_.controller.queue = 512;
  const auto bytes = static_cast<uint32_t>(set_.organization.access_bytes);
  std::mt19937_64 random(7);
  Dram dram(set_, 1);
  const uint64_t lines = set_.organization.bytes() / bytes;
  const double reached =
      rate(dram, 400'000, 16'384, [&](uint64_t) { return Burst{0, 0, random() % lines * bytes, bytes, false}; });
  report(set_, "many random reads", reached, random_bound(set_));
  EXPECT_GE(reached, 0.98 * random_bound(set_));
  EXPECT_LE(reached, 1.005 * random_bound(set_));
}

TEST_P(Bandwidth, FcfsGrantsWhatIsAskedFor) {
  set_.controller.policy = Policy::kFcfs;
  Dram dram(set_, 2);
  rate(dram, 5000, 64, [&](uint64_t i) {
    return Burst{static_cast<uint32_t>(i % 2), 0, (i % 2) * (1 << 24) + i / 2 * 1024, 1024, i % 2 == 1};
  });
  const Statistics& counts = dram.statistics();
  EXPECT_EQ(counts.bytes_read, 2500U * 1024);
  EXPECT_EQ(counts.bytes_written, 2500U * 1024);
  for (const PortStatistics& port : counts.ports) {
    EXPECT_EQ(port.bursts, 2500U);
    EXPECT_EQ(port.answered, port.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bandwidth, ::testing::ValuesIn(builtin_parameters()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace covenant::offchip
