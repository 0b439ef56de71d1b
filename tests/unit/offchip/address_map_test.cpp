/// The mapping of addresses to channels, banks, rows and columns.
#include "offchip/address_map.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace covenant::offchip {
namespace {

Organization of(std::array<Field, 5> order, bool bank_xor = false) { return {2, 4, 2, 8, 16, 64, order, bank_xor}; }

TEST(AddressMap, TakesFieldsFromTheLowestBitsOn) {
  const AddressMap map(of({Field::kRow, Field::kBank, Field::kColumn, Field::kGroup, Field::kChannel}));
  const uint64_t line = 1 + 2 * (3 + 4 * (9 + 16 * (1 + 2 * 5)));
  EXPECT_EQ(map.locate(line), (Location{1, 3 * 2 + 1, 3, 5, 9}));
}

TEST(AddressMap, BeginsAgainPastTheEnd) {
  const Organization organization = of({Field::kChannel, Field::kRow, Field::kGroup, Field::kBank, Field::kColumn});
  const AddressMap map(organization);
  const uint64_t lines = organization.bytes() / organization.access_bytes;
  EXPECT_EQ(lines, 2U * 4 * 2 * 8 * 16);
  EXPECT_EQ(map.locate(lines + 77), map.locate(77));
}

TEST(AddressMap, EveryLineHasAPlaceOfItsOwn) {
  for (const bool bank_xor : {false, true}) {
    const Organization organization =
        of({Field::kRow, Field::kBank, Field::kColumn, Field::kGroup, Field::kChannel}, bank_xor);
    const AddressMap map(organization);
    std::set<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>> places;
    for (uint64_t line = 0; line < organization.bytes() / 64; ++line) {
      const Location place = map.locate(line);
      EXPECT_EQ(place.group, place.bank / 2);
      places.insert({place.channel, place.bank, place.row, place.column});
    }
    EXPECT_EQ(places.size(), organization.bytes() / 64);
  }
}

TEST(AddressMap, TheXorSpreadsRowsOverBanks) {
  const Organization organization =
      of({Field::kRow, Field::kBank, Field::kGroup, Field::kColumn, Field::kChannel}, true);
  const AddressMap map(organization);
  std::set<uint32_t> banks;
  for (uint64_t row = 0; row < 8; ++row) banks.insert(map.locate(row * (organization.bytes() / 64 / 8)).bank);
  EXPECT_EQ(banks.size(), 8U);
}

}  // namespace
}  // namespace covenant::offchip
