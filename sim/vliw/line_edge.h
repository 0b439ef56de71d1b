/// The edge between off-chip memory and the cache next to it: lines cross it in the order of their requests.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "sim/vliw/moments.h"

namespace covenant::sim::vliw {

/// A request reaches the memory when it is made and all lines before it have moved their beats over the edge. The line
/// has arrived `beats` cycles after the memory has answered, not before the latency, and not before the previous line.
class LineEdge {
 public:
  /// `latency`: of the memory and of the edge together, in cycles.
  LineEdge(uint64_t latency, uint64_t beat_bytes) : latency_(latency), beat_bytes_(beat_bytes) {}

  /// A line that is with the memory from cycle `begin` on.
  struct Request {
    uint64_t begin = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool is_store = false;
    bool is_wanted = true;  ///< the requester cannot continue without it
  };
  /// From now on the memory is asked: `ask` is called for every line in order, and `answered` when the memory has
  /// answered. Moments of `moments`, which must outlive this, are not known before that. Without it, the latency alone
  /// counts.
  void ask_with(std::function<void(const Request&)> ask, Moments& moments);
  bool asks() const { return moments_ != nullptr; }

  /// The moment at which the line will have arrived. `now` and the result are moments.
  uint64_t read(uint64_t address, uint32_t bytes, uint64_t now, bool is_wanted = true);
  void write(uint64_t address, uint32_t bytes, uint64_t now);

  /// The line at `address`, which a cache holds, is used: the requester cannot continue without it from now on. Calls
  /// what `refuse_with` has set if the memory has refused it.
  void want(uint64_t address) {
    if (!prefetched_.empty()) [[unlikely]]
      want_prefetched(address);
  }
  /// The line at `address` is stored as a whole: nothing needs what was fetched.
  void replace(uint64_t address) { prefetched_.erase(address); }
  /// Called when a line is used that the memory has refused when nothing needed it. May throw.
  void refuse_with(std::function<void(uint64_t address)> refuse) { refuse_ = std::move(refuse); }

  /// Asks for the lines of which it is known when.
  void advance();
  /// True if the requester cannot continue without the oldest requested line.
  bool is_wanted() const { return asked_.front().request.is_wanted; }
  /// The oldest requested line is answered in `cycle`: its bytes have arrived, or have been written. `is_refused`: they
  /// have not. Precondition then: it is not wanted.
  void answered(uint64_t cycle, bool is_refused = false);

  /// First cycle in which it is idle, after all requested lines.
  uint64_t free() const { return free_; }
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_written() const { return bytes_written_; }
  /// Cycles in which a line moves over it, or will.
  uint64_t beats() const { return beats_; }
  /// Cycles in which a line was due, and memory had not answered.
  uint64_t stalled() const { return stalled_; }

 private:
  struct Waiting {
    Request request;
    uint64_t now = 0;   ///< a moment
    uint64_t come = 0;  ///< a moment, of a line that is read
    uint64_t number = 0;
  };
  /// A line that nothing has used since it was requested.
  struct Prefetched {
    uint64_t number = 0;  ///< of its request
    bool is_refused = false;
  };
  void want_prefetched(uint64_t address);
  void note_answer(const Waiting& line, bool is_refused);
  uint64_t beats_of(uint32_t bytes) const { return (bytes + beat_bytes_ - 1) / beat_bytes_; }
  /// The first cycle from `now` on in which the edge is idle; reserves it for `beats` beats.
  uint64_t take(uint64_t now, uint64_t beats);

  uint64_t latency_;
  uint64_t beat_bytes_;
  Moments* moments_ = nullptr;
  std::function<void(const Request&)> ask_;
  std::deque<Waiting> waiting_;                ///< not requested yet
  std::deque<Waiting> asked_;                  ///< not answered yet
  std::map<uint64_t, Prefetched> prefetched_;  ///< by address: those that have no answer or are refused
  std::function<void(uint64_t)> refuse_;
  uint64_t reads_ = 0;
  uint64_t free_ = 0;
  uint64_t come_ = 0;  ///< cycle in which the last line that has been answered has come
  uint64_t bytes_read_ = 0, bytes_written_ = 0, beats_ = 0, stalled_ = 0;
};

}  // namespace covenant::sim::vliw
