/// Random code on virtual registers: nests of loops, products, sums, shifts and permutations, loads and stores.
#pragma once

#include <map>

#include "compiler/families/vliw/code.h"
#include "tests/property/acg/random_source.h"

namespace covenant::compiler::vliw::testing {

/// Loads read the first half of the data, stores write the second.
inline constexpr uint32_t kDataAddress = 0x1000000, kDataBytes = 0x20000;

struct RandomCode {
  Code code;
  std::map<uint32_t, uint32_t> given;  ///< addresses in scalars at the start, by virtual register
};

/// Its addresses stay within the data. What it computes is stored at the end, and now and then before.
RandomCode random_code(acg::testing::RandomSource& random);

}  // namespace covenant::compiler::vliw::testing
