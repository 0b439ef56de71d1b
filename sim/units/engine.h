/// One engine of a machine: executes the words of its group in order, on its own time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/retire_record.h"
#include "sim/trace/slice.h"
#include "sim/units/buses.h"
#include "sim/units/channels.h"
#include "sim/units/command.h"
#include "sim/units/dma.h"
#include "sim/units/fetch.h"
#include "sim/units/race.h"
#include "sim/units/sequencer.h"
#include "sim/units/simd_array.h"
#include "sim/units/systolic_array.h"
#include "sim/units/tally.h"

namespace covenant::sim {

/// What all engines of a run see. Everything outlives them.
struct RunContext {
  const acg::Machine& machine;
  const acg::Codec& codec;
  MemoryImage& image;
  Channels& channels;
  Buses& buses;
  RaceDetector& races;
  ValueQueue* values = nullptr;  ///< takes the arithmetic; null: cycles alone
  bool records = false;
  bool trace = false;
  bool check_races = true;
  uint64_t max_cycles = 0;
  uint32_t block = 0;      ///< the block that runs
  std::string block_name;  ///< "block 3 (conv_1)"
  /// Off-chip bytes in which the words of the next block may lie, and the stores of this block that touch them.
  uint64_t next_words_low = 0;
  uint64_t next_words_high = 0;
  std::vector<Region> next_stores;
  uint32_t words_memory = 0;  ///< the off-chip memory in which words lie
  /// Bounds of all off-chip bytes that stores have touched since values were last waited for.
  uint64_t stores_low = UINT64_MAX;
  uint64_t stores_high = 0;
};

/// What one engine did in one block.
struct EngineBlock {
  uint64_t start = 0;  ///< arrival of its first word
  uint64_t end = 0;    ///< when a next word would have arrived
  uint64_t last_retire = 0;
  uint64_t commands = 0;
  uint64_t busy = 0;             ///< port cycles
  uint64_t control = 0;          ///< cycles of words that use no port
  uint64_t drain = 0;            ///< occupied without using the port
  uint64_t bus_stall = 0;        ///< waiting for a shared bus
  std::vector<uint64_t> stalls;  ///< waiting for a token, by counter
  Tally tally;
};

/// Something an engine did to a counter: another one may be waiting for it.
struct TokenEvent {
  uint32_t counter = 0;
  bool is_post = false;  ///< else a token was taken
  uint64_t cycle = 0;
};

enum class EngineState : uint8_t {
  kDone,  ///< no words (left) in this block
  kReady,
  kWaiting,       ///< for a token that nobody has posted yet
  kTransferring,  ///< on a shared bus: its time is not known yet
  kHeld,          ///< a post may be one too many: not known before the token's other side has been simulated further
};

class Engine {
 public:
  /// `index`: position in acg::engines. `run` must outlive the engine.
  Engine(RunContext& run, uint32_t index, const acg::Engine& description);

  /// Clears everything and starts on `words` (which must outlive the block) in cycle `start`.
  void start_block(std::span<const Word> words, uint64_t start);
  /// Runs ahead until it is done, waits or is held. Appends what it did to counters. Throws Failure.
  void run(std::vector<TokenEvent>& events);
  /// The times of the transfer that it has asked its bus for; it is ready then. Precondition: kTransferring.
  void transferred(const Buses::Transfer& transfer);

  uint32_t index() const { return index_; }
  const acg::Engine& description() const { return description_; }
  EngineState state() const { return state_; }
  /// The counter that it is waiting or held at. Precondition: kWaiting or kHeld.
  uint32_t blocked_on() const { return blocked_on_; }
  /// The cycle in which its next word arrives, and in which a held post would be visible.
  uint64_t arrival() const { return arrival_; }
  uint64_t post_visible() const { return arrival_ + depth_; }
  /// Index within the group of the word that it is at.
  size_t position() const { return sequencer_.position(); }
  const EngineBlock& totals() const { return totals_; }
  /// "block 3 (conv_1), engine SA, word 7 (GEMM I8)".
  std::string place() const;

  /// Retire records and trace slices since the last call, in order.
  std::vector<acg::RetireRecord> take_records() { return std::exchange(records_, {}); }
  std::vector<TraceSlice> take_slices() { return std::exchange(slices_, {}); }
  /// Rows of a systolic array, times columns; lanes of a SIMD array; 0 for a DMA engine.
  uint64_t elements_per_cycle() const;

 private:
  using Unit = std::variant<SystolicArray, SimdArray, Dma>;
  static Unit make_unit(const acg::Machine& machine, const acg::Engine& description);
  void step(const Word& word, std::vector<TokenEvent>& events);
  void execute(const Word& word);
  CommandTiming dispatch(const acg::Instruction& instruction, CommandContext& context);
  CommandTiming dispatch(SystolicArray& unit, const acg::Instruction& instruction, CommandContext& context);
  CommandTiming dispatch(SimdArray& unit, const acg::Instruction& instruction, CommandContext& context);
  CommandTiming dispatch(Dma& unit, const acg::Instruction& instruction, CommandContext& context);
  void check_races(const Word& word);
  void note_store(const Region& region);
  bool wait(const Word& word, std::vector<TokenEvent>& events);
  bool post(const Word& word, std::vector<TokenEvent>& events);
  void retire(const Word& word, const CommandTiming& timing, uint64_t stall);

  RunContext& run_;
  uint32_t index_;
  acg::Engine description_;
  Unit unit_;
  uint64_t depth_;
  Sequencer sequencer_;
  std::vector<uint32_t> pointers_;  ///< buffer of channel (memory, slot)
  std::vector<Access> accesses_;
  std::span<const Word> words_;
  EngineState state_ = EngineState::kDone;
  uint32_t blocked_on_ = 0;
  CommandTiming transfer_;  ///< of the word that is kTransferring, as if the bus were free
  uint64_t arrival_ = 0;
  uint64_t sequence_ = 0;
  EngineBlock totals_;
  std::vector<acg::RetireRecord> records_;
  std::vector<TraceSlice> slices_;
};

}  // namespace covenant::sim
