#include "sim/stream/common/region.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

#include "acg/isa/retire_record.h"

namespace covenant::sim {
namespace {

std::set<uint64_t> bytes_of(const Region& region) {
  std::set<uint64_t> bytes;
  any_run(region, [&](uint64_t first) {
    for (uint64_t k = 0; k < region.run_bytes; ++k) bytes.insert(first + k);
    return false;
  });
  return bytes;
}

Region random_region(std::mt19937& random) {
  Region region(0, 200 + random() % 60, 1 + random() % 4);
  for (int level = 0; level < 3; ++level) {
    region.add_level(1 + random() % 4, static_cast<int64_t>(random() % 41) - 20);
  }
  return region;
}

TEST(Region, BoundsAreThoseOfItsBytes) {
  for (uint32_t seed = 1; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Region region = random_region(random);
    const auto bytes = bytes_of(region);
    EXPECT_EQ(*bytes.begin(), region.low) << seed;
    EXPECT_EQ(*bytes.rbegin() + 1, region.high) << seed;
    if (region.is_dense()) {
      EXPECT_EQ(bytes.size(), region.high - region.low) << seed;
    }
  }
}

TEST(Region, OverlapIsExact) {
  size_t overlapping = 0;
  size_t bounding_only = 0;
  for (uint32_t seed = 1; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const Region a = random_region(random);
    const Region b = random_region(random);
    const auto bytes = bytes_of(a);
    bool expected = false;
    for (uint64_t byte : bytes_of(b)) expected = expected || bytes.count(byte) > 0;
    EXPECT_EQ(overlap(a, b), expected) << seed;
    overlapping += expected;
    bounding_only += !expected && std::max(a.low, b.low) < std::min(a.high, b.high);
  }
  EXPECT_GT(overlapping, 100U);
  EXPECT_GT(bounding_only, 100U);
}

TEST(Region, OfDifferentMemoriesNeverOverlap) {
  EXPECT_FALSE(overlap(Region(0, 0, 8), Region(1, 0, 8)));
  EXPECT_TRUE(overlap(Region(1, 0, 8), Region(1, 7, 8)));
  EXPECT_FALSE(overlap(Region(1, 0, 8), Region(1, 8, 8)));
}

TEST(Region, DigestCountsEveryByteOnce) {
  std::mt19937 random(9);
  std::vector<uint8_t> memory(512);
  for (auto& byte : memory) byte = static_cast<uint8_t>(random());
  for (uint32_t seed = 1; seed < 200; ++seed) {
    std::mt19937 seeded(seed);
    const Region region = random_region(seeded);
    uint64_t expected = 0;
    for (uint64_t byte : bytes_of(region)) expected += acg::write_hash(0, byte, memory[byte]);
    EXPECT_EQ(digest_of(region, memory), expected) << seed;
  }
}

}  // namespace
}  // namespace covenant::sim
