/// Bounding boxes of hyper-rectangles: as small as the rectangles that begin with the points allow, and no smaller.
#include "compiler/embedding/scalar/rectangle.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

#include "tests/support/embedding_scalar/tuples.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using Points = std::vector<Tuple>;

/// Appends every hyper-rectangle of `total` points from `first` on, within `whole`, with strides up to `most_stride`.
void append_rectangles(const Points& part, std::vector<size_t> dimensions, int64_t total, int64_t most_stride,
                       const Box& whole, std::vector<Points>& all) {
  const auto size = static_cast<int64_t>(part.size());
  if (size == total) {
    if (std::ranges::all_of(part, [&](const Tuple& point) { return contains(whole, point); })) all.push_back(part);
    return;
  }
  for (const size_t dimension : dimensions) {
    std::vector<size_t> others = dimensions;
    std::erase(others, dimension);
    for (int64_t length = 2; length <= total / size; ++length) {
      if (total % (size * length) != 0) continue;
      for (int64_t stride = 1; stride <= most_stride; ++stride) {
        Points longer;
        for (int64_t i = 0; i < length; ++i) {
          for (Tuple point : part) {
            point[dimension] += i * stride;
            longer.push_back(point);
          }
        }
        append_rectangles(longer, others, total, most_stride, whole, all);
      }
    }
  }
}

std::vector<Points> rectangles(const Tuple& first, int64_t total, int64_t most_stride, const Box& whole) {
  std::vector<size_t> dimensions(first.size());
  std::iota(dimensions.begin(), dimensions.end(), size_t{0});
  std::vector<Points> all;
  append_rectangles({first}, dimensions, total, most_stride, whole, all);
  return all;
}

/// Lowest and highest value in each dimension of all points.
std::vector<std::pair<int64_t, int64_t>> hull(const std::vector<Points>& all) {
  std::vector<std::pair<int64_t, int64_t>> hull;
  for (const int64_t value : all.front().front()) hull.emplace_back(value, value);
  for (const Points& points : all) {
    for (const Tuple& point : points) {
      for (size_t i = 0; i < point.size(); ++i) {
        hull[i] = {std::min(hull[i].first, point[i]), std::max(hull[i].second, point[i])};
      }
    }
  }
  return hull;
}

std::vector<Points> beginning_with(const std::vector<Points>& all, const Points& points) {
  std::vector<Points> some;
  std::ranges::copy_if(all, std::back_inserter(some),
                       [&](const Points& one) { return std::equal(points.begin(), points.end(), one.begin()); });
  return some;
}

TEST(Rectangle, Figure4) {
  const Box whole = box_of({8, 8});
  const Points points{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}};
  const std::optional<Box> box = bounding_box(points, 16, true, whole);
  ASSERT_TRUE(box);
  EXPECT_EQ(*box, box_of({4, 4}));
}

TEST(Rectangle, TwoPointsBoundTheirDimension) {
  const Box whole = box_of({100, 100});
  const Points points{{0, 0}, {0, 3}};
  const std::optional<Box> box = bounding_box(points, 16, false, whole);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->ranges[1], (Range{0, 16, 3})) << "#V * |v0 - v1|, and only multiples";
  EXPECT_EQ(bounding_box(points, 16, true, whole), std::nullopt) << "a stride is not dense";
}

TEST(Rectangle, IrregularPointsAreNone) {
  const Box whole = box_of({8, 8});
  const auto none = [&](const Points& points, int64_t total) {
    return !bounding_box(points, total, true, whole).has_value();
  };
  EXPECT_TRUE(none({{0, 0}, {1, 1}}, 4)) << "a diagonal";
  EXPECT_TRUE(none({{0, 1}, {0, 0}}, 4)) << "downwards";
  EXPECT_TRUE(none({{0, 0}, {0, 0}}, 4)) << "the same twice";
  EXPECT_TRUE(none({{0, 0}, {0, 1}, {0, 2}, {1, 0}}, 4)) << "three do not divide four";
  EXPECT_TRUE(none({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}}, 8)) << "a dimension has one side";
  EXPECT_TRUE(none({{0, 0}, {0, 1}, {1, 0}, {2, 0}}, 8)) << "a row that is left before its end";
}

TEST(Rectangle, BoxesAreThoseOfAllRectanglesThatBeginSo) {
  const Tuple first{1, 0, 2};
  const Box whole = box_of({14, 13, 15});  // no rectangle of twelve ends outside
  for (const int64_t total : {1, 2, 3, 4, 6, 8, 12}) {
    const std::vector<Points> all = rectangles(first, total, 1, whole);
    for (const Points& one : all) {
      for (size_t count = 1; count <= one.size(); ++count) {
        const Points points(one.begin(), one.begin() + static_cast<ptrdiff_t>(count));
        const std::optional<Box> box = bounding_box(points, total, true, whole);
        ASSERT_TRUE(box);
        const auto expected = hull(beginning_with(all, points));
        for (size_t i = 0; i < first.size(); ++i) {
          EXPECT_EQ(box->ranges[i].first, expected[i].first);
          EXPECT_EQ(box->ranges[i].last(), expected[i].second) << total << " points, after " << count;
        }
      }
    }
  }
}

TEST(Rectangle, StridedRectanglesStayWithinTheirBoxes) {
  const Box whole = box_of({7, 8});
  for (const int64_t total : {2, 4, 6}) {
    for (const Points& one : rectangles({0, 1}, total, 3, whole)) {
      for (size_t count = 0; count <= one.size(); ++count) {
        const Points points(one.begin(), one.begin() + static_cast<ptrdiff_t>(count));
        const std::optional<Box> box = bounding_box(points, total, false, whole);
        ASSERT_TRUE(box);
        for (const Tuple& point : one) EXPECT_TRUE(contains(*box, point));
      }
    }
  }
}

TEST(Rectangle, ExactlyTheBeginningsOfRectanglesHaveABox) {
  const Box whole = box_of({20, 20});
  const std::vector<Points> all = rectangles({0, 0}, 4, 3, whole);
  for (const Tuple& second : test::grid({4, 4})) {
    for (const Tuple& third : test::grid({4, 4})) {
      const Points points{{0, 0}, second, third};
      EXPECT_EQ(bounding_box(points, 4, false, whole).has_value(), !beginning_with(all, points).empty())
          << second[0] << ',' << second[1] << ' ' << third[0] << ',' << third[1];
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
