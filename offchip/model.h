/// The time of an off-chip memory: when it answers. What it holds lies elsewhere.
///
/// The same object answers the SystemC model and the RTL, so that both see the same cycles. Time is in picoseconds from
/// the start of the run; whoever asks turns cycles into them and back (offchip/clock.h).
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

/// The oldest burst of the port that has no answer yet has one: of a read all bytes are there (of a memory of fixed
/// latency the first beat, and each cycle brings the next one), of a write all bytes are seen by every later read.
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

  /// Does what happens up to and with `time`, and appends the answers of these times: in order of time, then of ports.
  /// Each port is answered in the order of its bursts. Precondition: all bursts up to then have been asked for.
  virtual void advance(uint64_t time, std::vector<Answer>& answers) = 0;

  /// There is no answer before this time if no burst comes before; UINT64_MAX: there is none. An `advance` up to then
  /// need not find an answer, but `next` is later afterwards.
  virtual uint64_t next() const = 0;

  /// What has been counted so far.
  virtual const Statistics& statistics() const = 0;
};

}  // namespace covenant::offchip
