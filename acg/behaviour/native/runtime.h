/// What all generated machines do alike: cycles, queues, writes, and arithmetic that C++ does not have. Compiled into
/// each of them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi.h"

/// GCC would write out all turns of a loop before it asks whether they make vectors.
#ifdef __clang__
#define TURNS
#else
#define TURNS _Pragma("GCC unroll 1")
#endif

namespace covenant::acg::behaviour::native {

/// Parts that a generated machine adds.
extern const uint32_t list_sizes[];
int run_list(Machine& machine, Activity& activity, uint32_t level);
/// Whether time alone ends the wait at a place of a list.
bool waits_for_time(uint32_t list, uint32_t at);
int asks(Machine& machine);
extern const bool asks_for_time;

template <typename Number>
inline Number floor_divide(Number left, Number right, bool& bad) {
  if (right == 0) {
    bad = true;
    return 0;
  }
  if (right == -1) return -left;
  return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

template <typename Number>
inline Number floor_modulo(Number left, Number right, bool& bad) {
  if (right <= 0) {
    bad = true;
    return 0;
  }
  const Number rest = left % right;
  return rest < 0 ? rest + right : rest;
}

inline int32_t floor_log2(int64_t value, bool& bad) {
  if (value > 0) return 63 - __builtin_clzll(static_cast<uint64_t>(value));
  bad = true;
  return 0;
}

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

/// Of a command: `bits` bits from bit `at` on.
inline uint64_t bits_of(const uint64_t* words, int at, int bits) {
  const int word = at / 64, shift = at % 64;
  uint64_t value = words[word] >> shift;
  if (shift + bits > 64) value |= words[word + 1] << (64 - shift);
  return bits > 63 ? value : value & ((uint64_t{1} << bits) - 1);
}

/// Counts the terms of a sum; false if they are too many.
inline bool count_terms(int64_t first, int64_t last, uint64_t& work) {
  if (last < first) return true;
  const uint64_t steps = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  if (steps >= kMostWork) return false;
  work += steps + 1;
  return work <= kMostWork;
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

inline void apply(Machine& machine, Writes& writes) {
  for (uint64_t at = 0; at < writes.size;) {
    Write write;
    std::memcpy(&write, writes.bytes + at, sizeof(write));
    const State& state = machine.states[write.state];
    std::memcpy(state.data + write.at, writes.bytes + at + sizeof(Write), write.bytes);
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

/// Elements of a reply lie one after another, each with its lowest byte first.
inline void reply(Machine& machine, const int64_t* values, uint64_t count) {
  const uint64_t width = machine.reply_bytes / count;
  for (uint64_t i = 0; i < width * count; ++i) {
    const uint64_t byte = i % width;
    machine.reply[i] = byte > 7 ? 0 : static_cast<uint8_t>(static_cast<uint64_t>(values[i / width]) >> (8 * byte));
  }
}

/// Evaluates a statement as the definition says; `before` is the work up to it.
inline bool evaluate(Machine& machine, const Activity& activity, uint32_t level, uint32_t at, uint64_t before) {
  machine.work = before;
  return machine.evaluate(machine.host, static_cast<uint32_t>(&activity - machine.activities), activity.list[level],
                          at);
}

/// Runs an activity to the end of a step or to where it waits. 1 if it has done anything, 0 if not, -1 if it stops.
inline int advance(Machine& machine, Activity& activity, bool is_host) {
  bool has_turned = false;
  activity.has_done = false;
  while (activity.depth > 0) {
    const uint32_t top = activity.depth - 1;
    if (activity.at[top] == list_sizes[activity.list[top]]) {
      if (top > 0 || is_host) {
        machine.is_still = false;
        activity.depth = top;
        continue;
      }
      if (has_turned) {
        machine.is_still = false;
        return activity.has_done;  // a turn takes at least a cycle
      }
      has_turned = true;
      activity.at[top] = 0;
      if (list_sizes[activity.list[top]] == 0) return activity.has_done;
    }
    const int outcome = run_list(machine, activity, top);
    if (outcome == kFailed) return -1;
    if (outcome == kStepped) return 1;
    if (outcome == kWaits) return activity.has_done;
  }
  return activity.has_done;
}

inline int cycle(Machine& machine) {
  for (uint32_t i = 0; i < machine.changed_count; ++i) {
    Queue& queue = *machine.changed[i];
    queue.before += queue.pushed - queue.popped;
    queue.pushed = queue.popped = 0;
  }
  machine.changed_count = 0;
  machine.work = 0;
  machine.is_still = true;
  bool goes_on = false;
  Activity* const end = machine.activities + machine.activity_count;
  for (Activity* activity = machine.activities; activity != end; ++activity) {
    if (activity->remaining == 0 && activity->depth > 0) {
      const int done = advance(machine, *activity, activity == machine.activities);
      if (done < 0) return -1;
      if (done > 0) machine.is_still = false;
      goes_on |= done > 0;
    }
    goes_on |= activity->remaining > 0;
  }
  for (Activity* activity = machine.activities; activity != end; ++activity) {
    if (activity->remaining == 0 || --activity->remaining > 0) continue;
    machine.is_still = false;
    apply(machine, activity->writes);
    // The last step of a command ends it.
    const uint32_t kept = activity == machine.activities ? 0 : 1;
    while (activity->depth > kept &&
           activity->at[activity->depth - 1] == list_sizes[activity->list[activity->depth - 1]]) {
      --activity->depth;
    }
  }
  ++machine.cycles;
  for (Activity* activity = machine.activities; activity != end && !goes_on; ++activity) {
    if (activity->depth == 0) continue;
    goes_on = waits_for_time(activity->list[activity->depth - 1], activity->at[activity->depth - 1]);
  }
  return goes_on ? 1 : 0;
}

/// Passes cycles in which no step ends, after one in which nothing else has gone on.
inline void skip(Machine& machine, uint64_t most) {
  if (!machine.is_still) return;
  int64_t cycles = static_cast<int64_t>(most < (uint64_t{1} << 32) ? most : (uint64_t{1} << 32));
  for (uint32_t i = 0; i < machine.activity_count; ++i) {
    const int64_t remaining = machine.activities[i].remaining;
    if (remaining > 0 && remaining - 1 < cycles) cycles = remaining - 1;
  }
  if (cycles <= 0) return;
  for (uint32_t i = 0; i < machine.activity_count; ++i) {
    if (machine.activities[i].remaining > 0) machine.activities[i].remaining -= cycles;
  }
  machine.cycles += static_cast<uint64_t>(cycles);
}

inline int run(Machine& machine, uint64_t most_cycles) {
  const uint64_t begin = machine.cycles;
  while (true) {
    const int asked = asks(machine);
    if (asked != 0) return asked;
    const uint64_t done = machine.cycles - begin;
    if (done >= most_cycles) return 0;
    const int goes_on = cycle(machine);
    if (goes_on < 0) return -1;
    if (goes_on == 0) return -2;
    if (!asks_for_time && machine.cycles - begin < most_cycles) skip(machine, most_cycles - (machine.cycles - begin));
  }
}

inline int command(Machine& machine) {
  const Activity& host = machine.activities[0];
  while (host.depth > 0) {
    const int goes_on = cycle(machine);
    if (goes_on < 0) return -1;
    if (goes_on == 0 && host.depth > 0) return -2;
    if (host.depth > 0) skip(machine, uint64_t{1} << 32);
  }
  return 1;
}

}  // namespace covenant::acg::behaviour::native
