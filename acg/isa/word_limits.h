/// The largest numbers that the instruction words of a machine can encode: limits for every program.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Limit of `last`, `run_last` and axis limits: units hold them in 16 bits, however wide the field is.
inline constexpr uint32_t kMostCount = 65535;

/// Each limit is what the narrowest field can encode, and at most what the units hold (docs/reference/genesys-isa.md).
/// If no mnemonic implements the operation, the latter.
struct WordLimits {
  int64_t tile_trips = 0;   ///< iterations of a loop of a sequencer
  int64_t walk_trips = 0;   ///< iterations of an inner loop of an address generator: of a transfer or of a pass
  int64_t nest_trips = 0;   ///< iterations of a level of a SIMD array's nest
  int64_t run_bytes = 0;    ///< bytes that a load or store moves without a step of an inner loop
  int64_t axis_length = 0;  ///< rows or columns of a tensor that a transfer compares with its limits
  int64_t slots = 0;        ///< channels of a memory
  int64_t group_words = 0;  ///< words of one engine in a block
};

WordLimits word_limits(const Machine& machine);

/// How words set a 32-bit number in parts: part k is its bits from k * bits upwards, and words can set parts
/// 0..count-1.
struct ValueParts {
  uint32_t bits = 16;
  uint32_t count = 2;
  bool operator==(const ValueParts&) const = default;
};

/// A part is as wide as the narrowest field for `value` in the words that set the number, at most 32 bits; 16 if the
/// machine has no such words.
struct WordParts {
  ValueParts base, stride;  ///< numbers of an address generator
  ValueParts simd_base, simd_stride, immediate;
  /// The table of a SIMD array, whose words name their part by `index`: `count` parts make up the whole table.
  ValueParts table;
  /// Zero point, lowest and highest value of a quantisation.
  ValueParts quantization;
};

WordParts word_parts(const Machine& machine);

/// Bytes of the LOOKUP table of each SIMD array: one entry for every value of the widest source that a LOOKUP
/// capability has, as wide as its widest result. 256 bytes if no array has a LOOKUP.
uint32_t table_bytes(const Machine& machine);

/// Bytes of the pattern that `fill` sets: those of the widest element of less than 32 bits that a capability names, at
/// least one.
uint32_t fill_bytes(const Machine& machine);

}  // namespace covenant::acg
