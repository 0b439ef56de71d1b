#include "sim/units/simulation.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>
#include <variant>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "sim/trace/perfetto.h"
#include "sim/units/fault.h"

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

void check_simulatable(const acg::Program& program, const std::vector<uint8_t>& memory) {
  const acg::Machine& machine = program.machine;
  check_fetch_edge(machine);
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (engine.unit != acg::UnitKind::kSystolicArray && engine.unit != acg::UnitKind::kSimdArray &&
        engine.unit != acg::UnitKind::kDma) {
      refuse(fmt::format("there is no model of the unit of {}", engine.name), std::string(name_of(engine.unit)),
             "systolic_array, simd_array, dma", "use a unit kind that is listed in docs/reference/units");
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

/// The largest depth of an engine: that many tokens may be under way from one.
uint32_t Simulation::deepest(const acg::Machine& machine) {
  uint32_t depth = 1;
  for (const acg::Engine& engine : acg::engines(machine)) depth = std::max(depth, pipeline_depth(machine, engine));
  return depth;
}

/// Digests of what a command has written are taken with it; otherwise nobody waits for its values.
ValueQueue::Place Simulation::place_of_values(const RunContext& run) {
  const bool waits = run.records || std::thread::hardware_concurrency() < 2;
  return waits ? ValueQueue::Place::kHere : ValueQueue::Place::kThread;
}

Simulation::Simulation(const acg::Program& program, MemoryImage image, const SimulateOptions& options)
    : program_(program),
      options_(options),
      fetch_(program.machine),
      image_(std::move(image)),
      buses_(program.machine),
      channels_(program.machine, buses_.empty() ? 0 : deepest(program.machine) + 1),
      races_(make_race_detector(program.machine)),
      run_{.machine = program.machine,
           .codec = fetch_.codec(),
           .image = image_,
           .channels = channels_,
           .buses = buses_,
           .races = races_,
           .records = options.records || options.trace,  // arrows of a trace are made of records
           .trace = options.trace,
           .check_races = options.check_races,
           .max_cycles = options.max_cycles,
           .block_name = {},
           .next_stores = {},
           .words_memory = acg::instruction_source(program.machine).value},
      engines_(make_engines(run_)),
      collector_(program, channels_, engines_),
      next_address_(acg::entry_address(program)) {
  if (options.values) run_.values = &values_.emplace(place_of_values(run_));
}

std::vector<Engine> Simulation::make_engines(RunContext& run) {
  std::vector<Engine> engines;
  const std::vector<acg::Engine> described = acg::engines(run.machine);
  engines.reserve(described.size());
  for (uint32_t k = 0; k < described.size(); ++k) engines.emplace_back(run, k, described[k]);
  return engines;
}

std::optional<uint64_t> Simulation::begin_block() {
  const bool is_first = !fetched_;
  if (!is_first && fetched_->is_last) return std::nullopt;
  const uint32_t block = is_first ? 0 : run_.block + 1;
  // Two buffers of instruction memory: the words of block k overwrite those of block k - 2.
  const uint64_t fetch_start =
      is_first ? 0 : std::max(times_.end(fetched_->words), block >= 2 ? done_before_ + 1 : uint64_t{0});
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
  times_ = fetch_.times(fetch_start);
  start_ = std::max(times_.end(fetched_->words), is_first ? uint64_t{0} : done_ + 1);
  channels_.clear();
  buses_.clear();
  runnable_.assign(engines_.size(), false);
  std::vector<uint32_t> active;
  for (const FetchedGroup& group : fetched_->groups) active.push_back(group.engine);
  races_.start_block(active);
  for (Engine& engine : engines_) engine.start_block({}, start_);
  for (const FetchedGroup& group : fetched_->groups) {
    engines_[group.engine].start_block(group.words, start_);
    runnable_[group.engine] = true;
  }
  return start_;
}

std::span<const Simulation::Wake> Simulation::run(uint32_t engine) {
  events_.clear();
  wakes_.clear();
  runnable_[engine] = false;
  engines_[engine].run(events_);
  wake_others(engine);
  if (!buses_.empty()) serve_buses();
  return wakes_;
}

/// Those that wait or are held at what `engine` has posted or taken.
void Simulation::wake_others(uint32_t engine) {
  for (const TokenEvent& event : events_) {
    const auto other = event.is_post ? channels_.waiter(event.counter) : channels_.poster(event.counter);
    if (!other || *other == engine) continue;
    const EngineState blocked = event.is_post ? EngineState::kWaiting : EngineState::kHeld;
    const Engine& candidate = engines_[*other];
    if (candidate.state() != blocked || candidate.blocked_on() != event.counter) continue;
    if (std::none_of(wakes_.begin(), wakes_.end(), [&](const Wake& w) { return w.engine == *other; })) {
      wakes_.push_back({*other, event.cycle});
      runnable_[*other] = true;
    }
  }
}

/// Once no engine can run, whatever happens next happens because of an open transfer, or of an engine that holds back a
/// post: its words come after that one.
void Simulation::serve_buses() {
  if (std::find(runnable_.begin(), runnable_.end(), true) != runnable_.end()) return;
  uint64_t horizon = UINT64_MAX;
  for (const Engine& engine : engines_) {
    if (engine.state() == EngineState::kHeld) horizon = std::min(horizon, engine.arrival() + 1);
  }
  const auto transfer = buses_.advance(horizon);
  if (!transfer) return;
  engines_[transfer->engine].transferred(*transfer);
  runnable_[transfer->engine] = true;
  wakes_.push_back({transfer->engine, transfer->last + 1});
}

bool Simulation::block_done() const {
  return std::all_of(engines_.begin(), engines_.end(), [](const Engine& e) { return e.state() == EngineState::kDone; });
}

void Simulation::raise_stuck() const {
  // All that could still happen happens after one of the held posts has become visible, so the earliest of these finds
  // no buffer: whatever would take the older token depends on it or on a later one.
  const Engine* held = nullptr;
  std::string waits;
  for (const Engine& engine : engines_) {
    if (engine.state() == EngineState::kHeld && (held == nullptr || engine.post_visible() < held->post_visible())) {
      held = &engine;
    }
    if (engine.state() == EngineState::kWaiting) {
      if (!waits.empty()) waits += "; ";
      waits += fmt::format("{} waits for {} since cycle {} (word {})", engine.description().name,
                           channels_.describe(engine.blocked_on()), engine.arrival(), engine.position());
    }
  }
  try {
    channels_.check_overflow();
    if (held != nullptr) channels_.raise_overflow(held->blocked_on(), held->post_visible());
    raise("SIM0017", "every engine that is not done waits for a token that nobody will post", waits, {},
          "post the tokens that are waited for, in an order in which each can be reached");
  } catch (Failure& failure) {
    failure.diagnostic.subject = held != nullptr ? held->place() : run_.block_name;
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

/// Words are read as they lie in memory: stores that may have written them are done first.
void Simulation::wait_for_words() {
  if (!values_ || run_.stores_low >= next_address_ + fetch_.largest_block_bytes() ||
      run_.stores_high <= next_address_) {
    return;
  }
  values_->finish();
  run_.stores_low = UINT64_MAX;
  run_.stores_high = 0;
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

SimulateResult Simulation::finish() {
  if (values_) values_->finish();
  result_.statistics = collector_.finish(fetch_);
  result_.cycles = result_.statistics.cycles;
  if (options_.trace) {
    std::vector<std::string> tracks;
    for (const Engine& engine : engines_) tracks.push_back(engine.description().name);
    tracks.push_back(fetch_.edge_name());
    tracks.emplace_back("layers");
    for (const BlockStatistics& block : result_.statistics.blocks) {
      slices_.push_back({static_cast<uint32_t>(tracks.size() - 1), block.block, block.start, block.done - block.start,
                         false, block_subject(program_, block.block)});
    }
    result_.trace = perfetto_trace(tracks, slices_, flows_of(program_, result_.records));
    if (!options_.records) result_.records.clear();
  }
  return std::move(result_);
}

}  // namespace covenant::sim
