/// The edge between off-chip memory and the cache next to it: lines cross it in the order of their requests.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

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

  /// Asks for the lines of which it is known when.
  void advance();
  /// The oldest requested line is answered in `cycle`: its bytes have arrived, or have been written.
  void answered(uint64_t cycle);

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
  };
  uint64_t beats_of(uint32_t bytes) const { return (bytes + beat_bytes_ - 1) / beat_bytes_; }
  /// The first cycle from `now` on in which the edge is idle; reserves it for `beats` beats.
  uint64_t take(uint64_t now, uint64_t beats);

  uint64_t latency_;
  uint64_t beat_bytes_;
  Moments* moments_ = nullptr;
  std::function<void(const Request&)> ask_;
  std::deque<Waiting> waiting_;  ///< not requested yet
  std::deque<Waiting> asked_;    ///< not answered yet
  uint64_t free_ = 0;
  uint64_t come_ = 0;  ///< cycle in which the last line that has been answered has come
  uint64_t bytes_read_ = 0, bytes_written_ = 0, beats_ = 0, stalled_ = 0;
};

}  // namespace covenant::sim::vliw
