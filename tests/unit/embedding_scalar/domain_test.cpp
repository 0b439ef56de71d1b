/// Ranges, boxes, domains, relations and the order of values, each compared with sets that are listed one by one.
#include "compiler/embedding/scalar/domain.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

#include "compiler/embedding/scalar/affine.h"
#include "compiler/embedding/scalar/cursor.h"
#include "tests/support/embedding_scalar/tuples.h"
#include "tests/support/embedding_scalar/workloads.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using test::draw_box;
using test::grid;
using test::values_of;

std::set<int64_t> integers(const Range& range) {
  std::set<int64_t> all;
  for (int64_t i = 0; i < range.count; ++i) all.insert(range.first + i * range.stride);
  return all;
}

std::vector<Range> small_ranges() {
  std::vector<Range> ranges;
  for (int64_t first = 0; first < 6; ++first) {
    ranges.push_back({first, 1, 1});
    for (int64_t stride = 1; stride <= 5; ++stride) {
      for (int64_t count = 2; count <= 4; ++count) ranges.push_back({first, count, stride});
    }
  }
  return ranges;
}

TEST(Range, IntersectionsAndDifferencesAreThoseOfTheirIntegers) {
  for (const Range& a : small_ranges()) {
    for (const Range& b : small_ranges()) {
      std::set<int64_t> both;
      for (const int64_t value : integers(a)) {
        if (integers(b).contains(value)) both.insert(value);
      }
      const std::optional<Range> common = intersection(a, b);
      ASSERT_EQ(common ? integers(*common) : std::set<int64_t>{}, both);
      if (!common) continue;
      std::set<int64_t> left;
      size_t count = 0;
      for (const Range& part : difference(a, *common)) {
        left.merge(integers(part));
        count += static_cast<size_t>(part.count);
      }
      EXPECT_EQ(count, left.size()) << "parts are disjoint";
      EXPECT_EQ(left.size() + both.size(), integers(a).size());
      EXPECT_TRUE(std::ranges::none_of(left, [&](int64_t value) { return both.contains(value); }));
    }
  }
}

TEST(Range, StridesBeyond31BitsMeetWhereTheyDo) {
  const int64_t far = int64_t{1} << 40;
  const Range a{0, 1000, far + 1};
  const Range b{far + 1, 5, (far + 1) * 3};
  EXPECT_EQ(intersection(a, b), b);
  EXPECT_EQ(intersection(a, Range{1, 2, far}), (Range{far + 1, 1, 1}));
  EXPECT_EQ(intersection(a, Range{1, 3, 2}), std::nullopt);
}

TEST(Domain, PartsAreThoseOfTheirTuples) {
  SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()));
  std::mt19937_64 random(test::seed());
  const std::vector<int64_t> extents{5, 4, 6};
  for (int round = 0; round < 200; ++round) {
    Domain domain(draw_box(random, extents));
    std::set<Tuple> expected = values_of(domain);
    for (int step = 0; step < 4 && !domain.is_empty(); ++step) {
      const Box box = draw_box(random, extents);
      const bool keeps = step == 3;
      domain = keeps ? kept(domain, box) : without(domain, std::vector<Box>{box});
      std::erase_if(expected, [&](const Tuple& tuple) { return contains(box, tuple) != keeps; });
      ASSERT_EQ(values_of(domain), expected);
      EXPECT_EQ(domain.is_single(), expected.size() == 1);
      for (const Tuple& tuple : grid(extents)) ASSERT_EQ(domain.contains(tuple), expected.contains(tuple));
    }
  }
}

TEST(Domain, SizesSaturate) {
  const int64_t extent = int64_t{1} << 40;
  EXPECT_EQ(size(box_of({extent, 1 << 20})), uint64_t{1} << 60);
  EXPECT_EQ(size(box_of({extent, extent})), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(size(box_of({})), 1U);
}

TEST(Affine, InstancesOfAnElementAreAllThatHaveIt) {
  SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()));
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 300; ++round) {
    const Workload workload = test::draw_workload(random);
    std::vector<int64_t> extents;
    for (const Axis& axis : workload.axes) extents.push_back(axis.extent);
    for (const Access& access : {workload.output, workload.inputs[0], workload.inputs[1]}) {
      const Box within = draw_box(random, extents);
      const Box elements = elements_of(access.indices, box_of(extents));
      for (const Tuple& element : values_of(Domain(elements))) {
        std::vector<Box> parts;
        append_instances(access.indices, element, within, parts);
        std::set<Tuple> expected;
        for (const Tuple& instance : grid(extents)) {
          const Tuple own = element_of(access.indices, instance);
          ASSERT_TRUE(contains(elements, own));
          if (own == element && contains(within, instance)) expected.insert(instance);
        }
        ASSERT_EQ(values_of(Domain(parts)), expected);
      }
    }
  }
}

TEST(Affine, ExtentsBeyond31BitsAreSolvedNotListed) {
  const int64_t far = int64_t{1} << 50;
  const Indices indices{test::index_of(2, {{0, 2}, {1, 1}})};
  std::vector<Box> parts;
  append_instances(indices, {far}, box_of({far, 3}), parts);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0], point({far / 2, 0}));
  EXPECT_EQ(parts[1], point({far / 2 - 1, 2}));
}

TEST(Cursor, GivesEachValueOnceInItsOrder) {
  SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()));
  std::mt19937_64 random(test::seed());
  const std::vector<int64_t> extents{4, 3, 5};
  for (int round = 0; round < 200; ++round) {
    Domain domain(box_of(extents));
    for (int step = 0; step < 3; ++step) domain = without(domain, std::vector<Box>{draw_box(random, extents)});
    std::vector<size_t> order{0, 1, 2};
    std::ranges::shuffle(order, random);
    std::set<Tuple> sorted;  // by dimensions in the order
    for (const Tuple& value : values_of(domain)) sorted.insert({value[order[0]], value[order[1]], value[order[2]]});
    Cursor cursor(domain, order);
    Tuple value;
    for (const Tuple& expected : sorted) {
      ASSERT_TRUE(cursor.next(value));
      EXPECT_EQ((Tuple{value[order[0]], value[order[1]], value[order[2]]}), expected);
    }
    EXPECT_FALSE(cursor.next(value));
    EXPECT_FALSE(cursor.next(value));
  }
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
