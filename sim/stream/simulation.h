/// A run of one program on a machine, independent of the order of simulation: `sim/sc` drives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "acg/program/program.h"
#include "sim/common/registers.h"
#include "sim/run/simulate.h"
#include "sim/stream/collector.h"
#include "sim/stream/common/value_queue.h"
#include "sim/stream/engine.h"
#include "sim/stream/fetch.h"
#include "sim/stream/fetch_stream.h"
#include "sim/stream/shared_bus.h"
#include "sim/trace/perfetto.h"

namespace covenant::sim {

/// Fault SIM0061 if there is no model of the machine.
void check_machine(const acg::Machine& machine);
/// Fault SIM0061 if the machine or the memory cannot be simulated; call before making a Simulation.
void check_simulatable(const acg::Program& program, const std::vector<uint8_t>& memory);

/// How the memories off chip of a machine are reached.
struct MemoryAccess {
  std::vector<bool>
      is_timed{};  ///< by memory of the machine: true if it must be asked when it answers; empty: none must
  /// Most bursts of each port that are under way, behind AXI masters (docs/reference/off-chip-port.md); 0: there are no
  /// masters.
  uint32_t outstanding = 0;
  bool fetch_brings_words = false;  ///< words are those that fetch brings (word_arrived), not those of the image
};

/// Protocol: begin_block; run the engines until block_done, or until none can continue (then raise_stuck); end_block;
/// and so on until begin_block returns that there is no block left. All functions may throw Failure.
class Simulation {
 public:
  /// `program`, and what `image` refers to, must outlive it.
  Simulation(const acg::Program& program, MemoryImage image, const SimulateOptions& options,
             const MemoryAccess& access = {});
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// True if the memory of the words must be asked when it answers.
  bool fetch_is_timed() const;
  /// From where to fetch the next block, and the first cycle of that. Nothing if there is no next block, or if it
  /// cannot be there, which begin_block reports.
  struct Fetch {
    uint64_t cycle = 0;
    uint64_t address = 0;
    uint64_t beat_bytes = 0;
  };
  std::optional<Fetch> next_fetch();
  /// The next beat of `next_fetch` has arrived: `bytes` at `address`. True if the block has come with it.
  bool beat_arrived(uint64_t address, std::span<const uint8_t> bytes);
  /// Starts the engines of the next block in the cycle returned; empty after the last block. `beats`: when those of
  /// the block have arrived, if fetch is timed.
  std::optional<uint64_t> begin_block(std::vector<uint64_t> beats = {});
  bool block_done() const;
  /// No engine can continue, but the block is not done: SIM0015 (a token too many) or SIM0017 (deadlock).
  [[noreturn]] void raise_stuck() const;
  /// Checks and closes the block. Returns the cycle in which it is done.
  uint64_t end_block();

  Engine& engine(uint32_t index) { return engines_[index]; }
  Channels& channels() { return channels_; }
  std::vector<SharedBus>& buses() { return buses_; }
  /// A stream for the fetch unit of this run.
  FetchStream make_fetch_stream() const { return FetchStream(fetch_.latency(), run_.outstanding); }
  /// All values of what has been executed are in memory then.
  void wait_for_values() {
    if (values_) values_->finish();
  }
  /// Cycle in which the last block that is closed was done.
  uint64_t done() const { return done_; }
  /// The counters that registers show in cycle `now`, without what instruction fetch adds: those of the blocks that are
  /// done then; `stalled`: of engines, up to the last answer.
  RunCounters counted(uint64_t now) const;
  /// After the last block. `memories`: what those have counted; `traces`: what they were busy with.
  SimulateResult finish(std::vector<MemoryStatistics> memories = {}, std::span<const MemoryTrace> traces = {});

 private:
  static RaceDetector make_race_detector(const acg::Machine& machine);
  static std::vector<Engine> make_engines(RunContext& run);
  static ValueQueue::Place place_of_values(const RunContext& run, bool has_timed);
  static uint32_t run_ahead(const acg::Machine& machine, bool has_buses, const std::vector<bool>& is_timed);
  uint64_t fetch_start(uint64_t done) const;
  void start_engines();
  void wait_for_words();
  FetchedBlock fetch_block(const std::string& subject);
  void check_fetch_race(uint64_t words_read, const std::string& subject) const;
  void record_fetch();

  const acg::Program& program_;
  const SimulateOptions options_;
  FetchUnit fetch_;
  MemoryImage image_;
  std::vector<SharedBus> buses_;
  Channels channels_;
  RaceDetector races_;
  RunContext run_;
  std::vector<Engine> engines_;
  Collector collector_;
  std::optional<ValueQueue> values_;  ///< after image and engines: it ends before they do

  uint64_t next_address_;
  const bool fetch_brings_words_;
  FetchUnit::Scan scan_{};  ///< of the block that arrives
  std::optional<FetchedBlock> fetched_;
  FetchTimes times_;
  uint64_t start_ = 0;
  uint64_t done_ = 0;         ///< end of the previous block
  uint64_t done_before_ = 0;  ///< end of the block before that
  uint64_t fetch_sequence_ = 0;
  SimulateResult result_;
  std::vector<TraceSlice> slices_;
};

}  // namespace covenant::sim
