/// The tags of a cache: which lines it holds, and since when. Contents are those of memory and need no copy.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::sim::vliw {

/// Lines are replaced that have not been used for the longest time, among kWays of them.
class Cache {
 public:
  static constexpr uint32_t kWays = 8;

  /// `latency`: cycles from a question to its answer. There is at least one set.
  Cache(uint64_t bytes, uint32_t line_bytes, uint32_t latency);

  // A copy would find its lines in the original.
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  Cache(Cache&&) = default;
  Cache& operator=(Cache&&) = default;
  ~Cache() = default;

  struct Line {
    uint64_t number = UINT64_MAX;  ///< address / line_bytes
    uint64_t ready = 0;            ///< cycle in which it has come
    uint64_t used = 0;
    bool is_dirty = false;
  };

  /// The number of the line that contains a byte.
  uint64_t line_of(uint64_t address) const { return line_.quotient(address); }
  /// The line, now used, or nothing.
  Line* find(uint64_t number) {
    if (last_->number != number) [[unlikely]]
      return look_for(number);
    last_->used = ++uses_;
    return last_;
  }
  /// Inserts a line. Returns it, and the dirty line that it has evicted, if any.
  struct Taken {
    Line* line;
    std::optional<uint64_t> written_back;
  };
  Taken take(uint64_t number, uint64_t ready);
  void drop(uint64_t number);

  uint32_t line_bytes() const { return static_cast<uint32_t>(line_.by); }
  uint32_t latency() const { return latency_; }

 private:
  /// Division by a number that mostly is a power of two.
  struct Divisor {
    explicit Divisor(uint64_t number)
        : by(number), shift(std::has_single_bit(number) ? std::countr_zero(number) : -1) {}
    uint64_t quotient(uint64_t of) const { return shift >= 0 ? of >> shift : of / by; }
    uint64_t remainder(uint64_t of) const { return shift >= 0 ? of & (by - 1) : of % by; }
    uint64_t by;
    int shift;
  };

  Line* set_of(uint64_t number) { return &lines_[sets_.remainder(number) * kWays]; }
  Line* look_for(uint64_t number);

  Divisor line_;
  uint32_t latency_;
  Divisor sets_;
  uint64_t uses_ = 0;
  std::vector<Line> lines_;
  Line* last_;  ///< found last
};

}  // namespace covenant::sim::vliw
