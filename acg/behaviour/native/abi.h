/// Interface between generated machines and their host. Compiled into every generated machine: it includes
/// nothing of ours.
#pragma once

#include <cstdint>

namespace covenant::acg::behaviour::native {

/// Most statements, calls and terms of sums in a cycle.
inline constexpr uint64_t kMostWork = uint64_t{1} << 24;
/// Words of the bits of a command: data, address, and whether it writes.
inline constexpr int kCommandWords = 6;

struct State {
  uint8_t* data;     ///< elements of 1, 2, 4 or 8 bytes
  uint8_t* written;  ///< a bit for each
};

/// Items are bytes in a ring; those that were pushed in a cycle count from the next one on.
struct Queue {
  uint8_t* items;
  int64_t item_bytes;
  int64_t depth;
  int64_t head;    ///< place of the oldest
  int64_t tail;    ///< place of the next
  int64_t before;  ///< items before the cycle
  int64_t popped;  ///< in it
  int64_t pushed;
};

/// Writes that wait for the end of their step.
struct Writes {
  uint8_t* bytes;
  uint64_t size;
  uint64_t room;
};

/// The host's command, or a process that may be within an instruction.
struct Activity {
  int64_t remaining;  ///< cycles of its step
  uint32_t depth;     ///< lists of code that it is in
  uint32_t list[2];
  uint32_t at[2];
  void* frame[2];
  Writes writes;
  bool has_done;  ///< popped, pushed or waited in this turn
};

struct Machine {
  void* host;
  /// Evaluates a statement as the definition says, where generated code has met something unusual: its numbers are then
  /// in `values` and its place in `place`, and `work` is counted. False: the machine has stopped.
  bool (*evaluate)(void* host, uint32_t activity, uint32_t list, uint32_t at);
  bool (*goes_on)(void* host);  ///< false: the machine is no longer wanted
  State* states;
  Queue* queues;
  Queue** changed;  ///< queues with pops or pushes in the last cycle
  Activity* activities;
  int64_t* frame;  ///< for `evaluate`: the numbers that the statement uses
  const int64_t* values;
  int64_t place;
  uint8_t* reply;
  uint64_t reply_bytes;
  uint64_t work;     ///< in this cycle
  uint64_t unasked;  ///< work, and activities in each cycle, since `goes_on` was asked
  uint64_t most_unasked;
  uint64_t cycles;
  uint32_t queue_count;
  uint32_t changed_count;
  uint32_t activity_count;
  bool is_still;  ///< nothing but steps that go on and waits for others
};

enum Outcome : int { kEnded, kStepped, kWaits, kEntered, kFailed };

/// Functions that a generated machine exports, as `covenant_machine`.
struct Library {
  uint64_t list_count;          ///< instructions, then processes
  const uint64_t* frame_bytes;  ///< of each list
  uint64_t frame_numbers;       ///< of `Machine::frame`: the most of all
  /// The list that decodes a command's bits on a port, whose fields are then in the frame of `activity`; -1 if none.
  int64_t (*decode)(Machine* machine, uint64_t port, const uint64_t* bits);
  /// A cycle: 1 if anything goes on, 0 if not, -1 if the machine has stopped.
  int (*tick)(Machine* machine);
  /// Until `machine` asks for its host or for so many cycles: 1 if it asks, 0 if not, -1 if it has stopped, -2 if it
  /// waits for ever, -3 if the host has to say whether it asks, -4 if it is no longer wanted.
  int (*run)(Machine* machine, uint64_t most_cycles);
  /// Until the command has ended or for so many cycles: 1 if it has, 0 if not, -1, -2 and -4 as above.
  int (*command)(Machine* machine, uint64_t most_cycles);
  int (*asks)(Machine* machine);  ///< 1, 0, or -3
};

}  // namespace covenant::acg::behaviour::native
