/// A whole machine running one program, without a notion of who calls whom when: `sim/sc` drives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/program.h"
#include "sim/simulate.h"
#include "sim/stats/collector.h"
#include "sim/units/engine.h"
#include "sim/units/fetch.h"
#include "sim/units/value_queue.h"

namespace covenant::sim {

/// Fault SIM0061 if the machine or the memory cannot be simulated; call before making a Simulation.
void check_simulatable(const acg::Program& program, const std::vector<uint8_t>& memory);

/// The protocol: begin_block; run engines (each once at least, again whenever a Wake names it) until block_done or
/// nothing is left to run (then raise_stuck); end_block; and so on until begin_block says that there is no block left.
/// All functions may throw Failure.
class Simulation {
 public:
  /// `program` must outlive it, and what `image` was made of.
  Simulation(const acg::Program& program, MemoryImage image, const SimulateOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Fetches the next block and starts its engines in the cycle returned; empty after the last block.
  std::optional<uint64_t> begin_block();
  /// Another engine can go on, at the earliest in `cycle`.
  struct Wake {
    uint32_t engine = 0;
    uint64_t cycle = 0;
  };
  /// Runs an engine ahead until it is done, waits or is held; says whom that lets go on. Valid until the next call.
  std::span<const Wake> run(uint32_t engine);
  bool block_done() const;
  /// Nothing can go on, but the block is not done: SIM0015 (a token too many) or SIM0017 (deadlock).
  [[noreturn]] void raise_stuck() const;
  /// Checks and closes the block; returns the cycle in which it is done.
  uint64_t end_block();

  size_t engine_count() const { return engines_.size(); }
  const Engine& engine(uint32_t index) const { return engines_[index]; }
  /// After the last block.
  SimulateResult finish();

 private:
  static RaceDetector make_race_detector(const acg::Machine& machine);
  static std::vector<Engine> make_engines(RunContext& run);
  static ValueQueue::Place place_of_values(const RunContext& run);
  static uint32_t deepest(const acg::Machine& machine);
  void wake_others(uint32_t engine);
  void serve_buses();
  void wait_for_words();
  FetchedBlock fetch_block(const std::string& subject);
  void check_fetch_race(uint64_t words_read, const std::string& subject) const;
  void record_fetch();

  const acg::Program& program_;
  const SimulateOptions options_;
  FetchUnit fetch_;
  MemoryImage image_;
  Buses buses_;
  Channels channels_;
  RaceDetector races_;
  RunContext run_;
  std::vector<Engine> engines_;
  std::vector<bool> runnable_;  ///< by engine: it has been told to run, and has not yet
  std::vector<TokenEvent> events_;
  std::vector<Wake> wakes_;
  Collector collector_;
  std::optional<ValueQueue> values_;  ///< after image and engines: it ends before they do

  uint64_t next_address_;
  std::optional<FetchedBlock> fetched_;
  FetchTimes times_;
  uint64_t start_ = 0;
  uint64_t done_ = 0;         ///< of the block before
  uint64_t done_before_ = 0;  ///< of the one before that
  uint64_t fetch_sequence_ = 0;
  SimulateResult result_;
  std::vector<TraceSlice> slices_;
};

}  // namespace covenant::sim
