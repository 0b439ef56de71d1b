/// A channel: banks behind one command bus and one data bus, and the choice of the next command.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "offchip/bank.h"
#include "offchip/command.h"
#include "offchip/parameters.h"
#include "offchip/statistics.h"

namespace covenant::offchip {

inline constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

/// All times are clocks of the memory. A channel without accesses does nothing: the refreshes that were due in the
/// meantime are made up for, each at its time, when the next access comes.
class Channel {
 public:
  /// An access whose data is on the bus until `end`.
  struct Served {
    uint32_t access = 0;
    uint64_t end = 0;
  };

  /// Borrows all of them; counts accesses, refreshes and bytes in `statistics`.
  Channel(const Parameters& parameters, uint32_t number, const CommandHook& hook, Statistics& statistics);

  bool has_room() const { return waiting_ < parameters_.controller.queue; }
  /// Precondition: has_room(), and `clock` is not before that of any call before.
  uint32_t add(Access access, uint64_t clock);
  Access& access(uint32_t id) { return accesses_[id]; }
  /// The access is served and looked at no more.
  void release(uint32_t id) { free_.push_back(id); }

  /// When `step` has something to do.
  uint64_t wake() const { return wake_; }
  /// Gives the commands that begin in this clock.
  std::optional<Served> step(uint64_t clock);

 private:
  /// A bank whose next command may begin, and the age of the access that it is for.
  struct Choice {
    uint32_t bank = 0;
    uint64_t age = kNever;
  };
  struct Options {
    Choice row;                    ///< to open or close one
    Choice column;                 ///< to read or write
    uint64_t activation = kNever;  ///< when the next row may be opened
    uint64_t next = kNever;        ///< when the next command of any kind may begin
  };

  bool is_column(CommandKind kind) const { return kind == CommandKind::kRead || kind == CommandKind::kWrite; }
  uint64_t clocks_of(CommandKind kind) const;
  uint64_t& bus_of(CommandKind kind) { return bus_free_[parameters_.commands.separate_columns && is_column(kind)]; }
  uint64_t start_of(CommandKind kind, uint64_t earliest);
  uint64_t earliest_of(const Bank& bank, CommandKind kind) const;

  void find_oldest();
  bool opens_in_vain(const Bank& bank, uint64_t start) const;
  Options options(uint64_t clock);
  std::optional<Served> schedule(uint64_t clock);
  bool may_go(const Bank& bank, uint64_t clock) const;
  std::optional<Served> give(uint32_t bank, uint64_t clock);
  Served give_column(uint32_t bank, uint64_t at);
  void give_activate(uint32_t bank, uint64_t at);
  void give_precharge(uint32_t bank, uint64_t at);
  void count(const Access& access);
  void note(CommandKind kind, uint32_t bank, const Access* access, uint64_t at);

  uint64_t refresh_start();
  void refresh(uint64_t start);
  void catch_up(uint64_t clock);

  const Parameters& parameters_;
  uint32_t number_;
  const CommandHook& hook_;
  Statistics& statistics_;
  std::vector<Bank> banks_;
  std::vector<uint32_t> active_;  ///< banks that accesses wait for
  std::vector<Earliest> groups_;
  Earliest all_;                           ///< limits of the whole channel
  std::array<uint64_t, 4> activations_{};  ///< the first clocks from which on tFAW allows the next ones
  uint32_t next_activation_ = 0;
  std::array<uint64_t, 2> bus_free_{};
  uint64_t refresh_due_;
  std::vector<Access> accesses_;
  std::vector<uint32_t> free_;
  uint64_t waiting_ = 0;
  uint64_t next_age_ = 0;
  uint64_t oldest_age_ = kNever;
  uint32_t oldest_bank_ = 0;
  uint64_t passed_age_ = kNever;  ///< the access that `passed_` counts for
  uint64_t passed_ = 0;
  uint64_t wake_ = kNever;
};

}  // namespace covenant::offchip
