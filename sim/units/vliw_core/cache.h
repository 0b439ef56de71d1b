/// Which lines a cache holds, and since when: its content is that of memory, and needs no copy.
#pragma once

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

  struct Line {
    uint64_t number = UINT64_MAX;  ///< address / line_bytes
    uint64_t ready = 0;            ///< cycle in which it has come
    uint64_t used = 0;
    bool is_dirty = false;
  };

  /// The line, now used, or nothing.
  Line* find(uint64_t number);
  /// Takes a line in; says which dirty one had to leave.
  struct Taken {
    Line* line;
    std::optional<uint64_t> written_back;
  };
  Taken take(uint64_t number, uint64_t ready);
  void drop(uint64_t number);

  uint32_t line_bytes() const { return line_bytes_; }
  uint32_t latency() const { return latency_; }

 private:
  Line* set_of(uint64_t number) { return &lines_[number % sets_ * kWays]; }

  uint32_t line_bytes_;
  uint32_t latency_;
  uint64_t sets_;
  uint64_t uses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace covenant::sim::vliw
