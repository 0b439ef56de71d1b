#include "acg/base/suggest.h"

#include <gtest/gtest.h>

namespace covenant {
namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("IBUF", "IBUF"), 0U);
  EXPECT_EQ(edit_distance("IBUF", ""), 4U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("bandwdith", "bandwidth"), 1U) << "neighbours swapped count once";
}

TEST(Suggest, NearestIgnoresCaseAndRefusesTheFar) {
  const std::vector<std::string> words{"offchip", "scratchpad", "instruction", "immediate"};
  EXPECT_EQ(nearest("OffChip", words), "offchip");
  EXPECT_EQ(nearest("scratchpat", words), "scratchpad");
  EXPECT_EQ(nearest("banana", words), "");
  EXPECT_EQ(nearest("x", {"M", "N"}), "") << "a word of one letter is no slip for another one";
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), words), "") << "hostile lengths cost nothing";
}

TEST(Suggest, Fix) {
  EXPECT_EQ(suggest("offchp", {"offchip"}), "did you mean \"offchip\"?");
  EXPECT_EQ(suggest("zzz", {"offchip"}), "use one of the allowed words");
}

}  // namespace
}  // namespace covenant
