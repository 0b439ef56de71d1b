/// The quick sums of products are those of the definition, at the limits of bytes too.
#include "sim/vliw/dot_products.h"

#include <gtest/gtest.h>

#include "tests/property/acg/random_source.h"

namespace covenant::sim::vliw {
namespace {

using acg::testing::RandomSource;

Vector random_vector(RandomSource& random) {
  Vector vector;
  for (uint8_t& byte : vector.bytes) {
    const int64_t pick = random.between(0, 7);
    byte = static_cast<uint8_t>(pick == 0   ? 0
                                : pick == 1 ? 255
                                : pick == 2 ? 128
                                : pick == 3 ? 127
                                            : random.between(0, 255));
  }
  return vector;
}

template <typename U, typename V>
void expect_same(RandomSource& random) {
  for (int i = 0; i < 500; ++i) {
    const Vector u = random_vector(random), v = random_vector(random);
    Vector quick = random_vector(random), defined = quick;
    add_dot_products<U, V>(quick, u, v);
    add_dot_products_portable<U, V>(defined, u, v);
    ASSERT_EQ(quick, defined);
  }
}

TEST(DotProducts, AreThoseOfTheDefinition) {
  RandomSource random(4);
  expect_same<uint8_t, uint8_t>(random);
  expect_same<uint8_t, int8_t>(random);
  expect_same<int8_t, int8_t>(random);
}

TEST(DotProducts, WrapAt32Bits) {
  Vector x = vector_of([] {
    Lanes<uint32_t> lanes;
    lanes.fill(0xffffffff);
    return lanes;
  }());
  const Vector ones = vector_of([] {
    Lanes<uint8_t> lanes;
    lanes.fill(1);
    return lanes;
  }());
  add_dot_products<uint8_t, uint8_t>(x, ones, ones);
  EXPECT_EQ(lanes_of<uint32_t>(x).front(), 3U);
}

}  // namespace
}  // namespace covenant::sim::vliw
