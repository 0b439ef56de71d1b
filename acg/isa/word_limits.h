/// The largest numbers that a machine's words can say: what programs for it must keep to.
#pragma once

#include <cstdint>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Of `last`, `run_last` and limits: units have 16 bits for them, however wide the field.
inline constexpr uint32_t kMostCount = 65535;

/// Each is what the narrowest field for it holds, and at most what the units hold (docs/reference/genesys-isa.md). Of
/// an operation that no mnemonic says, the latter.
struct WordLimits {
  int64_t tile_trips = 0;   ///< iterations of a loop of a sequencer
  int64_t walk_trips = 0;   ///< of an inner loop of an address generator: of a transfer or of a pass
  int64_t nest_trips = 0;   ///< of a level of a SIMD array's nest
  int64_t run_bytes = 0;    ///< of a load or store, moved without a step of an inner loop
  int64_t axis_length = 0;  ///< rows or columns of a tensor that a transfer compares with
  int64_t slots = 0;        ///< channels of a memory
  int64_t group_words = 0;  ///< of one engine in a block
};

WordLimits word_limits(const Machine& machine);

/// How words set a number of 32 bits: part k is its bits from k * bits on, and words can say parts 0..count-1.
struct ValueParts {
  uint32_t bits = 16;
  uint32_t count = 2;
  bool operator==(const ValueParts&) const = default;
};

/// A part is as wide as the narrowest field for `value` in the words of the number, 32 bits at most; 16 where the
/// machine has none.
struct WordParts {
  ValueParts base, stride;  ///< of an address generator
  ValueParts simd_base, simd_stride, immediate;
  /// Of the table of a SIMD array, whose words name their part by `index`: `count` is what the whole table has.
  ValueParts table;
  /// Of zero point, lowest and highest value of a quantisation.
  ValueParts quantization;
};

WordParts word_parts(const Machine& machine);

/// Of the table of each SIMD array: an entry for every value of the widest source of a LOOKUP that one of them has, as
/// wide as the widest result. 256 bytes where none has one.
uint32_t table_bytes(const Machine& machine);

/// Bytes of the pattern that `fill` sets: those of the widest element of less than 32 bits that a capability names, at
/// least one.
uint32_t fill_bytes(const Machine& machine);

}  // namespace covenant::acg
