#include <gtest/gtest.h>

#include "acg/program/program_file.h"
#include "tests/property/acg/random_source.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg {
namespace {

/// Every bit of a whole file, one at a time: none may go unnoticed, none may crash the reader.
TEST(BitFlips, EverySingleOneIsRefused) {
  Program program = testing::small_program();
  // Most of a file is its machine; one without mnemonics keeps the file small.
  program.machine.mnemonics.clear();
  program.machine.computes.clear();
  program.machine.edges.clear();
  program.machine.memories.resize(2);
  std::vector<uint8_t> bytes = write_program(program);
  ASSERT_TRUE(read_program(bytes, "good.cprog"));
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    const Result<Program> read = read_program(bytes, "flipped.cprog");
    ASSERT_FALSE(read) << "bit " << bit % 8 << " of byte " << bit / 8;
    ASSERT_EQ(read.error().code.substr(0, 3), "PRG");
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
  }
}

TEST(BitFlips, BurstsAreRefused) {
  testing::RandomSource random(5);
  const std::vector<uint8_t> good = write_program(testing::small_program());
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::vector<uint8_t> bytes = good;
    const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(bytes.size()) - 1));
    const auto length = static_cast<size_t>(random.between(1, 64));
    for (size_t i = at; i < std::min(at + length, bytes.size()); ++i)
      bytes[i] = static_cast<uint8_t>(random.between(0, 255));
    if (bytes == good) continue;
    ASSERT_FALSE(read_program(bytes, "burst.cprog"));
  }
}

}  // namespace
}  // namespace covenant::acg
