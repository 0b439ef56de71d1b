/// The retire record of a packet, for programs whose words are packets.
#pragma once

#include <cstdint>

namespace covenant::acg {

/// Cycles that a packet has waited, by cause; if several executions are meant, their sum.
struct PacketStalls {
  uint64_t registers = 0;         ///< before issue: a scalar register or predicate was not ready
  uint64_t queue = 0;             ///< before issue: the queue of the vector side was full
  uint64_t branches = 0;          ///< after issue: a branch was taken, or mispredicted
  uint64_t vector_registers = 0;  ///< in its vector part: a vector register was not ready
  uint64_t vector_loads = 0;      ///< in its vector part: vectors were still being loaded from memory
  uint64_t turn = 0;              ///< before issue: it was the turn of other contexts
  uint64_t vector_units = 0;      ///< in its vector part: the vector units ran parts of other contexts

  /// Cycles in which no packet of its context issued.
  uint64_t issuing() const { return registers + queue + branches + turn; }
  uint64_t all() const { return issuing() + vector_registers + vector_loads + vector_units; }
  bool operator==(const PacketStalls&) const = default;
};

struct PacketRecord {
  uint32_t block = 0;     ///< index of the block in the program
  uint64_t sequence = 0;  ///< number of packets that the core executed before it in the whole run
  uint32_t address = 0;   ///< address of its first word
  uint64_t issue = 0;     ///< cycle in which it issues
  uint64_t run = 0;       ///< cycle in which its vector part runs; `issue` if it has none
  uint64_t retire = 0;    ///< first cycle in which all its results are visible
  PacketStalls stalls;
  /// Sum, independent of order, of write_hash(memory, address, byte) (acg/isa/retire_record.h) over the bytes of its
  /// stores, each byte once, with the value that it left; a store under a predicate counts all of its bytes. The memory
  /// is the off-chip memory.
  uint64_t digest = 0;
  bool operator==(const PacketRecord&) const = default;
};

}  // namespace covenant::acg
