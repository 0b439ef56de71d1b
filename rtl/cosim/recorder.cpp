#include "rtl/cosim/recorder.h"

#include <covenant_observer.h>

#include "rtl/cosim/offchip.h"
#include "rtl/cosim/word.h"

namespace covenant::rtl {
namespace {

namespace observer = covenant_observer;
namespace ports = covenant_ports;
using acg::RetireRecord;
using acg::write_hash;

void hash(RetireRecord& record, unsigned memory, uint64_t address, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) {
    record.digest += write_hash(memory, address + i, static_cast<uint8_t>(value >> (8 * i)));
  }
}

}  // namespace

Recorder::Recorder(ModelRun& run)
    : run_(run), timed_(observer::kMemories), engines_(observer::kEngines), shadows_(observer::kMemories) {
  for (const OffchipBytes& bytes : run.offchip) timed_[bytes.memory] = bytes.timing.model != nullptr ? 1 : 0;
}

bool Recorder::cycle(Vcovenant_top& top, uint64_t cycle) {
  now_ = cycle;
  bool event = run_.records && fetch(top, cycle);
  event |= retire_simple(cycle);
  const bool digests = run_.records && run_.digests;
  if (digests) stores(top);  // stores that may become visible in this cycle, in which their commands retire
  observer::each_engine(top, [&](unsigned engine, bool issue, bool pipelined, bool last_step, bool retire, bool blocked,
                                 unsigned index, const uint8_t* word, uint32_t stall) {
    event = true;
    if (run_.records)
      commands(engines_[engine], engine, cycle, {issue, pipelined, last_step, retire, blocked, index, word, stall});
  });
  if (digests) writes(top);
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

/// Retires the simple commands that issued in the last cycle. False if there are none.
bool Recorder::retire_simple(uint64_t cycle) {
  if (simple_.empty()) return false;
  for (RetireRecord& record : simple_) {
    record.retire = cycle;
    emit(record);
  }
  simple_.clear();
  return true;
}

void Recorder::commands(Engine& state, unsigned engine, uint64_t cycle, const Seen& seen) {
  if (seen.retire && !state.pipeline.empty()) {
    Command& command = state.pipeline.front();
    command.record.retire = cycle;
    for (const uint64_t address : command.touched) {
      const Shadow::Cell& cell = state.sums[address];
      if (cell.writer == command.number) hash(command.record, state.output, address, cell.value);
    }
    // A command must retire in the cycle in which its last write becomes visible, not before and not later.
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
Recorder::Command* Recorder::find(unsigned engine, uint16_t tag) {
  std::deque<Command>& pipeline = engines_[engine].pipeline;
  for (auto command = pipeline.rbegin(); command != pipeline.rend(); ++command) {
    if (command->tag == tag) return &*command;
  }
  return nullptr;
}

void Recorder::byte(Command& command, unsigned memory, uint64_t address, uint8_t value) {
  Shadow::Cell& cell = shadows_[memory][address];
  if (cell.writer == command.number)
    command.record.digest -= write_hash(memory, address, static_cast<uint8_t>(cell.value));
  cell = {command.number, value};
  command.record.digest += write_hash(memory, address, value);
}

void Recorder::stores(Vcovenant_top& top) {
  ports::each_store(top, [&](const ports::WritePort& port) {
    if (!port.valid) return;
    Command* command = find(port.port, static_cast<uint16_t>(observer::store_tag(top, port.port)));
    if (command == nullptr) return;
    command->visible = now_ + port.latency;
    // After its last beat: unless that is outside the limits, the command retires when the beat becomes visible, or
    // later if the memory is slower than its latency.
    command->is_tight = timed_[port.memory] == 0 && engines_[port.port].transfers != command->tag &&
                        now_ == command->record.last_port + observer::kStoreStages[port.port];
    for (unsigned i = 0; i < port.bytes; ++i) {
      if (bit(port.strobe, i)) byte(*command, port.memory, port.address + i, port.data[i]);
    }
  });
}

void Recorder::writes(Vcovenant_top& top) {
  observer::each_write(top, [&](unsigned engine, unsigned memory, uint64_t address, uint8_t* data, uint8_t* strobe,
                                unsigned bytes, unsigned tag) {
    Engine& state = engines_[engine];
    Command* command = state.pipeline.empty() ? nullptr : &state.pipeline.back();
    if (command == nullptr || command->tag != tag) command = find(engine, static_cast<uint16_t>(tag));
    // A unit that has one command at a time has no tags.
    if (command == nullptr && !state.pipeline.empty()) command = &state.pipeline.back();
    if (command == nullptr) return;
    command->is_tight = true;
    command->visible = now_ + 1;
    for (unsigned i = 0; i < bytes; ++i) {
      if (bit(strobe, i)) byte(*command, memory, address + i, data[i]);
    }
  });
  observer::each_columns(top, [&](unsigned engine, unsigned memory, unsigned columns, uint8_t* valid, uint8_t* elements,
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
void Recorder::sum(unsigned engine, unsigned memory, uint64_t address, uint32_t value, uint16_t tag) {
  Command* command = find(engine, tag);
  if (command == nullptr) return;
  command->is_tight = true;
  command->visible = now_ + 1;
  Engine& array = engines_[engine];
  array.output = memory;
  Shadow::Cell& cell = array.sums[address];
  if (cell.writer != command->number) {
    for (Command& other : array.pipeline) {
      if (other.number == cell.writer) hash(other.record, memory, address, cell.value);
    }
    command->touched.push_back(address);
  }
  cell = {command->number, value};
}

bool Recorder::fetch(Vcovenant_top& top, uint64_t cycle) {
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

}  // namespace covenant::rtl
