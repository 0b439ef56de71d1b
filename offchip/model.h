/// The interface of memory models, which decide when an off-chip memory answers. Contents are stored elsewhere.
///
/// The same object serves the SystemC model and the RTL, so that both see the same cycles. Time is in picoseconds from
/// the start of the run; the requester converts cycles (offchip/clock.h).
#pragma once

#include <cstdint>
#include <vector>

#include "offchip/statistics.h"

namespace covenant::offchip {

/// A request of one port: `bytes` bytes from `address` on, of the memory's own addresses.
struct Burst {
  uint32_t port = 0;
  uint64_t time = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool writes = false;
};

/// Answer to the oldest unanswered burst of a port. Read: all bytes have arrived (from a memory of fixed latency the
/// first beat, and each cycle brings the next one). Write: all bytes are visible to every later read.
struct Answer {
  uint32_t port = 0;
  uint64_t time = 0;
  bool operator==(const Answer&) const = default;
};

class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Never refused. Precondition: not before the time of the last `advance`; of two bursts of a port, the first one
  /// comes first. Bursts of one time may come in any order of ports: the model takes them in that of their numbers.
  virtual void request(const Burst& burst) = 0;

  /// Advances to `time` inclusive and appends the answers up to then, ordered by time, then by port. Each port is
  /// answered in the order of its bursts. Precondition: all bursts up to then have been requested.
  virtual void advance(uint64_t time, std::vector<Answer>& answers) = 0;

  /// Without a new burst there is no answer before this time; UINT64_MAX: none at all. An `advance` up to then need not
  /// find an answer, but `next` is later afterwards.
  virtual uint64_t next() const = 0;

  /// The statistics so far.
  virtual const Statistics& statistics() const = 0;
};

}  // namespace covenant::offchip
