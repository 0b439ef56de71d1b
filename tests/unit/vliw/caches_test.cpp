// Prefetches, the layout of constants for them, and their predicted cost.
#include "compiler/families/vliw/caches.h"

#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/families/vliw/addresses.h"
#include "compiler/families/vliw/cache_traffic.h"
#include "compiler/families/vliw/ordered_constants.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

TEST(Caches, OfWordsOnTheirWayToOffchipMemory) {
  const acg::MemoryId words = scalar_registers(hvx()).value();
  std::vector<std::string> names;
  for (const acg::MemoryId cache : caches_of(hvx(), words)) names.push_back(hvx().memories[cache.value].name);
  EXPECT_EQ(names, (std::vector<std::string>{"L1D", "L2"}));
  EXPECT_EQ(delay_of_words(hvx()), hvx().parameters.at("l2_latency") - 1);
}

// Whatever else passes through the cache.
constexpr Addresses::Asking kAsking{512, 512, 1 << 20, 1};

/// Each site is asked for by the innermost loop around others in one trip of which it reads enough.
TEST(Blocks, AreThoseOfTheNextTrip) {
  Writer writer(hvx());
  Addresses addresses(writer);
  const int rows = 0, panel = 0;  // two sites
  addresses.open(3);              // moves the panel
  addresses.open(5);              // moves the rows
  addresses.open(8);              // reads both
  const Address row{0x10000, {0, 1024, 128}}, weights{0x40000, {4096, 0, 128}};
  for (const auto& [address, site] : {std::pair{&row, &rows}, std::pair{&weights, &panel}}) {
    addresses.at(*address, 128, 1024, site);
    addresses.read(*address, 128, site);
  }
  std::vector<CodeStep> body;
  EXPECT_TRUE(addresses.blocks(kAsking).empty());
  addresses.close(body);
  const std::vector<Addresses::Block> inner = addresses.blocks(kAsking);
  ASSERT_EQ(inner.size(), 1U);
  EXPECT_EQ(inner[0].rows.bytes(), 8 * 128);
  EXPECT_EQ(inner[0].step, 1024);
  EXPECT_EQ(inner[0].beside, 2 * 8 * 128);
  addresses.close(body);
  const std::vector<Addresses::Block> outer = addresses.blocks(kAsking);
  ASSERT_EQ(outer.size(), 1U);
  EXPECT_EQ(outer[0].rows.bytes(), 8 * 128);
  EXPECT_EQ(outer[0].step, 4096);
  addresses.close(body);
}

/// A block too small for a loop is asked for by the one around it, and by the outermost one whatever its size.
TEST(Blocks, SmallOnesAreAskedForFurtherOut) {
  Writer writer(hvx());
  Addresses addresses(writer);
  const int site = 0;
  for (const uint32_t trips : {2U, 6U, 2U}) addresses.open(trips);
  const Address address{0x10000, {4096, 256, 128}};
  addresses.at(address, 128, 1024, &site);
  addresses.read(address, 128, &site);
  std::vector<CodeStep> body;
  addresses.close(body);
  EXPECT_TRUE(addresses.blocks(kAsking).empty());
  addresses.close(body);
  const std::vector<Addresses::Block> outer = addresses.blocks(kAsking);
  ASSERT_EQ(outer.size(), 1U);
  EXPECT_EQ(outer[0].rows.bytes(), 6 * 256);
  EXPECT_EQ(outer[0].step, 4096);
}

/// Three loops; the middle one moves two rows of 512 bytes by one of them: 512 of 1024 are new in each trip.
class Windows : public ::testing::Test {
 protected:
  Windows() {
    for (const uint32_t trips : {2U, 6U, 2U}) addresses_.open(trips);
    for (const int64_t row : {0, 4096}) {
      const Address address{0x10000 + row, {8192, 128, 128}};
      addresses_.at(address, 128, 1024, &site_);
      addresses_.read(address, 128, &site_);
    }
    addresses_.close(body_);
  }

  Writer writer_{hvx()};
  Addresses addresses_{writer_};
  std::vector<CodeStep> body_;
  const int site_ = 0;
};

TEST_F(Windows, AreAskedForAsTheRowsThatTheyAre) {
  const std::vector<Addresses::Block> blocks = addresses_.blocks({256, 256, 1 << 20, 1});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].rows.width, 256);
  EXPECT_EQ(blocks[0].rows.height, 2);
  EXPECT_EQ(blocks[0].rows.stride, 4096);
  EXPECT_EQ(blocks[0].step, 128);
}

/// Data that overlaps with the trip before is not requested again.
TEST_F(Windows, AreAskedForByWhatIsNewInThem) {
  EXPECT_TRUE(addresses_.blocks({257, 257, 1 << 20, 1}).empty());
  EXPECT_EQ(addresses_.blocks({256, 256, 1 << 20, 1}).size(), 1U);
}

TEST_F(Windows, AreLeftToTheLoopAroundThemIfThatCanKeepThem) {
  EXPECT_TRUE(addresses_.blocks({256, 512, 1 << 20, 1}).empty());
  EXPECT_TRUE(addresses_.blocks({256, 512, 2 * 896, 1}).empty());
  EXPECT_EQ(addresses_.blocks({256, 512, 2 * 896 - 1, 1}).size(), 1U);
}

TEST_F(Windows, OfShortTripsAreLeftToTheLoopAroundThem) {
  EXPECT_TRUE(addresses_.blocks({256, 256, 1 << 20, 2}).empty());
}

/// One loop around another one, of trips of a line each.
class OutermostLoop : public ::testing::Test {
 protected:
  OutermostLoop() {
    for (const uint32_t trips : {100U, 1U}) addresses_.open(trips);
    const Address address{0x10000, {128, 128}};
    addresses_.at(address, 128, 1024, &site_);
    addresses_.read(address, 128, &site_);
    addresses_.close(body_);
  }

  Writer writer_{hvx()};
  Addresses addresses_{writer_, 128};
  std::vector<CodeStep> body_;
  const int site_ = 0;
};

TEST_F(OutermostLoop, AsksForAllBeforeItBeginsWhereItsTripsAreShort) {
  const std::vector<Addresses::Block> blocks = addresses_.blocks({128, 128, 1 << 20, 5});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].step, 0);
  EXPECT_EQ(blocks[0].rows.bytes(), 100 * 128);
}

TEST_F(OutermostLoop, AsksForAllBeforeItBeginsWhereLittleIsNew) {
  EXPECT_EQ(addresses_.blocks({129, 129, 1 << 20, 1}).at(0).rows.bytes(), 100 * 128);
}

TEST_F(OutermostLoop, AsksForTripsFurtherAheadWhereTheCacheDoesNotKeepAll) {
  const std::vector<Addresses::Block> blocks = addresses_.blocks({128, 128, 99 * 128, 5});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].step, 128);
  EXPECT_EQ(blocks[0].rows.bytes(), 128);
  EXPECT_EQ(blocks[0].first.bytes(), 5 * 128);
}

TEST_F(OutermostLoop, AsksForTheNextTripWhereThatIsLong) {
  const std::vector<Addresses::Block> blocks = addresses_.blocks({128, 128, 1 << 20, 1});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].step, 128);
  EXPECT_EQ(blocks[0].first.bytes(), 128);
}

/// A word of each line: all of them come.
TEST(Blocks, CountWholeLines) {
  Writer writer(hvx());
  Addresses addresses(writer, 128);
  const int site = 0;
  for (const uint32_t trips : {2U, 4U}) addresses.open(trips);
  const Address address{0x10010, {4096, 128}};
  addresses.at(address, 4, 4096, &site);
  addresses.read(address, 4, &site);
  std::vector<CodeStep> body;
  addresses.close(body);
  const std::vector<Addresses::Block> blocks = addresses.blocks(kAsking);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].rows.bytes(), 4 * 128);
}

constexpr const char* kTiled = R"(cdlt one {
  x=inp([64,16],i8,"DRAM");
  w=inp([4,8,32,4],u8,"DRAM",packing=[p0*4 + p3,p1*32 + p2],logical_shape=[16,256]);
  loop o(8) {
    loop k(4, stride=2) {
      w1=transfer(w[k,o,0,0],"VRF",[2,1,32,4]);
      loop k1(2) {
        acc[0]=compute("HVX","GEMM",w1[k1,0,0,0],x[0,k1],acc[0]);
      }
    }
  }
}
)";

TEST(OrderedConstants, LieAsTheLoopsReadThem) {
  const Result<codelet::Codelet> tiled = codelet::parse(kTiled, "one.cdlt");
  ASSERT_TRUE(tiled) << (tiled ? "" : render(tiled.error()));
  const std::string made = codelet::print(with_ordered_constants(*tiled, {{"w", {}}}));
  EXPECT_NE(made.find("w=inp([8,4,32,4],u8,\"DRAM\",packing=[p1*4 + p3,p0*32 + p2],logical_shape=[16,256]);"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("transfer(w[o,k,0,0],\"VRF\",[1,2,32,4]);"), std::string::npos) << made;
  EXPECT_NE(made.find("w1[0,k1,0,0]"), std::string::npos) << made;
  EXPECT_EQ(codelet::print(with_ordered_constants(*tiled, {})), codelet::print(*tiled));
}

/// x [64,1024] by w [1024,256], both of bytes, row by row and column by column.
TileProblem product() {
  TileProblem problem;
  problem.loops = {{"n", 64}, {"o", 256}, {"k", 1024}};
  problem.shared = 2;
  TileBuffer x, w;
  x.dtype = w.dtype = DType::kU8;
  x.memories = w.memories = {scalar_registers(hvx()).value()};
  x.extents = {{1, {{0, 1}}}, {1, {{2, 1}}}};
  x.tensor_shape = {64, 1024};
  x.loops = {0, 2};
  w.extents = {{1, {{2, 1}}}, {1, {{1, 1}}}};
  w.tensor_shape = {1024, 256};
  w.loops = {1, 2};
  problem.buffers = {x, w};
  return problem;
}

TEST(CacheTraffic, CountsWhatDoesNotStay) {
  const TileProblem problem = product();
  const Tiling tiles{4, 32, 1};
  const uint64_t x = 64 * 1024, w = 1024 * 256;
  const auto bytes = [&](uint64_t cache, const std::vector<size_t>& order) {
    return CacheTraffic(cache).bytes(problem, tiles, order, std::nullopt);
  };
  // Half of a cache is counted on: all of it fits, each is fetched once.
  EXPECT_EQ(bytes(2 * (x + w), {0, 1}), x + w);
  // A column of tiles of w and all of x fit: w passes once.
  EXPECT_EQ(bytes(2 * (x + w / 8), {1, 0}), x + w);
  // Row by row all of w passes for each row of tiles, which stays while it does.
  EXPECT_EQ(bytes(2 * (x + w / 8), {0, 1}), x + 16 * w);
}

}  // namespace
}  // namespace covenant::compiler::vliw
