/// Cycles of generated machines, which all of them pass alike. Compiled into each of them.
#pragma once

#include <cstdint>

#include "acg/behaviour/native/abi.h"
#include "acg/behaviour/native/memory.h"
#include "acg/behaviour/native/numbers.h"

namespace covenant::acg::behaviour::native {

/// Parts that a generated machine adds.
extern const uint32_t list_sizes[];
int run_list(Machine& machine, Activity& activity, uint32_t level);
/// Whether time alone ends the wait at a place of a list.
bool waits_for_time(uint32_t list, uint32_t at);
int asks(Machine& machine);
extern const bool asks_for_time;

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
    const uint32_t top = activity->depth - 1;
    goes_on = activity->depth > 0 && waits_for_time(activity->list[top], activity->at[top]);
  }
  return goes_on ? 1 : 0;
}

/// Passes cycles in which no step ends, after one in which nothing else has gone on.
inline void skip(Machine& machine, uint64_t most) {
  if (!machine.is_still) return;
  int64_t cycles = static_cast<int64_t>(most < (uint64_t{1} << 32) ? most : (uint64_t{1} << 32));
  Activity* const end = machine.activities + machine.activity_count;
  for (const Activity* one = machine.activities; one != end; ++one) {
    if (one->remaining > 0 && one->remaining - 1 < cycles) cycles = one->remaining - 1;
  }
  if (cycles <= 0) return;
  for (Activity* one = machine.activities; one != end; ++one) one->remaining -= one->remaining > 0 ? cycles : 0;
  machine.cycles += static_cast<uint64_t>(cycles);
}

/// Whether the machine is still wanted after a cycle.
inline bool is_wanted(Machine& machine) {
  machine.unasked += machine.work + machine.activity_count;
  if (machine.unasked < machine.most_unasked) return true;
  machine.unasked = 0;
  return machine.goes_on(machine.host);
}

inline int run(Machine& machine, uint64_t most_cycles) {
  const uint64_t begin = machine.cycles;
  while (true) {
    if (const int asked = asks(machine); asked != 0) return asked;
    const uint64_t done = machine.cycles - begin;
    if (done >= most_cycles) return 0;
    if (!is_wanted(machine)) return -4;
    if (const int goes_on = cycle(machine); goes_on <= 0) return goes_on < 0 ? -1 : -2;
    if (!asks_for_time && machine.cycles - begin < most_cycles) skip(machine, most_cycles - (machine.cycles - begin));
  }
}

inline int command(Machine& machine, uint64_t most_cycles) {
  const Activity& host = machine.activities[0];
  for (const uint64_t begin = machine.cycles; host.depth > 0;) {
    if (machine.cycles - begin >= most_cycles) return 0;
    if (!is_wanted(machine)) return -4;
    const int goes_on = cycle(machine);
    if (goes_on < 0) return -1;
    if (goes_on == 0 && host.depth > 0) return -2;
    if (host.depth > 0) skip(machine, most_cycles - (machine.cycles - begin));
  }
  return 1;
}

}  // namespace covenant::acg::behaviour::native
