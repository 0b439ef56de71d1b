#include "sim/sc/families.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"
#include "sim/sc/stream/family.h"
#include "sim/sc/vliw/family.h"

namespace covenant::sim {
namespace {

constexpr std::array<const Family*, 2> kFamilies{&kVliwFamily, &kStreamFamily};

}  // namespace

const Family& family_of(const acg::Machine& machine) {
  const auto* const found =
      std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family* family) { return family->owns(machine); });
  check(found != kFamilies.end(), "every machine belongs to a family");
  return **found;
}

}  // namespace covenant::sim
