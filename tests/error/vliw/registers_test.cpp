/// Code that needs more registers than the machine has is refused, with the number that it needs.
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

/// Loads `count` vectors, then uses all of them.
Code with_vectors(size_t count) {
  Code code;
  const Name from = code.make(RegisterFile::kScalar), sum = code.make(RegisterFile::kVector);
  std::vector<Name> vectors;
  for (size_t i = 0; i < count; ++i) {
    vectors.push_back(code.make(RegisterFile::kVector));
    code.steps.emplace_back(make(kVl32bPi, {vectors.back(), from, 1}));
  }
  for (const Name& vector : vectors) code.steps.emplace_back(make(kVrmpybusAcc, {sum, vector, from}));
  for (const Name& vector : vectors) code.steps.emplace_back(make(kVrmpybusAcc, {sum, vector, from}));
  return code;
}

TEST(Registers, MoreVectorsAtOnceThanThereAre) {
  const Result<std::vector<PacketStep>> fits = allocated(packetize(with_vectors(31), hvx()), hvx());
  EXPECT_TRUE(fits) << render(fits.error());
  const Result<std::vector<PacketStep>> refused = allocated(packetize(with_vectors(32), hvx()), hvx());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "GEN0050");
  EXPECT_EQ(refused.error().message, "more values at once than vector registers");
  EXPECT_EQ(refused.error().offending, "up to 33 wanted");
  EXPECT_EQ(refused.error().allowed, std::vector<std::string>{"32"});
}

TEST(Registers, AFieldOfThreeBitsNamesEightOfThem) {
  Code code;
  const Name vector = code.make(RegisterFile::kVector);
  std::vector<Name> shifts;
  for (int32_t i = 0; i < 9; ++i) {
    shifts.push_back(code.make(RegisterFile::kScalar));
    code.steps.emplace_back(make(kA2Tfrsi, {shifts.back(), i}));
  }
  for (int i = 0; i < 2; ++i) {
    for (const Name& shift : shifts) code.steps.emplace_back(make(kVasrwhsat, {vector, vector, vector, shift}));
  }
  const Result<std::vector<PacketStep>> refused = allocated(packetize(code, hvx()), hvx());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "GEN0050");
  EXPECT_EQ(refused.error().allowed, std::vector<std::string>{"8"});
}

}  // namespace
}  // namespace covenant::compiler::vliw
