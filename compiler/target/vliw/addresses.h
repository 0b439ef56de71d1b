/// Addresses of what a codelet reads and writes, kept in registers that move on with the loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
  explicit Addresses(Writer& writer) : writer_(writer) {}

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

  /// What is read at one site in one trip of the innermost loop, or before it begins: bytes from a pointer on.
  struct Block {
    Name pointer;
    int64_t offset = 0;  ///< bytes
    int64_t bytes = 0;
    int64_t step = 0;    ///< to that of the next trip; 0: of all trips
    int64_t beside = 0;  ///< bytes that all sites read in one trip of the loop
  };
  /// Notes that `bytes` at `address` are read, at a place that `at` has said.
  void read(const Address& address, int64_t bytes, const void* site);
  /// Before the innermost loop is closed: what each site within it reads in one trip. Of those that no loop moves which
  /// has others within and is around it, and none within it: each site is said once, of a loop in one of whose trips it
  /// reads `least` bytes, or of the outermost one.
  std::vector<Block> blocks(int64_t least);

 private:
  struct Pointer {
    Name name;
    std::vector<int64_t> steps;
  };
  struct OpenLoop {
    uint32_t trips = 1;
    bool has_loops = false;        ///< within it
    std::vector<size_t> pointers;  ///< that are used within it
  };
  /// Bytes that one site reads while the loops around it stand.
  struct Read {
    const void* site = nullptr;
    int64_t least = 0, most = 0;
    std::vector<int64_t> steps;   ///< of the loops that were open
    std::vector<uint32_t> trips;  ///< of these
    bool is_said = false;
  };
  /// Site, steps, and what the pointer is at first.
  using Key = std::tuple<const void*, std::vector<int64_t>, int64_t>;

  Writer& writer_;
  std::vector<OpenLoop> loops_;
  std::vector<Pointer> pointers_;
  std::map<Key, size_t> known_;
  /// From the first to the last byte, while the loops from `depth` on turn.
  static std::pair<int64_t, int64_t> span(const Read& read, size_t depth);

  std::vector<Read> reads_;                ///< in the order in which they were met
  std::map<size_t, int64_t> inner_trips_;  ///< by pointer: of the loop within that has ended
};

}  // namespace covenant::compiler::vliw
