/// Retire records, one per executed command: two backends are compared by them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "acg/encoding/instruction_word.h"

namespace covenant::acg {

/// Record of one executed command. Reasons for which it may have issued later than the end of the word before it: token
/// (a wait found no token), fetch (the engine had no words yet).
struct RetireRecord {
  uint32_t block = 0;
  uint32_t engine = 0;      ///< position in engines(machine); engines(machine).size() for the fetch unit
  uint32_t word_index = 0;  ///< index of the word within its group; for the fetch unit, within the block
  uint64_t sequence = 0;    ///< number of commands that this engine executed before it in the whole run
  InstructionWord word;     ///< the encoded word
  uint64_t issue = 0;       ///< cycle in which the engine accepts it
  uint64_t retire = 0;      ///< first cycle in which all its effects are visible
  uint64_t first_port = 0;  ///< first and last cycle in which it used its port; both = issue if it uses none
  uint64_t last_port = 0;
  uint64_t stall = 0;  ///< cycles it waited for a token
  /// Sum, independent of order, of write_hash(memory, address, byte) over the bytes it wrote, each once, with the value
  /// that it left.
  uint64_t digest = 0;
  bool operator==(const RetireRecord&) const = default;
};

/// splitmix64 finalizer over the packed arguments; shared by all backends so that digests can be compared.
constexpr uint64_t write_hash(uint32_t memory, uint64_t address, uint8_t value) {
  uint64_t x = (address << 16) ^ (static_cast<uint64_t>(memory) << 8) ^ value;
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The content of a scratchpad byte before it is first written, for runs that must not rely on zeros; all zeros if
/// `seed` is 0. Shared by all backends so that programs that read such bytes still compare equal.
constexpr uint8_t initial_byte(uint64_t seed, uint32_t memory, uint64_t address) {
  return seed == 0 ? uint8_t{0} : static_cast<uint8_t>(write_hash(memory, address ^ (seed << 32), 0) >> 24);
}

}  // namespace covenant::acg
