#include "offchip/address_map.h"

#include <bit>

#include "acg/base/check.h"

namespace covenant::offchip {
namespace {

uint64_t count_of(const Organization& organization, Field field) {
  switch (field) {
    case Field::kRow:
      return organization.rows;
    case Field::kBank:
      return organization.banks;
    case Field::kGroup:
      return organization.groups;
    case Field::kColumn:
      return organization.columns;
    case Field::kChannel:
      return organization.channels;
  }
  fail("count_of: unknown field");
}

}  // namespace

AddressMap::AddressMap(const Organization& organization)
    : banks_(organization.banks), bank_xor_(organization.bank_xor) {
  uint32_t shift = 0;
  for (size_t i = organization.order.size(); i-- > 0;) {
    const uint64_t count = count_of(organization, organization.order[i]);
    check(std::has_single_bit(count), "AddressMap: counts are powers of two");
    bits_[static_cast<size_t>(organization.order[i])] = {shift, count - 1};
    shift += static_cast<uint32_t>(std::countr_zero(count));
  }
  check(shift < 64, "AddressMap: a line has 64 bits");
}

Location AddressMap::locate(uint64_t line) const {
  const auto field = [&](Field which) -> const Bits& { return bits_[static_cast<size_t>(which)]; };
  const uint64_t row = field(Field::kRow).of(line);
  uint64_t group = field(Field::kGroup).of(line);
  uint64_t bank = field(Field::kBank).of(line);
  if (bank_xor_) {
    group ^= row & field(Field::kGroup).mask;
    bank ^= (row >> std::popcount(field(Field::kGroup).mask)) & field(Field::kBank).mask;
  }
  return {static_cast<uint32_t>(field(Field::kChannel).of(line)), static_cast<uint32_t>(group * banks_ + bank),
          static_cast<uint32_t>(group), row, field(Field::kColumn).of(line)};
}

}  // namespace covenant::offchip
