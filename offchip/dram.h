/// Banked DRAM behind one controller (docs/reference/memory-models.md).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "offchip/address_map.h"
#include "offchip/channel.h"
#include "offchip/model.h"
#include "offchip/parameters.h"

namespace covenant::offchip {

/// A burst is cut into accesses of one line each; it is answered when the data of all of them has been on the bus. One
/// that crosses a multiple of 4 KiB comes as a burst up to there and another one after it: below, both are bursts. What
/// happens follows from the bursts alone, not from how often `advance` is called.
class Dram : public Model {
 public:
  /// `hook`, if there is one, is called with every command.
  Dram(Parameters parameters, uint32_t ports, CommandHook hook = {});

  void request(const Burst& burst) override;
  void advance(uint64_t time, std::vector<Answer>& answers) override;
  uint64_t next() const override;
  const Statistics& statistics() const override { return statistics_; }

 private:
  /// A burst on its way into the queues of the channels.
  struct Entering {
    uint64_t number = 0;  ///< counts the bursts of the port
    uint64_t first = 0;   ///< line
    uint64_t next = 0;    ///< line
    uint64_t end = 0;     ///< line past the last one
    uint64_t clock = 0;   ///< from which on it may enter
    bool writes = false;
    bool has_begun = false;
  };
  /// A burst that has no answer yet.
  struct Flight {
    uint64_t missing = 0;  ///< lines
    uint64_t done = 0;     ///< clock in which the last of the others came
    uint32_t bytes = 0;    ///< bytes of the port's burst that ends with it
    bool is_last = true;   ///< such a burst ends with it: its answer is the port's
  };
  /// State of a line that a burst has requested.
  struct Line {
    bool waits = false;  ///< waits in access `access` of its channel
    uint32_t access = 0;
    uint64_t end = 0;  ///< otherwise: the clock in which its data has been on the bus
  };
  /// The lines of a burst.
  struct Lines {
    uint64_t first = 0;
    bool writes = false;
    std::vector<Line> lines{};
    Line* find(uint64_t line) { return line - first < lines.size() ? &lines[line - first] : nullptr; }
  };
  struct Port {
    std::deque<Entering> entering{};
    std::deque<Flight> flights{};
    uint64_t first_flight = 0;  ///< number of the burst at the front of `flights`
    uint64_t last_answer = 0;
    Lines current{};  ///< lines of the burst that entered last
    Lines previous{};
  };

  void request_part(const Burst& burst, uint64_t from, uint64_t to);
  void admit(uint64_t clock);
  bool admit_burst(Port& port, uint32_t number, uint64_t clock);
  bool admit_line(Port& port, uint32_t number, uint64_t clock);
  bool join(Port& port, const Line& line, uint64_t clock);
  void complete(Port& port, uint64_t burst, uint64_t end);
  void run(uint64_t clock);
  void finish(Channel& channel, const Channel::Served& served);
  uint64_t next_clock() const;
  uint64_t answer_of(const Port& port) const;

  Parameters parameters_;
  CommandHook hook_;
  AddressMap map_;
  Statistics statistics_;
  std::vector<Channel> channels_;
  std::vector<Port> ports_;
  uint32_t turn_ = 0;          ///< the port whose burst enters next
  uint64_t arrival_ = kNever;  ///< the clock in which the next burst may enter that has not been able to so far
  uint64_t admit_ = kNever;    ///< the same, or the one in which there may be room for one that waits
  bool is_blocked_ = false;    ///< a burst waits for a place in a queue
};

}  // namespace covenant::offchip
