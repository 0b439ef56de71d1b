/// Row of `simd_array`, and its nodes in random machines.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/draw.h"
#include "fuzz/random_unit.h"

namespace covenant::runtime::units {

extern const RandomUnit kSimdArray;

/// Properties that all SIMD arrays of one machine share.
struct DrawnLanes {
  int64_t lanes = 1;
  int64_t element_bits = 8;     ///< of narrow elements
  bool in_fixed_point = false;  ///< sums are scaled so
  bool half_away = false;       ///< and halves rounded away from zero
};

/// Capabilities in any order, with random latencies; one in `times` is missing, if that is not 0.
std::string lane_abilities(Draw& draw, const DrawnLanes& drawn, int64_t times = 0);

/// The node as `.acg` text.
std::string lanes_text(const std::string& name, const DrawnLanes& drawn, const std::string& abilities);

}  // namespace covenant::runtime::units
