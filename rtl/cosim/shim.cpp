// Runs the Verilated top of a machine: clock, off-chip memory behind the ports, retire records from the observer.
// Compiled together with the model; knows the machine only through covenant_ports.h and covenant_observer.h.
#include <algorithm>
#include <array>
#include <covenant_observer.h>
#include <cstring>
#include <deque>
#include <vector>
#include <verilated.h>
#ifdef COVENANT_WAVE
#include <verilated_fst_c.h>
#endif

#include "rtl/cosim/model_abi.h"
#include "rtl/cosim/offchip.h"
#include "rtl/cosim/shadow.h"
#include "rtl/cosim/word.h"
#ifdef COVENANT_CHECKED
#include "rtl/cosim/checked.h"
#endif

namespace {

namespace observer = covenant_observer;
namespace ports = covenant_ports;
using covenant::acg::RetireRecord;
using covenant::acg::write_hash;
using covenant::rtl::bit;
using covenant::rtl::element;
using covenant::rtl::ModelRun;
using covenant::rtl::OffchipMemories;
using covenant::rtl::RunStatus;
using covenant::rtl::Shadow;
using covenant::rtl::word_of;

constexpr uint64_t kStoreStages = 2;         // cycles from a beat of a store to the off-chip port
constexpr uint64_t kIdleLimit = 20'000'000;  // cycles without any event: nothing will come any more

/// Off-chip memories and the top's ports in one cycle; false if a write lies past the end.
bool serve(OffchipMemories& offchip, Vcovenant_top& top, uint64_t cycle) {
  if (!offchip.settle(cycle)) return false;
  ports::each_read(top,
                   [&](unsigned memory, unsigned port, unsigned latency, bool valid, uint32_t address, uint8_t* data,
                       unsigned bytes) { offchip[memory].read(port, latency, valid, address, data, bytes); });
  ports::each_store(top, [&](unsigned memory, unsigned, unsigned latency, bool valid, uint32_t address, uint8_t* data,
                             uint8_t* strobe, unsigned bytes) {
    if (valid) offchip[memory].write(latency, address, data, strobe, bytes);
  });
  return true;
}

/// Makes retire records out of what the observer shows.
class Recorder {
 public:
  explicit Recorder(ModelRun& run) : run_(run) {}

  /// Looks at one cycle; true if something happened.
  bool cycle(Vcovenant_top& top, uint64_t cycle) {
    now_ = cycle;
    bool event = run_.records && fetch(top, cycle);
    event |= retire_simple(cycle);
    observer::each_engine(top, [&](unsigned engine, bool issue, bool pipelined, bool last_step, bool retire,
                                   bool blocked, unsigned index, const uint8_t* word, uint32_t stall) {
      event = true;
      if (run_.records)
        commands(engines_[engine], engine, cycle, {issue, pipelined, last_step, retire, blocked, index, word, stall});
    });
    if (run_.records && run_.digests) writes(top);
    if (observer::block_done(top)) {
      run_.cycles = cycle;
      run_.block(run_.user, block_start_, cycle);
    }
    if (observer::block_start(top)) {
      ++started_;
      block_start_ = cycle + 1;  // its engines accept their first words from the next cycle on
    }
    return event || observer::block_start(top);
  }

  /// A command has retired in another cycle than the one in which its last write became visible.
  bool is_mistimed() const { return mistimed_; }

 private:
  struct Seen {
    bool issue, pipelined, last_step, retire, blocked;
    unsigned index;
    const uint8_t* word;  ///< its bytes
    uint32_t stall;
  };
  struct Command {
    RetireRecord record;
    uint16_t tag = 0;
    uint64_t number = 0;
    std::vector<uint64_t> touched;  ///< cells of the output memory, in the order of their first write
    bool is_tight = false;          ///< its last beat or step writes
    uint64_t visible = 0;           ///< first cycle in which all that it has written so far is visible
  };
  struct Engine {
    std::deque<Command> pipeline;  ///< commands that have not retired, oldest first
    uint64_t sequence = 0;
    uint16_t transfers = 0;  ///< passes, tiles and nests completed at the port
    Shadow sums;             ///< of a systolic array: its output memory, by address
    unsigned output = 0;     ///< that memory
  };

  void emit(const RetireRecord& record) { run_.record(run_.user, record); }

  /// The simple commands that issued in the last cycle; false if there are none.
  bool retire_simple(uint64_t cycle) {
    if (simple_.empty()) return false;
    for (RetireRecord& record : simple_) {
      record.retire = cycle;
      emit(record);
    }
    simple_.clear();
    return true;
  }

  void commands(Engine& state, unsigned engine, uint64_t cycle, const Seen& seen) {
    if (seen.retire && !state.pipeline.empty()) {
      Command& command = state.pipeline.front();
      command.record.retire = cycle;
      settle(state, command);
      // Retirement is what others rely on: not before the last write is visible, and no later.
      if (command.visible > cycle || (command.is_tight && command.visible != cycle)) mistimed_ = true;
      emit(command.record);
      state.pipeline.pop_front();
    }
    if (seen.issue) {
      RetireRecord record;
      record.block = started_ - 1;
      record.engine = engine;
      record.word_index = seen.index;
      record.sequence = state.sequence++;
      record.word = word_of(seen.word, observer::kWordBytes);
      record.issue = record.first_port = record.last_port = cycle;
      record.stall = seen.stall;
      if (seen.pipelined) {
        state.pipeline.push_back({record, state.transfers, ++numbers_, {}, false, 0});
      } else {
        simple_.push_back(record);
      }
    }
    if (seen.blocked && !state.pipeline.empty()) {
      RetireRecord& record = state.pipeline.back().record;
      if (record.stall == cycle - record.issue) record.first_port = cycle + 1;
      ++record.stall;
    }
    if (seen.last_step) {
      if (!state.pipeline.empty()) state.pipeline.back().record.last_port = cycle;
      ++state.transfers;
    }
  }

  /// The command of `engine` whose writes carry `tag`. A post has the tag of the transfer after it: look from the end.
  Command* find(unsigned engine, uint16_t tag) {
    std::deque<Command>& pipeline = engines_[engine].pipeline;
    for (auto command = pipeline.rbegin(); command != pipeline.rend(); ++command) {
      if (command->tag == tag) return &*command;
    }
    return nullptr;
  }

  void byte(Command& command, Shadow& shadow, unsigned memory, uint64_t address, uint8_t value) {
    Shadow::Cell& cell = shadow[address];
    if (cell.writer == command.number)
      command.record.digest -= write_hash(memory, address, static_cast<uint8_t>(cell.value));
    cell = {command.number, value};
    command.record.digest += write_hash(memory, address, value);
  }

  void writes(Vcovenant_top& top) {
    observer::each_write(top, [&](unsigned engine, unsigned memory, uint64_t address, uint8_t* data, uint8_t* strobe,
                                  unsigned bytes, unsigned tag) {
      Engine& state = engines_[engine];
      Command* command = state.pipeline.empty() ? nullptr : &state.pipeline.back();
      if (command == nullptr || command->tag != tag) command = find(engine, static_cast<uint16_t>(tag));
      // A SIMD array has one nest at a time and no tags.
      if (command == nullptr && !state.pipeline.empty()) command = &state.pipeline.back();
      if (command == nullptr) return;
      command->is_tight = true;
      command->visible = now_ + 1;
      for (unsigned i = 0; i < bytes; ++i) {
        if (bit(strobe, i)) byte(*command, shadows_[memory], memory, address + i, data[i]);
      }
    });
    ports::each_store(top, [&](unsigned memory, unsigned engine, unsigned latency, bool valid, uint32_t address,
                               uint8_t* data, uint8_t* strobe, unsigned bytes) {
      if (!valid) return;
      Command* command = find(engine, static_cast<uint16_t>(observer::store_tag(top, engine)));
      if (command == nullptr) return;
      command->visible = now_ + latency;
      // Its last beat: unless that lies outside the limits, the command retires when this is seen.
      command->is_tight =
          engines_[engine].transfers != command->tag && now_ == command->record.last_port + kStoreStages;
      for (unsigned i = 0; i < bytes; ++i) {
        if (bit(strobe, i)) byte(*command, shadows_[memory], memory, address + i, data[i]);
      }
    });
    observer::each_array(top, [&](unsigned engine, unsigned memory, unsigned columns, uint8_t* valid, uint8_t* elements,
                                  uint8_t* sums, uint8_t* tags) {
      for (unsigned column = 0; column < columns; ++column) {
        if (bit(valid, column)) {
          const uint64_t address = uint64_t{element<uint32_t>(elements, column)} * observer::kDataBytes[memory];
          sum(engine, memory, address, element<uint32_t>(sums, column), element<uint16_t>(tags, column));
        }
      }
    });
  }

  /// A sum of a column accumulator. Most are overwritten by the same pass: they are hashed when they are final.
  void sum(unsigned engine, unsigned memory, uint64_t address, uint32_t value, uint16_t tag) {
    Command* command = find(engine, tag);
    if (command == nullptr) return;
    command->is_tight = true;
    command->visible = now_ + 1;
    Engine& array = engines_[engine];
    array.output = memory;
    Shadow::Cell& cell = array.sums[address];
    if (cell.writer != command->number) {
      for (Command& other : array.pipeline) {
        if (other.number == cell.writer) hash(other, memory, address, cell.value);
      }
      command->touched.push_back(address);
    }
    cell = {command->number, value};
  }

  void settle(Engine& engine, Command& command) {
    for (const uint64_t address : command.touched) {
      const Shadow::Cell& cell = engine.sums[address];
      if (cell.writer == command.number) hash(command, engine.output, address, cell.value);
    }
  }

  static void hash(Command& command, unsigned memory, uint64_t address, uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
      command.record.digest += write_hash(memory, address + i, static_cast<uint8_t>(value >> (8 * i)));
    }
  }

  bool fetch(Vcovenant_top& top, uint64_t cycle) {
    const uint8_t* kinds = observer::seen_kind(top);
    const uint8_t* words = observer::seen_word(top);
    bool event = false;
    for (uint64_t slot = 0; slot < observer::kFetchWords; ++slot) {
      const unsigned kind = bit(kinds, slot * 3) | bit(kinds, slot * 3 + 1) << 1 | bit(kinds, slot * 3 + 2) << 2;
      if (kind == 0) break;
      event = true;
      if (kind >= 3) {  // a header, the end of a block
        RetireRecord record;
        record.block = fetched_;
        record.engine = observer::kEngines;
        record.word_index = fetch_word_;
        record.sequence = fetch_sequence_++;
        record.word = word_of(words + slot * observer::kWordBytes, observer::kWordBytes);
        record.issue = record.first_port = cycle;
        header_ = record;
      }
      if (kind == 2 || kind == 4) {
        header_.retire = cycle + 1;
        header_.last_port = cycle;
        emit(header_);
      }
      ++fetch_word_;
      if (kind == 4) {
        ++fetched_;
        fetch_word_ = 0;
      }
    }
    return event;
  }

  ModelRun& run_;
  std::array<Engine, observer::kEngines> engines_;
  std::vector<RetireRecord> simple_;                 ///< commands that issued in this cycle and retire in the next one
  std::array<Shadow, observer::kMemories> shadows_;  ///< by byte
  uint64_t now_ = 0;
  bool mistimed_ = false;
  uint64_t numbers_ = 0;
  uint32_t started_ = 0;
  uint64_t block_start_ = 0;
  uint32_t fetched_ = 0;
  uint32_t fetch_word_ = 0;
  uint64_t fetch_sequence_ = 0;
  RetireRecord header_;
};

class Clock {
 public:
  Clock(VerilatedContext& context, Vcovenant_top& top, const ModelRun& run)
      : context_(context), top_(top), from_(run.wave_from), to_(run.wave_to) {
    context_.timeInc(1);  // rising edges have even times
#ifdef COVENANT_WAVE
    if (run.wave != nullptr) {
      context_.traceEverOn(true);
      top_.trace(&wave_, 99);
      wave_.open(run.wave);
    }
#endif
  }
  /// The second half of a cycle: outputs follow the inputs that were set in its first half.
  void fall() { half(0); }
  /// The next cycle begins.
  void rise() { half(1); }
  void finish() {
#ifdef COVENANT_WAVE
    if (wave_.isOpen()) wave_.close();
#endif
  }

 private:
  void half(uint8_t level) {
    top_.clk_i = level;
    top_.eval();
#ifdef COVENANT_WAVE
    // Cycle c begins at time 2 (c + kReset); the file has at least the state of its first cycle.
    const uint64_t now = context_.time() / 2;
    const uint64_t cycle = now < kReset ? 0 : now - kReset;
    if (wave_.isOpen() && from_ <= cycle && cycle <= to_) wave_.dump(context_.time());
#endif
    context_.timeInc(1);
  }
  static constexpr uint64_t kReset = 4;  ///< cycles of reset and start before cycle 0
  VerilatedContext& context_;
  Vcovenant_top& top_;
  uint64_t from_;
  uint64_t to_;
#ifdef COVENANT_WAVE
  VerilatedFstC wave_;
#endif
};

bool any_fault(const Vcovenant_top& top, uint64_t& faults) {
  std::memcpy(&faults, &top.fault_o, std::min(sizeof(faults), sizeof(top.fault_o)));
  return faults != 0;
}

void execute(ModelRun& run, Vcovenant_top& top, Clock& clock) {
  OffchipMemories offchip;
  for (const auto& [memory, data, bytes] : run.offchip) offchip.add(memory, data, bytes, ports::kReadPorts);
  Recorder recorder(run);
  const auto tick = [&] {
    clock.fall();
    clock.rise();
  };
  top.start_i = 0;
  // Reset begins before the first clock edge: at that, registers that hold anything could write anything to memories.
  top.clk_i = 0;
  top.rst_ni = 1;
  top.eval();
  top.rst_ni = 0;
  top.eval();
  tick();
  tick();
  top.rst_ni = 1;
  tick();
  top.start_i = 1;
  top.entry_i = run.entry;
  tick();
  top.start_i = 0;
  uint64_t last_event = 0;
  for (uint64_t cycle = 0;; ++cycle) {
    if (top.done_o != 0) break;
    const bool in_memory = serve(offchip, top, cycle);
    clock.fall();
    if (recorder.cycle(top, cycle)) last_event = cycle;
    if (cycle % covenant::rtl::kWatchCycles == 0) run.watch(run.user, cycle);
    run.status = any_fault(top, run.faults) || !in_memory ? RunStatus::kFault
                 : run.broken[0] != '\0'                  ? RunStatus::kBroken
                 : recorder.is_mistimed()                 ? RunStatus::kMistimed
                 : run.stop                               ? RunStatus::kStopped
                 : cycle >= run.max_cycles                ? RunStatus::kTooLong
                 : cycle - last_event > kIdleLimit        ? RunStatus::kStuck
                                                          : RunStatus::kDone;
    if (run.status != RunStatus::kDone) {
      run.cycles = cycle;
      return;
    }
    clock.rise();
  }
  if (!offchip.drain()) run.status = RunStatus::kFault;
}

}  // namespace

extern "C" void covenant_model_run(ModelRun& run) {
  VerilatedContext context;
#ifdef COVENANT_CHECKED
  begin_checked(run, context);
  Verilated::threadContextp(&context);
#endif
  Vcovenant_top top(&context);
  Clock clock(context, top, run);
  execute(run, top, clock);
  clock.finish();
  top.final();
}
