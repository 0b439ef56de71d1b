/// A bank: its open row, its waiting accesses, and the first time at which it takes each command.
#pragma once

#include <cstdint>
#include <vector>

#include "offchip/address_map.h"
#include "offchip/command.h"
#include "offchip/parameters.h"

namespace covenant::offchip {

/// One line of a channel that is accessed, until its column command.
struct Access {
  Location location;
  uint64_t line = 0;
  uint32_t port = 0;
  bool writes = false;
  bool found_closed = false;       ///< its row had to be opened
  bool found_other = false;        ///< another row had to be closed first
  uint64_t age = 0;                ///< set by the channel
  uint64_t burst = 0;              ///< number of the burst at its port that made the first request
  std::vector<uint64_t> joined{};  ///< bursts that made the same request later
};

/// Clocks from which on a command may be given (at its last clock).
struct Earliest {
  uint64_t activate = 0;
  uint64_t precharge = 0;
  uint64_t read = 0;
  uint64_t write = 0;
};

class Bank {
 public:
  /// The next command that the bank needs, for access `access`.
  struct Candidate {
    CommandKind kind = CommandKind::kActivate;
    uint32_t access = 0;
  };

  Bank(Policy policy, uint64_t cap, uint32_t group) : policy_(policy), cap_(cap), group_(group) {}

  bool is_open() const { return is_open_; }
  uint32_t group() const { return group_; }
  bool waits() const { return !queue_.empty(); }
  /// Preconditions of these two: `waits()`.
  uint32_t oldest() const { return queue_.front(); }
  const Candidate& candidate() const { return candidate_; }

  void enqueue(uint32_t access, const std::vector<Access>& accesses);
  void activate(uint64_t row, const std::vector<Access>& accesses);
  void precharge(const std::vector<Access>& accesses);
  /// The column command of the candidate has been given.
  void serve(const std::vector<Access>& accesses);

  Earliest earliest;  ///< limits of this bank alone

 private:
  void choose(const std::vector<Access>& accesses);

  Policy policy_;
  uint64_t cap_;
  uint32_t group_;
  bool is_open_ = false;
  uint64_t row_ = 0;
  uint64_t passed_ = 0;          ///< number of younger accesses of the open row that have passed the oldest one
  std::vector<uint32_t> queue_;  ///< oldest first
  Candidate candidate_;
};

}  // namespace covenant::offchip
