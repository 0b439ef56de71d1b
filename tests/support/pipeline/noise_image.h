/// A random off-chip memory image, for runs whose inputs do not matter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "acg/program/program.h"

namespace covenant::test {

/// Constants and words in place, inputs of noise; the same for the same seed.
inline std::vector<uint8_t> noise_image(const acg::Program& program, uint64_t seed) {
  std::vector<uint8_t> image(program.memory_bytes, 0);
  std::mt19937_64 random(seed);
  for (const acg::Segment& segment : program.segments) {
    const auto at = image.begin() + static_cast<std::ptrdiff_t>(segment.address);
    std::copy(segment.data.begin(), segment.data.end(), at);
    if (segment.kind != acg::SegmentKind::kInput) continue;
    std::generate_n(at, segment.size, [&] { return static_cast<uint8_t>(random()); });
  }
  return image;
}

}  // namespace covenant::test
