/// Addresses of what a codelet reads and writes, kept in registers that move on with the loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/target/vliw/read_rows.h"
#include "compiler/target/vliw/writer.h"

namespace covenant::compiler::vliw {

/// A byte address: `first`, and what each of the loops that are open adds in every trip.
struct Address {
  int64_t first = 0;
  std::vector<int64_t> steps;  ///< by open loop, outermost first

  /// True if it is a multiple of `bytes` in every trip.
  bool is_aligned(int64_t bytes) const;
};

/// Pointers, and the loops that move them.
class Addresses {
 public:
  /// `line_bytes`: that come into the last cache at once.
  explicit Addresses(Writer& writer, int64_t line_bytes = 1) : writer_(writer), line_bytes_(line_bytes) {}

  /// A loop begins, of so many trips.
  void open(uint32_t trips);
  /// The innermost loop ends: `body` gets the steps of its pointers.
  void close(std::vector<Step>& body);

  struct Place {
    Name pointer;
    int32_t offset = 0;  ///< bytes
  };
  /// Where `address` is in the current trips: a pointer, and an offset, a multiple of `unit`, of at most `reach` bytes
  /// before it and less than `reach` after it. Those of one `site` share pointers.
  Place at(const Address& address, int64_t unit, int64_t reach, const void* site);

  /// The same of a vector, with fewer pointers: where none reaches `address` but one moves as it does, `to` gets what
  /// makes a pointer of that one, for this place alone.
  Place made_at(const Address& address, int64_t bytes, int64_t reach, const void* site, std::vector<Step>& to);

  /// What is read at one site in one trip of the innermost loop, or before it begins.
  struct Block {
    Name pointer;
    ReadRows rows;       ///< where they begin: bytes from the pointer on
    ReadRows first;      ///< of the trips before the first one for which a trip has asked
    int64_t step = 0;    ///< to those of the next trip; 0: of all trips
    int64_t beside = 0;  ///< bytes that all sites touch in one trip of the loop
  };
  /// Notes that `bytes` at `address` are read or written, at a place that `at` has said.
  void read(const Address& address, int64_t bytes, const void* site) { touch(address, bytes, site, true); }
  void write(const Address& address, int64_t bytes, const void* site) { touch(address, bytes, site, false); }

  /// Which loop asks for what a site reads.
  struct Asking {
    int64_t least = 1;   ///< bytes that a trip reads and the one before it has not, for a loop to ask for them
    int64_t enough = 1;  ///< of these: for a loop to ask though the one around it could, too
    int64_t kept = 0;    ///< bytes that a trip may touch, for what it asks for to be there in the next one
    int64_t ahead = 1;   ///< trips of the innermost loop that pass until what is asked for has come
  };
  /// Before the innermost loop is closed: what each site within it reads in one trip. Of those that no loop moves which
  /// has others within and is around it, and none within it: each site is said once, of the loop that asks for it,
  /// which is the outermost one where no other does. Loops that turn too fast for the next trip leave it to the one
  /// around them; the outermost one then asks for all before it begins, or for a trip further ahead.
  std::vector<Block> blocks(const Asking& asking);

 private:
  struct Pointer {
    Name name;
    const void* site = nullptr;
    int64_t first = 0;  ///< before any loop has moved it
    std::vector<int64_t> steps;
  };
  struct OpenLoop {
    uint32_t trips = 1;
    bool has_loops = false;        ///< within it
    std::vector<size_t> pointers;  ///< that are used within it
  };
  /// Bytes that one site reads or writes while the loops around it stand.
  struct Touched {
    const void* site = nullptr;
    bool is_read = true;
    Pieces pieces;
    std::vector<Stride> loops;  ///< that were open
    bool is_said = false;
  };

  Writer& writer_;
  int64_t line_bytes_;
  std::vector<OpenLoop> loops_;
  std::vector<Pointer> pointers_;
  void touch(const Address& address, int64_t bytes, const void* site, bool is_read);
  /// Lines of the cache that it touches while the loops from `depth` on turn.
  Pieces lines_of(const Touched& touched, size_t depth) const;
  int64_t bytes_of_all(size_t depth) const;
  /// Of the outermost loop: trips are too short, or have too little that is new, and the cache keeps what all read.
  bool is_asked_for_at_once(const Touched& read, const Asking& asking) const;
  /// Of pieces that `read` reads in a trip, and in the `first` ones.
  Block block_of(const Touched& read, const Pieces& pieces, const Stride& first) const;

  std::vector<Touched> touched_;           ///< in the order in which they were met
  std::map<size_t, int64_t> inner_trips_;  ///< by pointer: of the loop within that has ended
};

}  // namespace covenant::compiler::vliw
