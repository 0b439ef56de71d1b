/// A small DRAM whose times are easy to add up, and helpers to query a model.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "offchip/dram.h"
#include "offchip/model.h"
#include "offchip/parameters.h"

namespace covenant::offchip::test {

/// One channel, 2 groups of 4 banks, 16 rows of 8 accesses of 64 bytes; clocks of 1 ns.
inline Parameters small() {
  Parameters set;
  set.name = "small";
  set.clock_ps = 1000;
  set.organization = {
      1, 2, 4, 16, 8, 64, {Field::kRow, Field::kBank, Field::kGroup, Field::kColumn, Field::kChannel}, false};
  Timing& time = set.timing;
  time.burst = 4;
  time.cl = 10;
  time.cwl = 8;
  time.rcd_read = time.rcd_write = 9;
  time.rp = time.rp_all = 7;
  time.ras = 20;
  time.rc = 27;
  time.rrd_short = 3;
  time.rrd_long = 5;
  time.faw = 30;
  time.ccd_short = 4;
  time.ccd_long = time.ccd_long_write = 6;
  time.wtr_short = 2;
  time.wtr_long = 5;
  time.rtw = 8;
  time.wr = 11;
  time.rtp = 6;
  time.refi = 2000;
  time.rfc = 100;
  return set;
}

/// The address of an access of the small DRAM.
inline uint64_t at(uint64_t row, uint64_t group, uint64_t bank, uint64_t column) {
  return (((row * 4 + bank) * 2 + group) * 8 + column) * 64;
}

inline Burst read(uint32_t port, uint64_t address, uint64_t time = 0, uint32_t bytes = 64) {
  return {port, time, address, bytes, false};
}
inline Burst write(uint32_t port, uint64_t address, uint64_t time = 0, uint32_t bytes = 64) {
  return {port, time, address, bytes, true};
}

/// The answers to bursts that are all requested before time advances.
inline std::vector<Answer> answers_of(Model& model, const std::vector<Burst>& bursts) {
  for (const Burst& burst : bursts) model.request(burst);
  std::vector<Answer> answers;
  while (model.next() != kNever) model.advance(model.next(), answers);
  return answers;
}

/// The last port's answer comes at this clock of 1 ns, not a picosecond before.
inline void expect_tight(const Parameters& set, const std::vector<Burst>& bursts, uint64_t clock) {
  Dram dram(set, 8);
  const uint32_t port = bursts.back().port;
  for (const Burst& burst : bursts) dram.request(burst);
  std::vector<Answer> answers;
  const auto is_of_port = [&](const Answer& answer) { return answer.port == port; };
  dram.advance(clock * 1000 - 1, answers);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), is_of_port), 0) << "before " << clock;
  dram.advance(clock * 1000, answers);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), is_of_port), 1) << "at " << clock;
}

}  // namespace covenant::offchip::test
