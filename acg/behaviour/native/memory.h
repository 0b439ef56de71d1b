/// Elements that have been written, writes that wait for the end of a step, and queues of generated machines.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "acg/behaviour/native/abi.h"

namespace covenant::acg::behaviour::native {

inline bool is_set(const uint8_t* bits, int64_t at) { return ((bits[at >> 3] >> (at & 7)) & 1U) != 0; }

inline uint64_t word_at(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// Whether the `count` bits from bit `at` on are set.
inline bool are_set(const uint8_t* bits, int64_t at, int64_t count) {
  for (int64_t left = count; left > 0; left -= 56, at += 56) {
    const uint64_t mask = left >= 56 ? (uint64_t{1} << 56) - 1 : (uint64_t{1} << left) - 1;
    if (((word_at(bits + (at >> 3)) >> (at & 7)) & mask) != mask) return false;
  }
  return true;
}

inline void set_bits(uint8_t* bits, int64_t at, int64_t count) {
  for (int64_t left = count; left > 0; left -= 56, at += 56) {
    const uint64_t mask = left >= 56 ? (uint64_t{1} << 56) - 1 : (uint64_t{1} << left) - 1;
    const uint64_t word = word_at(bits + (at >> 3)) | mask << (at & 7);
    std::memcpy(bits + (at >> 3), &word, sizeof(word));
  }
}

struct Write {
  uint32_t state;
  uint32_t bytes;
  int64_t at;     ///< byte in the state
  int64_t first;  ///< element; -1 if none is counted as written
  int64_t count;
};

/// Room for the elements of a write, which `end_write` completes.
inline uint8_t* begin_write(Writes& writes, uint64_t bytes) {
  const uint64_t needed = writes.size + sizeof(Write) + bytes + 64;
  if (needed > writes.room) {
    writes.room = 2 * needed;
    writes.bytes = static_cast<uint8_t*>(std::realloc(writes.bytes, writes.room));
    if (writes.bytes == nullptr) std::abort();
  }
  return writes.bytes + writes.size + sizeof(Write);
}

inline void end_write(Writes& writes, uint32_t state, int64_t at, int64_t count, int64_t width, bool counts) {
  const Write made{state, static_cast<uint32_t>(count * width), at * width, counts ? at : -1, count};
  std::memcpy(writes.bytes + writes.size, &made, sizeof(made));
  writes.size += sizeof(Write) + ((made.bytes + 7U) & ~7U);
}

/// Copies bytes; most often they are one number.
inline void copy(uint8_t* to, const uint8_t* from, uint32_t bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

inline void apply(Machine& machine, Writes& writes) {
  for (uint64_t at = 0; at < writes.size;) {
    Write write;
    std::memcpy(&write, writes.bytes + at, sizeof(write));
    const State& state = machine.states[write.state];
    copy(state.data + write.at, writes.bytes + at + sizeof(Write), write.bytes);
    if (write.first >= 0) set_bits(state.written, write.first, write.count);
    at += sizeof(Write) + ((write.bytes + 7U) & ~7U);
  }
  writes.size = 0;
}

inline void touch(Machine& machine, Queue& queue) {
  if (queue.popped + queue.pushed == 0) machine.changed[machine.changed_count++] = &queue;
}

inline bool has_item(const Queue& queue) { return queue.before > queue.popped; }
inline bool has_room(const Queue& queue) { return queue.before + queue.pushed < queue.depth; }
inline const uint8_t* oldest(const Queue& queue) { return queue.items + queue.head * queue.item_bytes; }
inline uint8_t* newest(const Queue& queue) { return queue.items + queue.tail * queue.item_bytes; }

inline void pop(Machine& machine, Queue& queue) {
  touch(machine, queue);
  ++queue.popped;
  if (++queue.head == queue.depth) queue.head = 0;
}

inline void push(Machine& machine, Queue& queue) {
  touch(machine, queue);
  ++queue.pushed;
  if (++queue.tail == queue.depth) queue.tail = 0;
}

}  // namespace covenant::acg::behaviour::native
