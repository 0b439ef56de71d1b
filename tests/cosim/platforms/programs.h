/// Programs for the devices of a scenario, with the bytes that they start from and leave.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/program/program.h"

namespace covenant::platforms {

/// The engines of two machines, and a core.
enum class Kind : uint8_t { kGenesys, kDnnweaver, kCore };
inline constexpr uint32_t kKinds = 3;

const char* name_of(Kind kind);
const acg::Machine& machine_of(Kind kind);

/// `before` lies in the device's window from `base` on.
struct Work {
  acg::Program program;
  uint64_t base = 0;
  uint64_t entry = 0;  ///< address of its first word, in the window
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;  ///< of engines: what the simulator makes of it on a plain memory
  uint64_t cycles = 0;         ///< of engines: as simulated
  uint32_t lines = 0;          ///< of a core
};

/// A layer that is drawn, of at most a few thousand cycles; for a core, lines of bytes to be copied and added up.
Work work_of(Kind kind, uint64_t seed, uint64_t index);

/// Bytes of the window of a device: no program needs more.
uint64_t window_bytes(Kind kind);

/// The core's program: line k of `kFrom` goes to `kTo`, and word k of `kSums` becomes the sum of the second
/// words of lines 0 to k.
inline constexpr uint64_t kLineBytes = 128;
inline constexpr uint64_t kFrom = 0x4000, kTo = 0x8000, kSums = 0xC000, kCoreImageBytes = 0xD000;  // in its image

}  // namespace covenant::platforms
