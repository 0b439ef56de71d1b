/// The edge between off-chip memory and the cache before it: lines cross it in the order in which they are asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "sim/units/vliw_core/moments.h"

namespace covenant::sim::vliw {

/// A line is with the memory when it is asked for and all lines before it have had their beats on the edge. It has come
/// `beats` cycles after the memory has answered, after the latency at the earliest, and after the line before it.
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
    bool is_wanted = true;  ///< whoever has asked cannot do without it
  };
  /// From now on memory says itself when it answers: `ask` is called for every line, in their order, and `answered`
  /// when the memory has. The moments of `moments`, which outlives this, are then not known before. Without it the
  /// latency is all that there is.
  void ask_with(std::function<void(const Request&)> ask, Moments& moments);
  bool asks() const { return moments_ != nullptr; }

  /// When the line will have come. `now` and what is returned are moments.
  uint64_t read(uint64_t address, uint32_t bytes, uint64_t now, bool is_wanted = true);
  void write(uint64_t address, uint32_t bytes, uint64_t now);

  /// Asks for the lines of which it is known when.
  void advance();
  /// The oldest line that has been asked for is answered in `cycle`: its bytes are there, or have been taken.
  void answered(uint64_t cycle);

  /// Cycle from which it is idle, as far as lines have been asked for.
  uint64_t free() const { return free_; }
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_written() const { return bytes_written_; }
  /// Cycles in which a line was due, and memory had not answered.
  uint64_t stalled() const { return stalled_; }

 private:
  struct Waiting {
    Request request;
    uint64_t now = 0;   ///< a moment
    uint64_t come = 0;  ///< a moment, of a line that is read
  };
  uint64_t beats_of(uint32_t bytes) const { return (bytes + beat_bytes_ - 1) / beat_bytes_; }
  /// The first cycle from `now` on in which the edge is idle; it is then taken for so many beats.
  uint64_t take(uint64_t now, uint64_t beats);

  uint64_t latency_;
  uint64_t beat_bytes_;
  Moments* moments_ = nullptr;
  std::function<void(const Request&)> ask_;
  std::deque<Waiting> waiting_;  ///< not asked for yet
  std::deque<Waiting> asked_;    ///< not answered yet
  uint64_t free_ = 0;
  uint64_t come_ = 0;  ///< cycle in which the last line that has been answered has come
  uint64_t bytes_read_ = 0, bytes_written_ = 0, stalled_ = 0;
};

}  // namespace covenant::sim::vliw
