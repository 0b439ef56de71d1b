// Numbers in a field's bits: each value is carried or refused, and what is carried comes back.
#include <gtest/gtest.h>
#include <set>

#include "acg/encoding/mnemonic.h"

namespace covenant::acg {
namespace {

/// A number of `width` bits.
Field number(uint32_t width, bool is_signed = false, uint32_t scale = 1, uint32_t top = 0) {
  Field field;
  field.width = width;
  field.is_signed = is_signed;
  field.scale = scale;
  field.top = top;
  return field;
}

/// Every value around those that the bits of `field` can mean is encoded if and only if some bits mean it.
void expect_exact(const Field& field) {
  std::set<int64_t> meant;
  for (uint32_t bits = 0; bits < (uint32_t{1} << field.width); ++bits) meant.insert(value_of_bits(field, bits));
  EXPECT_EQ(*meant.begin(), lowest_value(field));
  EXPECT_EQ(*meant.rbegin(), highest_value(field));
  for (int64_t value = *meant.begin() - 2; value <= *meant.rbegin() + 2; ++value) {
    const std::optional<uint32_t> bits = bits_of_value(field, value);
    ASSERT_EQ(bits.has_value(), meant.contains(value)) << value;
    if (bits) {
      EXPECT_EQ(value_of_bits(field, *bits), value);
    }
  }
}

TEST(Field, UnsignedAndSigned) {
  expect_exact(number(4));
  expect_exact(number(4, true));
}

TEST(Field, Steps) {
  expect_exact(number(4, false, 4));
  expect_exact(number(5, true, 8));
}

TEST(Field, ValuesBetweenTheTwoRangesAreRefused) {
  const Field half_of_the_registers = number(4, false, 1, 16);
  expect_exact(half_of_the_registers);
  EXPECT_EQ(bits_of_value(half_of_the_registers, 7), 7);
  EXPECT_EQ(bits_of_value(half_of_the_registers, 8), std::nullopt);
  EXPECT_EQ(bits_of_value(half_of_the_registers, 15), std::nullopt);
  EXPECT_EQ(bits_of_value(half_of_the_registers, 16), 8);
  expect_exact(number(4, false, 2, 32));
}

}  // namespace
}  // namespace covenant::acg
