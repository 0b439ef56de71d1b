/// What a core has done with one packet: the retire record of programs whose words are packets.
#pragma once

#include <cstdint>

namespace covenant::acg {

/// Cycles that a packet has waited, by cause; in all of its executions, where several are meant.
struct PacketStalls {
  uint64_t registers = 0;         ///< before it issued: a scalar register or predicate was not there yet
  uint64_t queue = 0;             ///< before it issued: the queue of the vector side was full
  uint64_t branches = 0;          ///< after it: a branch was taken, or guessed wrong
  uint64_t vector_registers = 0;  ///< of its vector part: a vector register was not there yet
  uint64_t vector_loads = 0;      ///< of its vector part: vectors were on their way from memory
  uint64_t turn = 0;              ///< before it issued: it was the turn of other contexts
  uint64_t vector_units = 0;      ///< of its vector part: the vector units ran parts of other contexts

  /// Cycles in which no packet of its context issued.
  uint64_t issuing() const { return registers + queue + branches + turn; }
  uint64_t all() const { return issuing() + vector_registers + vector_loads + vector_units; }
  bool operator==(const PacketStalls&) const = default;
};

struct PacketRecord {
  uint32_t block = 0;     ///< of the program
  uint64_t sequence = 0;  ///< how many packets the core has executed before, over the whole run
  uint32_t address = 0;   ///< of its first word
  uint64_t issue = 0;     ///< cycle in which it issues
  uint64_t run = 0;       ///< cycle in which its vector part runs; without one as `issue`
  uint64_t retire = 0;    ///< first cycle in which all that it writes is there
  PacketStalls stalls;
  /// Order-free sum of write_hash(memory, address, byte) (acg/isa/retire_record.h) over the bytes of its stores, each
  /// once, with the value that it left; of a store under a predicate over all of its bytes. The memory is that off
  /// chip.
  uint64_t digest = 0;
  bool operator==(const PacketRecord&) const = default;
};

}  // namespace covenant::acg
