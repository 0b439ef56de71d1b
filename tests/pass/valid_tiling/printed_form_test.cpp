// Algorithm 1 of the paper as it is printed, beside the corrected form: one test for each difference.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/passes/map.h"
#include "compiler/passes/place.h"
#include "tests/pass/valid_tiling/algorithm_1.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using test::taken;

/// Off-chip memory, one scratchpad, one node of `at_once` bytes.
acg::Machine machine_of(int banks, int depth, int buffers, int at_once) {
  return taken(acg::parse_machine(
      fmt::format("acg small {{ memory D {{ kind = offchip; depth = 1M; }}"
                  "memory S {{ data_width = 8; banks = {}; depth = {}; buffers = {}; }}"
                  "compute P {{ unit = described; (i8,{}) = MOVE((i8,{})); (i8,{}) = REDUCE_MAX((i8,{})); }}"
                  "edge D <-> S {{ bandwidth = 64; }} edge S <-> P; }}",
                  banks, depth, buffers, at_once, at_once, at_once, at_once),
      "small.acg"));
}

struct Tilings {
  std::vector<Tiling> printed;
  std::vector<Tiling> corrected;

  size_t times_printed(const Tiling& tiling) const {
    return static_cast<size_t>(std::count(printed.begin(), printed.end(), tiling));
  }
  bool is_correct(const Tiling& tiling) const {
    return std::find(corrected.begin(), corrected.end(), tiling) != corrected.end();
  }
};

/// The printed form on loops over elements, the corrected one on those over chunks of padded dimensions.
Tilings both(const std::string& text, const acg::Machine& machine) {
  const Codelet bound = taken(place(taken(codelet::parse("cdlt c { " + text + " }", "c.cdlt")), machine));
  const Codelet mapped = taken(map(bound, machine));
  return {valid_tiling_as_printed(taken(tiling_space(bound, mapped, machine)), machine),
          valid_tiling(taken(tiling_space(mapped, mapped, machine)), machine)};
}

const char* const kMove = "x=inp([16],i8,null); y=out([16],i8,null); loop n(16) { y[n]=compute(null,\"MOVE\",x[n]); }";

TEST(PrintedForm, AddsATilingOnceForEachTransfer) {
  // Load, allocation, store: a tiling that is fine is there three times, not once.
  const Tilings tilings = both(kMove, machine_of(1, 64, 1, 1));
  EXPECT_EQ(tilings.times_printed({4}), 3U);
  EXPECT_EQ(std::count(tilings.corrected.begin(), tilings.corrected.end(), Tiling{4}), 1);
}

TEST(PrintedForm, AddsATilingBeforeALaterTransferFails) {
  // 16 bytes of x fit 24; with the 16 of y they do not: the load has added the tiling by then.
  const Tilings tilings = both(kMove, machine_of(1, 24, 1, 1));
  EXPECT_EQ(tilings.times_printed({16}), 1U);
  EXPECT_FALSE(tilings.is_correct({16}));
  EXPECT_TRUE(tilings.is_correct({8}));
}

TEST(PrintedForm, AlignsByTheDataWidthOfTheSource) {
  // Two bytes are whole elements of off-chip memory, and whole data widths of a bank, but half an element of S.
  const Tilings tilings = both(kMove, machine_of(4, 64, 1, 1));
  EXPECT_EQ(tilings.times_printed({2}), 3U);
  EXPECT_FALSE(tilings.is_correct({2}));
  EXPECT_TRUE(tilings.is_correct({4}));
}

TEST(PrintedForm, KnowsNoHalo) {
  // Four results of a window of three read six elements; the product of the factors is twelve.
  const char* const window =
      "x=inp([6],i8,null); y=out([4],i8,null); loop o(4) { loop k(3) { y[o]=compute(null,\"REDUCE_MAX\",x[o+k]); } }";
  const Tilings tilings = both(window, machine_of(1, 10, 1, 1));
  EXPECT_EQ(tilings.times_printed({4, 3}), 0U);
  EXPECT_TRUE(tilings.is_correct({4, 3}));
  // With a stride it is too small instead: two results of one element each, four apart, span five elements.
  const char* const strided =
      "x=inp([8],i8,null); y=out([2],i8,null); loop o(2) { y[o]=compute(null,\"MOVE\",x[o*4]); }";
  const Tilings far = both(strided, machine_of(1, 6, 1, 1));
  EXPECT_EQ(far.times_printed({2}), 3U);
  EXPECT_FALSE(far.is_correct({2})) << "5 bytes of x and 2 of y do not fit 6";
}

TEST(PrintedForm, HasOnlyTwoFactorsOfAPrime) {
  const char* const prime =
      "x=inp([367],i8,null); y=out([367],i8,null); loop n(367) { y[n]=compute(null,\"MOVE\",x[n]); }";
  const Tilings tilings = both(prime, machine_of(8, 64, 1, 8));
  std::vector<Tiling> different = tilings.printed;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  EXPECT_EQ(different, (std::vector<Tiling>{{367}, {1}}));
  // 367 elements are 46 vectors of eight; all 46 take 368 bytes twice, more than 512.
  EXPECT_EQ(tilings.corrected, (std::vector<Tiling>{{23}, {2}, {1}}));
}

TEST(PrintedForm, FillsAllBuffers) {
  // 16 + 16 bytes fit two buffers of 16, not one: the other buffer is being filled meanwhile.
  const Tilings tilings = both(kMove, machine_of(1, 16, 2, 1));
  EXPECT_EQ(tilings.times_printed({16}), 3U);
  EXPECT_FALSE(tilings.is_correct({16}));
}

TEST(PrintedForm, ChargesATensorForEveryStoreIntoIt) {
  // A memory that just holds both tensors: the printed form adds the stored tile once more to what it holds.
  const acg::Machine machine = taken(acg::parse_machine(
      "acg tight { memory D { data_width = 8; depth = 8; } memory S { data_width = 8; depth = 64; }"
      "compute P { unit = described; (i8,1) = MOVE((i8,1)); } edge D <-> S { bandwidth = 64; } edge S <-> P; }",
      "tight.acg"));
  const Tilings tilings = both(kMove, machine);
  EXPECT_EQ(tilings.times_printed({16}), 2U) << "load and allocation, then 16 bytes more than the 8 of D";
  EXPECT_TRUE(tilings.is_correct({16}));
}

}  // namespace
}  // namespace covenant::compiler::testing
