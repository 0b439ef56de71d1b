#include "acg/program/parts_file.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/program/program_file.h"
#include "tests/unit/acg/small_parts.h"

namespace covenant::acg {
namespace {

using testing::small_parts;

TEST(PartsFile, RoundTrip) {
  const ProgramParts parts = small_parts();
  const std::vector<uint8_t> bytes = write_parts(parts);
  EXPECT_TRUE(is_parts_file(bytes));
  const Result<ProgramParts> again = read_parts(bytes, "small.cprog");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, parts);
  EXPECT_EQ(write_parts(*again), bytes) << "the same bytes for equal programs";
}

TEST(PartsFile, HoldsEachProgramAsAFileOfItsOwn) {
  const ProgramParts parts = small_parts();
  const std::vector<uint8_t> bytes = write_parts(parts);
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "COVPARTS");
  EXPECT_EQ(bytes[8], kPartsFileVersion);
  auto from = bytes.begin();
  for (const Part& part : parts.parts) {
    const std::vector<uint8_t> one = write_program(part.program);
    EXPECT_FALSE(is_parts_file(one));
    from = std::search(from, bytes.end(), one.begin(), one.end());
    ASSERT_NE(from, bytes.end());
    EXPECT_EQ((from - bytes.begin()) % 8, 0);
  }
}

TEST(ProgramParts, ShowInputsAndOutputsOfTheWhole) {
  const ProgramParts parts = small_parts();
  std::vector<std::string> names;
  for (const TensorBinding& binding : inputs_of(parts)) names.push_back(binding.name);
  for (const TensorBinding& binding : outputs_of(parts)) names.push_back(binding.name);
  EXPECT_EQ(names, (std::vector<std::string>{"image", "image", "before", "z", "after"}));
  TensorBinding image = parts.parts[0].program.inputs[0];
  image.name = "image";
  EXPECT_EQ(inputs_of(parts)[0], image);
}

TEST(ProgramParts, HandOnElementsOfOneTypeHoweverMemoryHoldsThem) {
  ProgramParts parts = small_parts();
  TensorBinding& h = parts.parts[1].program.inputs[0];
  h.model_dtype = h.dtype;
  h.dtype = DType::kI16;
  EXPECT_TRUE(check_parts(parts));
  h.model_dtype.reset();
  EXPECT_FALSE(check_parts(parts));
}

}  // namespace
}  // namespace covenant::acg
