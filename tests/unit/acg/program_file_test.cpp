#include "acg/program/program_file.h"

#include <gtest/gtest.h>

#include "acg/program/listing.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg {
namespace {

using testing::small_program;

TEST(ProgramFile, RoundTrip) {
  const Program program = small_program();
  const std::vector<uint8_t> bytes = write_program(program);
  const Result<Program> again = read_program(bytes, "small.cprog");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, program);
  EXPECT_EQ(write_program(*again), bytes) << "the same bytes for equal programs";
}

TEST(ProgramFile, CarriesWhatTheHostComputes) {
  Program program = small_program();
  for (const size_t size : {size_t{1}, size_t{8}, size_t{1001}}) {
    program.host_start.assign(size + 3, static_cast<uint8_t>(size + 1));
    program.host_end.assign(size, static_cast<uint8_t>(size));
    const std::vector<uint8_t> bytes = write_program(program);
    const Result<Program> again = read_program(bytes, "end.cprog");
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(*again, program);
    EXPECT_EQ(bytes.size() % 8, 0U);
  }
}

TEST(ProgramFile, SmallestProgram) {
  Program program;
  program.machine = testing::parsed(testing::kSmallMachine);
  const Result<Program> again = read_program(write_program(program), "empty.cprog");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, program);
}

TEST(ProgramFile, EditedWordsGetARightChecksum) {
  Program program = small_program();
  program.segments[0].data[4] ^= 1;
  const Result<Program> again = read_program(write_program(program), "edited.cprog");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->segments[0].data, program.segments[0].data);
}

TEST(ProgramFile, LooksAsDocumented) {
  const std::vector<uint8_t> bytes = write_program(small_program());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "COVPROG\n");
  EXPECT_EQ(bytes[8], kProgramFileVersion);
  uint64_t size = 0;
  for (size_t i = 0; i < 8; ++i) size |= uint64_t{bytes[16 + i]} << (8 * i);
  EXPECT_EQ(size, bytes.size());
  EXPECT_EQ(bytes.size() % 8, 0U);
  EXPECT_EQ(bytes[32], '{');
}

TEST(ProgramFile, BytesThatAreNoUtf8BecomeReadable) {
  Program program = small_program();
  program.model = "caf\xe9.onnx";
  const Result<Program> again = read_program(write_program(program), "latin.cprog");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->model, "caf\xef\xbf\xbd.onnx");
}

TEST(Program, InstructionWords) {
  const std::vector<InstructionWord> words = instruction_words(small_program());
  ASSERT_EQ(words.size(), 10U);
  EXPECT_EQ(words[0], 0xa2000200U);
  EXPECT_EQ(words[9], 0U);
  EXPECT_TRUE(instruction_words(Program{}).empty());
}

}  // namespace
}  // namespace covenant::acg
