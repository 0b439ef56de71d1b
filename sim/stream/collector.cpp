#include "sim/stream/collector.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "sim/stream/units.h"

namespace covenant::sim {

namespace {

const UnitRow& row_of(const Engine& engine) { return unit_row(engine.description().unit); }

void add(Stalls& stalls, const std::string& cause, uint64_t cycles) {
  if (cycles > 0) stalls[cause] += cycles;
}

}  // namespace

Collector::Collector(const acg::Program& program, const Channels& channels, const std::vector<Engine>& engines)
    : program_(program), channels_(channels), engines_(engines), header_words_(2, 0), tallies_(engines.size()) {
  for (const Engine& engine : engines) {
    EngineStatistics entry;
    entry.engine = engine.description().name;
    entry.unit = engine.description().unit;
    statistics_.engines.push_back(entry);
  }
}

const Engine* Collector::main_engine() const {
  const Engine* best = nullptr;
  for (const Engine& engine : engines_) {
    if (engine.totals().busy == 0) continue;
    if (best == nullptr || comes_before(row_of(engine), row_of(*best)) ||
        (&row_of(engine) == &row_of(*best) && engine.totals().busy > best->totals().busy)) {
      best = &engine;
    }
  }
  return best;
}

/// From the end of the block before to the end of this one, seen from the main engine.
void Collector::split_cycles(BlockStatistics& block, const Engine& engine) const {
  const EngineBlock& totals = engine.totals();
  block.engine = engine.description().name;
  block.compute = totals.busy;
  add(block.stalls, "control", totals.control);
  for (uint32_t counter = 0; counter < totals.stalls.size(); ++counter) {
    if (totals.stalls[counter] > 0) add(block.stalls, channels_.cause(counter), totals.stalls[counter]);
  }
  add(block.stalls, "bus", totals.bus_stall);
  add(block.stalls, "memory", totals.memory_stall);
  add(block.stalls, "drain", totals.drain + block.done - totals.end);
  block.utilisation = utilisation(block, program_.machine, engine.description());
}

void Collector::end_block(const FetchedBlock& fetched, const FetchUnit& fetch, uint64_t start, uint64_t done) {
  BlockStatistics block;
  block.block = static_cast<uint32_t>(statistics_.blocks.size());
  if (block.block < program_.blocks.size()) {
    const acg::Block& named = program_.blocks[block.block];
    block.layer = named.layer;
    block.operation = named.operation;
    block.macs = named.macs;
    block.elementwise = named.elementwise;
  }
  block.start = start;
  block.done = done;
  block.cycles = done - done_before_;
  add(block.stalls, "fetch", start - done_before_);
  if (const Engine* engine = main_engine()) {
    split_cycles(block, *engine);
  } else {
    add(block.stalls, "drain", done - start);
  }
  statistics_.blocks.push_back(block);
  done_before_ = done;
  const uint64_t bytes = fetched.words * fetch.word_bytes();
  const OffchipStatistics words{fetch.edge_name(),
                                fetch.edge_name().substr(fetch.edge_name().find("->") + 2),
                                bytes,
                                0,
                                0,
                                ceil_divide(bytes, fetch.beat_bytes())};
  instructions_.bytes_read += words.bytes_read;
  instructions_.beats += words.beats;
  note_parts(block.block, words);
  header_words_[0] += fetched.groups.size();
  header_words_[1] += 1;
  for (size_t k = 0; k < engines_.size(); ++k) {
    const EngineBlock& totals = engines_[k].totals();
    EngineStatistics& entry = statistics_.engines[k];
    entry.commands += totals.commands;
    entry.busy += totals.busy;
    entry.control += totals.control;
    entry.drain += totals.drain;
    for (uint32_t counter = 0; counter < totals.stalls.size(); ++counter) {
      if (totals.stalls[counter] > 0) add(entry.stalls, channels_.cause(counter), totals.stalls[counter]);
    }
    add(entry.stalls, "bus", totals.bus_stall);
    add(entry.stalls, "memory", totals.memory_stall);
    tallies_[k].add(totals.tally);
    beats_by_.push_back(tallies_[k].asked_beats);
  }
}

uint32_t Collector::blocks_by(uint64_t cycle) const {
  size_t blocks = statistics_.blocks.size();
  while (blocks > 0 && statistics_.blocks[blocks - 1].done > cycle) --blocks;
  return static_cast<uint32_t>(blocks);
}

/// Appends the counters of an engine to both lists.
void Collector::append(size_t engine, const Tally& tally, std::vector<AccessStatistics>& accesses,
                       std::vector<OffchipStatistics>& offchip) const {
  const acg::Machine& machine = program_.machine;
  const acg::Engine& description = engines_[engine].description();
  for (const OperandAccesses& a : tally.accesses) {
    accesses.push_back({machine.memories[a.memory].name, description.name,
                        std::string(unit_row(description.unit).operands[a.operand]), a.reads, a.writes});
  }
  if (!description.edge) return;
  const acg::TransferEnds ends = acg::transfer_ends(machine, machine.edges[description.edge.value()]).value();
  if (!ends.has_offchip) return;
  offchip.push_back({description.name, acg::get(machine, ends.near).name, tally.offchip_bytes_read,
                     tally.offchip_bytes_written, tally.bytes_filled, tally.offchip_beats});
}

/// The lists of one block; engines that have moved nothing in it are left out.
void Collector::note_parts(uint32_t block, const OffchipStatistics& fetched) {
  std::vector<AccessStatistics> accesses;
  std::vector<OffchipStatistics> offchip{fetched};
  for (size_t k = 0; k < engines_.size(); ++k) append(k, engines_[k].totals().tally, accesses, offchip);
  for (AccessStatistics& entry : accesses) statistics_.block_accesses.push_back({block, std::move(entry)});
  for (OffchipStatistics& entry : offchip) {
    if (entry.beats > 0) statistics_.block_offchip.push_back({block, std::move(entry)});
  }
}

Statistics Collector::finish(const FetchUnit& fetch) {
  statistics_.cycles = done_before_;
  instructions_.engine = fetch.edge_name();
  instructions_.operand = fetch.edge_name().substr(fetch.edge_name().find("->") + 2);
  statistics_.offchip.push_back(instructions_);
  Tally total;
  for (size_t k = 0; k < engines_.size(); ++k) {
    EngineStatistics& entry = statistics_.engines[k];
    uint64_t used = entry.busy + entry.control + entry.drain;
    for (const auto& [cause, cycles] : entry.stalls) used += cycles;
    entry.idle = statistics_.cycles - used;
    const Tally& tally = tallies_[k];
    total.add(tally);
    append(k, tally, statistics_.accesses, statistics_.offchip);
  }
  total.words[static_cast<size_t>(acg::Operation::kGroup)] = header_words_[0];
  total.words[static_cast<size_t>(acg::Operation::kBlockEnd)] = header_words_[1];
  for (const acg::OperationInfo& operation : acg::operations()) {
    const auto k = static_cast<size_t>(operation.operation);
    if (total.words[k] == 0) continue;
    statistics_.operations.push_back(
        {acg::qualified_name(operation.operation), total.words[k], total.operations[k], total.in_f32[k]});
  }
  return std::move(statistics_);
}

}  // namespace covenant::sim
