// Short loops within a loop are written out, so that the outer one is pipelined.
#include "compiler/families/vliw/written_out.h"

#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

/// Words that a short loop adds to a sum, which each trip of the outer loop stores.
struct Sums {
  Code code;
  Name from = code.make(RegisterFile::kScalar), to = code.make(RegisterFile::kScalar);
  Name sum = code.make(RegisterFile::kScalar), word = code.make(RegisterFile::kScalar);
  CodeLoop outer{20, {}};

  explicit Sums(uint32_t trips) {
    CodeLoop inner{trips, {}};
    inner.body.emplace_back(make(kL2LoadriIo, {word, from, 0}, 1));
    inner.body.emplace_back(make(kA2Addi, {from, from, 4}));
    inner.body.emplace_back(make(kA2Add, {sum, sum, word}));
    outer.body.emplace_back(make(kA2Tfrsi, {sum, 0}));
    outer.body.emplace_back(std::move(inner));
    outer.body.emplace_back(make(kS2StoreriIo, {to, 0, sum}, 2));
    outer.body.emplace_back(make(kA2Addi, {to, to, 4}));
    code.steps.emplace_back(outer);
  }

  std::optional<std::vector<CodeInstruction>> written(size_t most) {
    const RegisterAccesses accesses(hvx());
    const std::vector<size_t> uses = uses_of(code.steps, accesses, code.registers.size());
    return written_out(outer, most, accesses, uses, code.registers);
  }
};

TEST(WrittenOut, EachTripHasItsOwnValues) {
  Sums sums(3);
  const auto code = sums.written(100);
  ASSERT_TRUE(code);
  ASSERT_EQ(code->size(), 12U);
  // The word of each trip is another register; sum and pointer are the same throughout.
  EXPECT_EQ((*code)[1].instruction.operands[0], sums.word.operand());
  EXPECT_EQ((*code)[4].instruction.operands[0], Name{4}.operand());
  EXPECT_EQ((*code)[7].instruction.operands[0], Name{5}.operand());
  for (const size_t add : {3U, 6U, 9U}) EXPECT_EQ((*code)[add].instruction.operands[0], sums.sum.operand());
  EXPECT_EQ((*code)[9].instruction.operands[2], Name{5}.operand());
}

TEST(WrittenOut, NothingThatIsTooLong) {
  EXPECT_TRUE(Sums(3).written(12));
  EXPECT_FALSE(Sums(3).written(11));
}

/// A value that is read after the inner loop keeps its register.
TEST(WrittenOut, ValuesThatOthersReadStayWhereTheyAre) {
  Sums sums(2);
  sums.outer.body.emplace_back(make(kS2StoreriIo, {sums.to, 0, sums.word}, 2));
  sums.code.steps = {sums.outer};
  const auto code = sums.written(100);
  ASSERT_TRUE(code);
  EXPECT_EQ((*code)[4].instruction.operands[0], sums.word.operand());
}

TEST(WrittenOut, TheOuterLoopIsTheOneThatIsPipelined) {
  const Sums sums(4);
  std::vector<size_t> written, nested;
  count_packets(packetize(sums.code, hvx()).steps, written);
  count_packets(packetize(sums.code, hvx(), {.write_out = false}).steps, nested);
  EXPECT_EQ(written.size(), 2U);  // one loop
  EXPECT_EQ(nested.size(), 3U);
  const auto steps = allocated(packetize(sums.code, hvx()), hvx());
  EXPECT_TRUE(steps) << (steps ? "" : render(steps.error()));
}

}  // namespace
}  // namespace covenant::compiler::vliw
