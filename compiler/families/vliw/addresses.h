/// Addresses of data that a codelet accesses, kept in pointer registers that advance with the loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/families/vliw/read_rows.h"
#include "compiler/families/vliw/writer.h"

namespace covenant::compiler::vliw {

/// A byte address: `first`, plus what each open loop adds per trip.
struct Address {
  int64_t first = 0;
  std::vector<int64_t> steps;  ///< by open loop, outermost first

  /// True if it is a multiple of `bytes` in every trip.
  bool is_aligned(int64_t bytes) const;
};

/// Pointers, and the loops that advance them.
class Addresses {
 public:
  /// `line_bytes`: bytes that the last cache fetches at once.
  explicit Addresses(Writer& writer, int64_t line_bytes = 1) : writer_(writer), line_bytes_(line_bytes) {}

  /// Opens a loop of `trips` trips.
  void open(uint32_t trips);
  /// Closes the innermost loop and appends the steps of its pointers to `body`.
  void close(std::vector<CodeStep>& body);

  struct Place {
    Name pointer;
    int32_t offset = 0;  ///< in bytes
  };
  /// The place of `address` in the current trips: a pointer and an offset, a multiple of `unit` that is at most `reach`
  /// bytes before the pointer and less than `reach` after it. Accesses of one `site` share pointers.
  Place at(const Address& address, int64_t unit, int64_t reach, const void* site);

  /// The same for a vector, with fewer pointers: if none reaches `address` but one advances like it, appends to `to`
  /// the instructions that make a pointer from that one, for this place alone.
  Place made_at(const Address& address, int64_t bytes, int64_t reach, const void* site, std::vector<CodeStep>& to);

  /// The data that one site reads in one trip of the innermost loop, or before it begins.
  struct Block {
    Name pointer;
    ReadRows rows;       ///< start offsets in bytes from the pointer
    ReadRows first;      ///< rows of the trips before the first one that a trip requests
    int64_t step = 0;    ///< distance to those of the next trip; 0: rows of all trips
    int64_t beside = 0;  ///< bytes that all sites touch in one trip of the loop
  };
  /// Record that `bytes` at `address` are read or written, at a place that `at` has returned.
  void read(const Address& address, int64_t bytes, const void* site) { touch(address, bytes, site, true); }
  void write(const Address& address, int64_t bytes, const void* site) { touch(address, bytes, site, false); }

  /// Decides which loop prefetches what a site reads.
  struct Asking {
    int64_t least = 1;   ///< bytes that must be new in a trip for its loop to prefetch them
    int64_t enough = 1;  ///< as many new bytes let a loop prefetch even if the enclosing one could, too
    int64_t kept = 0;    ///< most bytes that a trip may touch if prefetched data is to survive until the next one
    int64_t ahead = 1;   ///< trips of the innermost loop until prefetched data has arrived
  };
  /// Call before the innermost loop is closed. Returns what each site within it reads in one trip. Each site is
  /// assigned to the one loop that prefetches it, the outermost one if no other does. Loops whose trips are too short
  /// leave the site to the enclosing loop; the outermost one then prefetches everything before it begins, or for a
  /// later trip.
  std::vector<Block> blocks(const Asking& asking);

 private:
  struct Pointer {
    Name name;
    const void* site = nullptr;
    int64_t first = 0;  ///< value before any loop has advanced it
    std::vector<int64_t> steps;
  };
  struct OpenLoop {
    uint32_t trips = 1;
    bool has_loops = false;        ///< contains another loop
    std::vector<size_t> pointers;  ///< pointers that are used within it
  };
  /// Bytes that one site accesses in one iteration of the loops around it.
  struct Touched {
    const void* site = nullptr;
    bool is_read = true;
    Intervals intervals;
    std::vector<Stride> loops;  ///< loops that were open
    bool is_said = false;
  };

  Writer& writer_;
  int64_t line_bytes_;
  std::vector<OpenLoop> loops_;
  std::vector<Pointer> pointers_;
  void touch(const Address& address, int64_t bytes, const void* site, bool is_read);
  /// Cache lines that the site touches while the loops from `depth` on run.
  Intervals lines_of(const Touched& touched, size_t depth) const;
  int64_t bytes_of_all(size_t depth) const;
  /// For the outermost loop: true if trips are too short or bring too little new data, and the cache keeps all that is
  /// read.
  bool is_asked_for_at_once(const Touched& read, const Asking& asking) const;
  /// The block for `intervals` that `read` reads in a trip, and for the `first` ones.
  Block block_of(const Touched& read, const Intervals& intervals, const Stride& first) const;

  std::vector<Touched> touched_;           ///< in order of first access
  std::map<size_t, int64_t> inner_trips_;  ///< by pointer: trips of the inner loop that has ended
};

}  // namespace covenant::compiler::vliw
