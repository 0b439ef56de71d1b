/// An engine of a stream machine (decoupled access/execute, docs/reference/units/control.md): executes the words of its
/// group in order, in its own time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/retire_record.h"
#include "sim/stream/common/command.h"
#include "sim/stream/common/sequencer.h"
#include "sim/stream/common/unit.h"
#include "sim/stream/engine_block.h"
#include "sim/stream/fetch.h"
#include "sim/stream/offchip_port.h"
#include "sim/stream/run_context.h"
#include "sim/stream/surroundings.h"
#include "sim/trace/slice.h"

namespace covenant::sim {

enum class EngineState : uint8_t {
  kDone,  ///< no words (left) in this block; earlier commands may still be in progress
  kReady,
  kWaiting,     ///< waits for a token that has not been posted yet
  kHeld,        ///< a post may be one too many: not known before the token's other side has been simulated further
  kBus,         ///< for a burst on its shared bus
  kRequesting,  ///< for the cycle in which a burst is with the memory
  kAnswer,      ///< for the memory's answer to an older burst
};

class Engine {
 public:
  /// `index`: position in acg::engines. `run` must outlive the engine.
  Engine(RunContext& run, uint32_t index, const acg::Engine& description);

  /// Before it runs for the first time; `outside` must outlive it.
  void connect(Surroundings& outside, bool shares_bus) {
    outside_ = &outside;
    shares_bus_ = shares_bus;
  }

  /// Clears everything and starts on `words` (which must outlive the block) in cycle `start`.
  void start_block(std::span<const Word> words, uint64_t start);
  /// Runs ahead until it is done, waits for something, or has passed `horizon`. Throws Failure.
  void run(uint64_t horizon = UINT64_MAX);
  /// The bus lets it move `beats` beats from `cycle` on. Precondition: kBus.
  void granted(uint64_t cycle, uint64_t beats);
  /// The cycle of its oldest request to the memory that has not been issued; nothing: as in OffchipPort.
  std::optional<uint64_t> next_request() const { return port_->next_request(); }
  const OffchipPort::Request& request() const { return port_->request(); }
  std::span<const uint8_t> written() const { return port_->written(); }
  /// The request has been issued in its cycle. The engine may continue if it waited for that.
  void requested();
  /// The memory has answered the oldest burst, as in OffchipPort::answered. The engine may continue if it waited for
  /// that.
  void answered(uint64_t cycle, std::span<const uint8_t> data);
  /// As in OffchipPort. Precondition: has_master.
  void refused(uint64_t cycle) { port_->refused(cycle); }
  std::optional<uint64_t> fault() const { return port_->fault(); }

  uint32_t index() const { return index_; }
  const acg::Engine& description() const { return description_; }
  EngineState state() const { return state_; }
  /// True if it has no words left and all commands have retired.
  bool is_finished() const { return state_ == EngineState::kDone && pending_.empty(); }
  /// True if its memory must be asked when it answers.
  bool is_timed() const { return port_.has_value(); }
  /// True if a master issues its requests, so that it never waits for their cycles.
  bool has_master() const { return port_ && port_->has_master(); }
  /// Cycles in which the oldest beat under way was due and its memory had not answered, since the run has begun.
  uint64_t waited() const { return port_ ? port_->waited() : 0; }
  /// The counter that it is waiting or held at. Precondition: kWaiting or kHeld.
  uint32_t blocked_on() const { return blocked_on_; }
  /// The cycle in which its next word arrives, and in which a held post would be visible.
  uint64_t arrival() const { return arrival_; }
  uint64_t post_visible() const { return arrival_ + depth_; }
  /// Index within the group of the word that it is at.
  size_t position() const { return sequencer_.position(); }
  const EngineBlock& totals() const { return totals_; }
  /// Fault SIM0015 of the post that it holds, in the cycle in which that would be visible. Precondition: kHeld.
  [[noreturn]] void raise_held() const;
  /// "block 3 (conv_1), engine SA, word 7 (GEMM I8)".
  std::string place() const;

  /// Retire records and trace slices since the last call, in order.
  std::vector<acg::RetireRecord> take_records() { return std::exchange(records_, {}); }
  std::vector<TraceSlice> take_slices() { return std::exchange(slices_, {}); }

 private:
  static std::optional<OffchipPort> make_port(const RunContext& run, const acg::Engine& description);
  void step(const Word& word);
  void execute(const Word& word);
  void check_races(const Word& word);
  void note_store(const Region& region);
  void wait(const Word& word);
  void post(const Word& word);
  bool post_at_once(uint32_t counter);
  bool post_in_turn(uint32_t counter);
  void next_buffer(const Word& word, uint32_t counter);
  void begin_transfer(const CommandTiming& timing);
  void move();
  void moved(uint64_t first, uint64_t end);
  void take_effects();
  void retire(const Word& word, const CommandTiming& timing, uint64_t stall);

  /// Executed, but not visible yet.
  struct Pending {
    std::optional<uint32_t> counter;  ///< counter of a post
    Clock clock;                      ///< clock of a post
    std::optional<size_t> record;     ///< among `records_`
    Region written;                   ///< region written by a transfer with a digest
  };

  RunContext& run_;
  uint32_t index_;
  acg::Engine description_;
  std::unique_ptr<Unit> unit_;
  std::optional<OffchipPort> port_;
  Surroundings* outside_ = nullptr;
  bool shares_bus_ = false;
  uint64_t depth_;
  Sequencer sequencer_;
  std::vector<uint32_t> pointers_;  ///< buffer of channel (memory, slot)
  std::vector<Access> accesses_;
  std::span<const Word> words_;
  EngineState state_ = EngineState::kDone;
  uint32_t blocked_on_ = 0;
  CommandTiming transfer_;   ///< timing of the current transfer as if undisturbed
  bool transfers_ = false;   ///< a transfer is in progress
  uint64_t beats_left_ = 0;  ///< of the current transfer
  std::optional<uint64_t> first_beat_;
  std::deque<Pending> pending_;
  uint64_t arrival_ = 0;
  uint64_t sequence_ = 0;
  EngineBlock totals_;
  std::vector<acg::RetireRecord> records_;
  std::vector<TraceSlice> slices_;
};

}  // namespace covenant::sim
