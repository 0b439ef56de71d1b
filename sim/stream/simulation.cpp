#include "sim/stream/simulation.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "sim/common/fault.h"
#include "sim/stream/flows.h"
#include "sim/stream/units.h"
#include "sim/trace/perfetto.h"

namespace covenant::sim {

namespace {

constexpr uint64_t kLargestMemory = uint64_t{1} << 31U;

std::string block_subject(const acg::Program& program, size_t block) {
  if (block < program.blocks.size()) return fmt::format("block {} ({})", block, program.blocks[block].layer);
  return fmt::format("block {}", block);
}

[[noreturn]] void refuse(std::string message, std::string offending, std::string allowed, std::string fix) {
  raise("SIM0061", std::move(message), std::move(offending), {std::move(allowed)}, std::move(fix));
}

std::string names_of_units() {
  std::string names;
  for (const UnitRow* row : unit_rows()) {
    if (!names.empty()) names += ", ";
    names += name_of(row->kind);
  }
  return names;
}

void check_fetch_edge(const acg::Machine& machine) {
  const std::optional<uint32_t> edge = acg::instruction_edge(machine);
  if (!edge) {
    refuse("the machine has no instruction memory", machine.name, "an edge from off-chip memory to one",
           "add an instruction memory and its edge");
  }
  const uint32_t bandwidth = machine.edges[*edge].bandwidth;
  if (bandwidth >= 8 && bandwidth % 8 == 0) return;
  refuse("the edge to the instruction memory does not carry whole bytes", fmt::format("{} bits per cycle", bandwidth),
         "multiples of 8 bits", "widen the edge");
}

}  // namespace

void check_machine(const acg::Machine& machine) {
  check_fetch_edge(machine);
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (find_unit(engine.unit) == nullptr) {
      refuse(fmt::format("there is no model of the unit of {}", engine.name), std::string(name_of(engine.unit)),
             names_of_units(), "use a unit kind that is listed in docs/reference/units");
    }
    if (engine.edge && machine.edges[*engine.edge].bandwidth < 8) {
      refuse(fmt::format("the edge {} is narrower than a byte", engine.name),
             fmt::format("{} bits per cycle", machine.edges[*engine.edge].bandwidth), "at least 8", "widen the edge");
    }
  }
  for (const acg::Memory& m : machine.memories) {
    if (m.kind != acg::MemoryKind::kScratchpad || (m.buffer_bytes() < kLargestMemory && m.unit_bytes() > 0)) continue;
    refuse(fmt::format("a buffer of {} is too large, or its unit is not a whole byte", m.name),
           fmt::format("{} bytes", m.buffer_bytes()), "less than 2^31 bytes", "make the memory smaller");
  }
}

void check_simulatable(const acg::Program& program, const std::vector<uint8_t>& memory) {
  check_machine(program.machine);
  if (memory.size() != program.memory_bytes || memory.size() >= kLargestMemory) {
    refuse("the off-chip image has the wrong size", fmt::format("{} bytes", memory.size()),
           fmt::format("the program's {} bytes, less than 2^31", program.memory_bytes),
           "make the image of program.memory_bytes bytes");
  }
}

RaceDetector Simulation::make_race_detector(const acg::Machine& machine) {
  std::vector<std::vector<uint32_t>> touches;
  for (const acg::Engine& engine : acg::engines(machine)) {
    std::vector<uint32_t>& memories = touches.emplace_back();
    for (uint32_t index = 0; index < machine.edges.size(); ++index) {
      const acg::Edge& edge = machine.edges[index];
      const bool mine = engine.edge
                            ? *engine.edge == index
                            : edge.from == acg::NodeId(*engine.compute) || edge.to == acg::NodeId(*engine.compute);
      if (!mine) continue;
      for (const acg::NodeId& node : {edge.from, edge.to}) {
        if (const auto* memory = std::get_if<acg::MemoryId>(&node)) memories.push_back(memory->value);
      }
    }
    std::sort(memories.begin(), memories.end());
    memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
  }
  return {machine.memories.size(), std::move(touches)};
}

/// Tokens that one engine may have under way: those of posts that it has executed, but that are not visible. Buses and
/// memories make an engine wait for time, so others may be behind it.
uint32_t Simulation::run_ahead(const acg::Machine& machine, bool has_buses, const std::vector<bool>& is_timed) {
  const bool has_timed = std::find(is_timed.begin(), is_timed.end(), true) != is_timed.end();
  if (!has_buses && !has_timed) return 0;
  uint64_t most = 1;
  for (const acg::Engine& engine : acg::engines(machine)) {
    most = std::max<uint64_t>(most, pipeline_depth(machine, engine));
    if (engine.edge && has_timed) most = std::max(most, AnswerQueue::places(pipeline_depth(machine, engine)));
  }
  return static_cast<uint32_t>(most + 1);
}

/// Digests of written values are computed with the command, and a port carries bytes as they arrive; otherwise nothing
/// waits for values.
ValueQueue::Place Simulation::place_of_values(const RunContext& run, bool has_timed) {
  const bool waits = run.records || has_timed || std::thread::hardware_concurrency() < 2;
  return waits ? ValueQueue::Place::kHere : ValueQueue::Place::kThread;
}

Simulation::Simulation(const acg::Program& program, MemoryImage image, const SimulateOptions& options,
                       const MemoryAccess& access)
    : program_(program),
      options_(options),
      fetch_(program.machine),
      image_(std::move(image)),
      buses_(shared_buses(program.machine)),
      channels_(program.machine, run_ahead(program.machine, !buses_.empty(), access.is_timed)),
      races_(make_race_detector(program.machine)),
      run_{.machine = program.machine,
           .codec = fetch_.codec(),
           .image = image_,
           .channels = channels_,
           .races = races_,
           .is_timed = access.is_timed,
           .outstanding = access.outstanding,
           .carries = options.values,
           .records = options.records || options.trace,  // arrows of a trace are made of records
           .trace = options.trace,
           .check_races = options.check_races,
           .max_cycles = options.max_cycles,
           .block_name = {},
           .next_stores = {},
           .words_memory = acg::instruction_source(program.machine).value},
      engines_(make_engines(run_)),
      collector_(program, channels_, engines_),
      next_address_(acg::entry_address(program)),
      fetch_brings_words_(access.fetch_brings_words) {
  const bool has_timed = std::find(run_.is_timed.begin(), run_.is_timed.end(), true) != run_.is_timed.end();
  if (options.values) run_.values = &values_.emplace(place_of_values(run_, has_timed));
}

std::vector<Engine> Simulation::make_engines(RunContext& run) {
  std::vector<Engine> engines;
  const std::vector<acg::Engine> described = acg::engines(run.machine);
  engines.reserve(described.size());
  for (uint32_t k = 0; k < described.size(); ++k) engines.emplace_back(run, k, described[k]);
  return engines;
}

bool Simulation::fetch_is_timed() const { return !run_.is_timed.empty() && run_.is_timed[run_.words_memory]; }

/// Two buffers of instruction memory: the words of block k overwrite those of block k - 2. `done`: of that one.
uint64_t Simulation::fetch_start(uint64_t done) const {
  if (!fetched_) return 0;
  return std::max(times_.end(fetched_->words), run_.block >= 1 ? done + 1 : uint64_t{0});
}

std::optional<Simulation::Fetch> Simulation::next_fetch() {
  if (fetched_ ? fetched_->is_last : next_address_ % fetch_.beat_bytes() != 0) return std::nullopt;
  scan_ = {next_address_};
  return Fetch{fetch_start(done_), next_address_, fetch_.beat_bytes()};
}

bool Simulation::beat_arrived(uint64_t address, std::span<const uint8_t> bytes) {
  if (fetch_brings_words_) {
    const std::span<uint8_t> words = image_.writable(run_.words_memory);
    if (address < words.size()) {
      std::copy_n(bytes.begin(), std::min(bytes.size(), words.size() - address), words.subspan(address).begin());
    }
  }
  return fetch_.has_come(scan_, image_.bytes(run_.words_memory), address + fetch_.beat_bytes());
}

std::optional<uint64_t> Simulation::begin_block(std::vector<uint64_t> beats) {
  const bool is_first = !fetched_;
  if (!is_first && fetched_->is_last) return std::nullopt;
  const uint32_t block = is_first ? 0 : run_.block + 1;
  const uint64_t start = fetch_start(done_before_);
  const std::string subject = block_subject(program_, block);
  if (is_first && next_address_ % fetch_.beat_bytes() != 0) {
    raise("SIM0006", "the program does not start on a beat of the edge to the instruction memory",
          fmt::format("byte {}", next_address_), {fmt::format("multiples of {}", fetch_.beat_bytes())},
          "align the instruction segment");
  }
  FetchedBlock fetched = fetch_block(subject);
  run_.block = block;
  run_.block_name = subject;
  fetched_ = std::move(fetched);
  next_address_ = fetch_.address_after(*fetched_);
  run_.next_stores.clear();
  run_.next_words_low = next_address_;
  run_.next_words_high = next_address_ + fetch_.largest_block_bytes();
  times_ = fetch_.times(start);
  times_.beats = std::move(beats);
  start_ = std::max(times_.end(fetched_->words), is_first ? uint64_t{0} : done_ + 1);
  start_engines();
  return start_;
}

void Simulation::start_engines() {
  channels_.clear();
  for (SharedBus& bus : buses_) bus.clear();
  std::vector<uint32_t> active;
  for (const FetchedGroup& group : fetched_->groups) active.push_back(group.engine);
  races_.start_block(active);
  for (Engine& engine : engines_) engine.start_block({}, start_);
  for (const FetchedGroup& group : fetched_->groups) engines_[group.engine].start_block(group.words, start_);
}

bool Simulation::block_done() const {
  return std::all_of(engines_.begin(), engines_.end(), [](const Engine& e) { return e.is_finished(); });
}

void Simulation::raise_stuck() const {
  std::string waits;
  for (const Engine& engine : engines_) {
    if (engine.state() != EngineState::kWaiting) continue;
    if (!waits.empty()) waits += "; ";
    waits += fmt::format("{} waits for {} since cycle {} (word {})", engine.description().name,
                         channels_.describe(engine.blocked_on()), engine.arrival(), engine.position());
  }
  try {
    channels_.check_overflow();
    raise("SIM0017", "every engine that is not done waits for a token that is never posted", waits, {},
          "post the tokens that are waited for, in an order in which each can be reached");
  } catch (Failure& failure) {
    failure.diagnostic.subject = run_.block_name;
    throw;
  }
}

uint64_t Simulation::end_block() {
  check(block_done(), "end_block before the block is done");
  try {
    channels_.check_balanced();
  } catch (Failure& failure) {
    failure.diagnostic.subject = run_.block_name;
    throw;
  }
  uint64_t done = start_;
  for (const Engine& engine : engines_) done = std::max(done, engine.totals().last_retire);
  collector_.end_block(fetched_.value(), fetch_, start_, done);
  for (Engine& engine : engines_) {
    std::vector<acg::RetireRecord> records = engine.take_records();
    result_.records.insert(result_.records.end(), records.begin(), records.end());
    std::vector<TraceSlice> slices = engine.take_slices();
    std::move(slices.begin(), slices.end(), std::back_inserter(slices_));
  }
  record_fetch();
  done_before_ = done_;
  done_ = done;
  return done;
}

/// Words are read from memory: stores that may have changed them are completed first.
void Simulation::wait_for_words() {
  if (!values_ || run_.stores.low >= next_address_ + fetch_.largest_block_bytes() ||
      run_.stores.high <= next_address_) {
    return;
  }
  values_->finish();
  run_.stores = {};
}

FetchedBlock Simulation::fetch_block(const std::string& subject) {
  wait_for_words();
  try {
    FetchedBlock fetched = fetch_.fetch(image_.bytes(run_.words_memory), next_address_, subject);
    check_fetch_race(fetched.words, subject);
    return fetched;
  } catch (Failure&) {
    // Words that a store has spoilt are a race first of all.
    check_fetch_race(fetch_.words_read(), subject);
    throw;
  }
}

void Simulation::check_fetch_race(uint64_t words_read, const std::string& subject) const {
  const Region words(0, next_address_, words_read * fetch_.word_bytes());
  for (Region store : run_.next_stores) {
    store.memory = 0;
    if (!overlap(store, words)) continue;
    Diagnostic race;
    race.code = "SIM0051";
    race.subject = subject;
    race.message = "a store of the block before writes words of this block while they are fetched";
    race.offending = fmt::format("bytes {}..{}", std::max(store.low, words.low), std::min(store.high, words.high) - 1);
    race.fix = "keep the instructions apart from what the program writes";
    throw Failure{std::move(race)};
  }
}

void Simulation::record_fetch() {
  const FetchedBlock& fetched = fetched_.value();
  const auto unit = static_cast<uint32_t>(engines_.size());
  const auto record = [&](uint64_t word_index, const acg::InstructionWord& word, uint64_t retire) {
    const uint64_t issue = times_.arrive(word_index);
    result_.records.push_back({run_.block, unit, static_cast<uint32_t>(word_index), fetch_sequence_++, word, issue,
                               retire, issue, retire - 1, 0, 0});
  };
  if (options_.records) {
    for (const FetchedGroup& group : fetched.groups) {
      record(group.header, group.header_bits, times_.arrive(group.header + group.words.size()) + 1);
    }
    record(fetched.words - 1, fetched.end_bits, times_.end(fetched.words));
  }
  if (!options_.trace) return;
  slices_.push_back(
      {unit, run_.block, times_.start, times_.end(fetched.words) - times_.start, false, "fetch " + run_.block_name});
}

RunCounters Simulation::counted(uint64_t now) const {
  RunCounters counted;
  counted.cycles = now;
  counted.blocks = collector_.blocks_by(now);
  for (const Engine& engine : engines_) counted.stalled += engine.waited();
  collector_.count_beats(counted.blocks, [&](const Engine& engine, uint64_t beats) {
    const acg::Edge& edge = program_.machine.edges[engine.description().edge.value()];
    const bool loads = acg::transfer_ends(program_.machine, edge).value().loads;
    (loads ? counted.bytes_read : counted.bytes_written) += beats * (edge.bandwidth / 8);
  });
  return counted;
}

SimulateResult Simulation::finish(std::vector<MemoryStatistics> memories, std::span<const MemoryTrace> traces) {
  if (values_) values_->finish();
  result_.statistics = collector_.finish(fetch_);
  result_.statistics.memories = std::move(memories);
  result_.cycles = result_.statistics.cycles;
  if (acg::memory_ranges(program_).size() == 1) result_.written = run_.written;
  if (options_.trace) {
    std::vector<std::string> tracks;
    for (const Engine& engine : engines_) tracks.push_back(engine.description().name);
    tracks.push_back(fetch_.edge_name());
    tracks.emplace_back("layers");
    for (const BlockStatistics& block : result_.statistics.blocks) {
      slices_.push_back({static_cast<uint32_t>(tracks.size() - 1), block.block, block.start, block.done - block.start,
                         false, block_subject(program_, block.block)});
    }
    result_.trace = perfetto_trace(tracks, slices_, flows_of(program_, result_.records), traces);
    if (!options_.records) result_.records.clear();
  }
  return std::move(result_);
}

}  // namespace covenant::sim
