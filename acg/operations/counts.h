/// How many loop levels, channels, iterators and table entries instruction words can name.
#pragma once

#include <cstdint>

namespace covenant::acg {

/// Numbers of loop levels: of the sequencer, of inner loops of a systolic pass, and of inner loops of a DMA transfer.
inline constexpr uint32_t kTileLoops = 7;      // levels 0..6, outermost first
inline constexpr uint32_t kFirstPassLoop = 7;  // levels 7..13
inline constexpr uint32_t kPassLoops = 7;
inline constexpr uint32_t kFirstTransferLoop = 14;  // levels 14 (plane), 15 (row), 16 (column)
inline constexpr uint32_t kTransferLoops = 3;
inline constexpr uint32_t kLoopLevels = 17;
inline constexpr uint32_t kSimdLevels = 8;                       // levels 0..7 of a SIMD nest, outermost first
inline constexpr uint32_t kChannelSlots = 4, kMaxChannels = 32;  // channels of a memory, by default and at most
inline constexpr uint32_t kIteratorEntries =
    32;  // per memory; channel slot s has entries s*e .. s*e+e-1, e = 32 / channels
inline constexpr uint32_t kImmediateSlots = 32;
/// The table of LOOKUP has an entry for every value of its source, which has at most 8 bits; an entry is a byte, or 32
/// bits for f32.
inline constexpr uint32_t kMostTableEntries = 256, kMostTableBytes = 4 * kMostTableEntries;

}  // namespace covenant::acg
