/// What two backends are compared on: one record per executed command.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "acg/isa/instruction_word.h"

namespace covenant::acg {

/// Why a command issued later than the word before it was done.
/// token: a wait found no token. fetch: the engine had no words yet.
struct RetireRecord {
  uint32_t block = 0;
  uint32_t engine = 0;      ///< position in engines(machine); engines(machine).size() for the fetch unit
  uint32_t word_index = 0;  ///< of the word within its group; of the fetch unit: within the block
  uint64_t sequence = 0;    ///< how many commands this engine has executed before, over the whole run
  InstructionWord word;     ///< as encoded
  uint64_t issue = 0;       ///< cycle in which the engine accepts it
  uint64_t retire = 0;      ///< first cycle in which all it did is visible
  uint64_t first_port = 0;  ///< first and last cycle in which it used its port; both = issue if it uses none
  uint64_t last_port = 0;
  uint64_t stall = 0;  ///< cycles it waited for a token
  /// Order-free sum of write_hash(memory, address, byte) over the bytes it wrote, each once, with the value it left.
  uint64_t digest = 0;
  bool operator==(const RetireRecord&) const = default;
};

/// splitmix64 finalizer over the three packed together; shared by all backends so that digests compare.
constexpr uint64_t write_hash(uint32_t memory, uint64_t address, uint8_t value) {
  uint64_t x = (address << 16) ^ (static_cast<uint64_t>(memory) << 8) ^ value;
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// What a byte of a scratchpad holds before it is written, in runs that must not rely on zeros; all zeros if `seed` is
/// 0. Shared by all backends so that programs that read such bytes still compare.
constexpr uint8_t initial_byte(uint64_t seed, uint32_t memory, uint64_t address) {
  return seed == 0 ? uint8_t{0} : static_cast<uint8_t>(write_hash(memory, address ^ (seed << 32), 0) >> 24);
}

}  // namespace covenant::acg
