#include "sim/stream/count_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "sim/stream/flows.h"
#include "sim/stream/shared_bus.h"
#include "sim/stream/units.h"

namespace covenant::sim {
namespace {

using acg::Operation;
using acg::RetireRecord;

/// Effect of a word on its engine's timing.
struct WordInfo {
  bool uses_port = false;
  bool drains = false;  ///< the engine takes no other word before it has retired
  std::string cause;    ///< for a wait or a post: what it waits for
};

/// One engine in one block.
struct EngineTotals {
  uint64_t commands = 0;
  uint64_t busy = 0;
  uint64_t control = 0;
  uint64_t drain = 0;
  uint64_t end = 0;  ///< first cycle in which it would take another word
  Stalls stalls;
};

class RecordCounter {
 public:
  explicit RecordCounter(const acg::Program& program)
      : program_(program), codec_(program.machine), engines_(acg::engines(program.machine)) {
    for (const acg::Engine& engine : engines_)
      counted_.statistics.engines.push_back({engine.name, engine.unit, 0, 0, 0, {}, 0, 0});
    for (const SharedBus& bus : shared_buses(program.machine)) {
      for (const SharedBus::Member& member : bus.members()) on_bus_.insert(member.engine);
    }
  }

  StatisticsFromRecords count(std::span<const RetireRecord> records, std::span<const BlockTimes> times) {
    auto begin = records.begin();
    uint64_t done_before = 0;
    for (uint32_t block = 0; block < times.size(); ++block) {
      std::vector<EngineTotals> totals(engines_.size());
      for (EngineTotals& total : totals) total.end = times[block].start;
      while (begin != records.end() && begin->block == block) {
        const auto end = std::find_if(
            begin, records.end(), [&](const RetireRecord& r) { return r.block != block || r.engine != begin->engine; });
        if (begin->engine < engines_.size()) totals[begin->engine] = engine_totals({begin, end});
        begin = end;
      }
      add_block(block, times[block], done_before, totals);
      done_before = times[block].done;
    }
    finish(done_before);
    return std::move(counted_);
  }

 private:
  const WordInfo& info(const acg::InstructionWord& word) {
    const auto [entry, is_new] = words_.try_emplace(word);
    const auto decoded = codec_.decode(word);
    if (!is_new || !decoded) return entry->second;
    const acg::Instruction& instruction = decoded->instruction;
    const Operation operation = instruction.operation;
    WordInfo& made = entry->second;
    made.uses_port = uses_port(operation);
    made.drains = made.uses_port && unit_row(acg::info(operation).unit).drains;
    if (operation == Operation::kPost) made.cause = "memory";
    if (operation == Operation::kWait) {
      const auto operand = [&](const char* name) {
        return static_cast<size_t>(instruction.operands.at(acg::operand_index(operation, name)));
      };
      made.cause = fmt::format("{}.{}", program_.machine.memories.at(operand("memory")).name,
                               operand("token") == static_cast<size_t>(acg::Token::kFull) ? "full" : "free");
    }
    return made;
  }

  /// The cause of a word's stall.
  std::string cause_of(const RetireRecord& r, const WordInfo& word) const {
    if (!word.uses_port) return word.cause;
    return on_bus_.contains(r.engine) ? "bus" : "memory";
  }

  uint64_t arrival_of(const RetireRecord& record) {
    return record.issue - (info(record.word).uses_port ? 0 : record.stall);
  }

  void note_slices(const RetireRecord& r, const WordInfo& word) {
    const auto note = [&](uint64_t begin, uint64_t end, bool is_stall, const std::string& name) {
      if (end > begin) counted_.slices.push_back({r.engine, r.block, begin, end - begin, is_stall, name});
    };
    if (!word.uses_port) {
      note(r.issue - r.stall, r.issue, true, cause_of(r, word));
      return;
    }
    note(r.issue, r.first_port, true, cause_of(r, word));
    note(r.first_port, r.last_port + 1, false, codec_.disassemble(r.word));
  }

  EngineTotals engine_totals(std::span<const RetireRecord> records) {
    EngineTotals totals;
    for (size_t k = 0; k < records.size(); ++k) {
      const RetireRecord& r = records[k];
      const WordInfo& word = info(r.word);
      // The stall of a wait or post is before its issue, that of a transfer between its issue and its end.
      const uint64_t held = word.uses_port ? r.stall : 0;
      const uint64_t ports = word.uses_port ? r.last_port - r.issue + 1 - held : 0;
      const uint64_t next = k + 1 < records.size() ? arrival_of(records[k + 1])
                            : word.drains          ? r.retire
                                                   : r.issue + std::max<uint64_t>(ports + held, 1);
      ++totals.commands;
      (word.uses_port ? totals.busy : totals.control) += word.uses_port ? ports : next - r.issue;
      if (word.uses_port) totals.drain += next - r.issue - ports - held;
      add(totals.stalls, cause_of(r, word), r.stall);
      totals.end = next;
      note_slices(r, word);
    }
    return totals;
  }

  const UnitRow& row(size_t engine) const { return unit_row(engines_[engine].unit); }

  void add_block(uint32_t index, const BlockTimes& times, uint64_t done_before,
                 const std::vector<EngineTotals>& totals) {
    BlockStatistics block;
    block.block = index;
    if (index < program_.blocks.size()) {
      const acg::Block& named = program_.blocks[index];
      block.layer = named.layer;
      block.operation = named.operation;
      block.macs = named.macs;
      block.elementwise = named.elementwise;
    }
    block.start = times.start;
    block.done = times.done;
    block.cycles = times.done - done_before;
    add(block.stalls, "fetch", times.start - done_before);
    size_t main = totals.size();
    for (size_t k = 0; k < totals.size(); ++k) {
      if (totals[k].busy == 0) continue;
      if (main == totals.size() || comes_before(row(k), row(main)) ||
          (&row(k) == &row(main) && totals[k].busy > totals[main].busy)) {
        main = k;
      }
    }
    if (main == totals.size()) {
      add(block.stalls, "drain", times.done - times.start);
    } else {
      split(block, main, totals[main]);
    }
    counted_.statistics.blocks.push_back(block);
    for (size_t k = 0; k < totals.size(); ++k) add(counted_.statistics.engines[k], totals[k]);
  }

  void split(BlockStatistics& block, size_t main, const EngineTotals& totals) const {
    block.engine = engines_[main].name;
    block.compute = totals.busy;
    add(block.stalls, "control", totals.control);
    for (const auto& [cause, cycles] : totals.stalls) add(block.stalls, cause, cycles);
    add(block.stalls, "drain", totals.drain + block.done - totals.end);
    block.utilisation = utilisation(block, program_.machine, engines_[main]);
  }

  static void add(Stalls& stalls, const std::string& cause, uint64_t cycles) {
    if (cycles > 0) stalls[cause] += cycles;
  }

  static void add(EngineStatistics& entry, const EngineTotals& totals) {
    entry.commands += totals.commands;
    entry.busy += totals.busy;
    entry.control += totals.control;
    entry.drain += totals.drain;
    for (const auto& [cause, cycles] : totals.stalls) add(entry.stalls, cause, cycles);
  }

  void finish(uint64_t cycles) {
    counted_.statistics.cycles = cycles;
    for (EngineStatistics& entry : counted_.statistics.engines) {
      uint64_t used = entry.busy + entry.control + entry.drain;
      for (const auto& [cause, stalled] : entry.stalls) used += stalled;
      entry.idle = cycles - used;
    }
  }

  const acg::Program& program_;
  acg::Codec codec_;
  std::vector<acg::Engine> engines_;
  std::set<uint32_t> on_bus_;  ///< engines that share one
  std::map<acg::InstructionWord, WordInfo> words_;
  StatisticsFromRecords counted_;
};

std::string fetch_edge_name(const acg::Machine& machine) {
  for (const acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (to == nullptr || acg::get(machine, *to).kind != acg::MemoryKind::kInstruction) continue;
    return acg::name_of(machine, edge.from) + "->" + acg::name_of(machine, edge.to);
  }
  return "instruction fetch";
}

std::string subject(const BlockStatistics& block) {
  return block.layer.empty() ? fmt::format("block {}", block.block)
                             : fmt::format("block {} ({})", block.block, block.layer);
}

/// When a block's words were all there: its block_end retires.
std::vector<uint64_t> fetch_ends(std::span<const RetireRecord> records, size_t fetch_unit, size_t blocks) {
  std::vector<uint64_t> ends(blocks);
  for (const RetireRecord& record : records) {
    if (record.engine == fetch_unit && record.block < blocks) ends[record.block] = record.retire;
  }
  return ends;
}

/// Adds the tracks of instruction fetch and of layers, in the order of a run's own trace.
void add_trace(const acg::Program& program, std::span<const RetireRecord> records, StatisticsFromRecords& counted) {
  for (const acg::Engine& engine : acg::engines(program.machine)) counted.tracks.push_back(engine.name);
  const auto fetch = static_cast<uint32_t>(counted.tracks.size());
  counted.tracks.push_back(fetch_edge_name(program.machine));
  counted.tracks.emplace_back("layers");
  const std::vector<BlockStatistics>& blocks = counted.statistics.blocks;
  const std::vector<uint64_t> ends = fetch_ends(records, fetch, blocks.size());
  std::vector<TraceSlice> slices;
  auto slice = counted.slices.begin();
  for (uint32_t k = 0; k < blocks.size(); ++k) {
    for (; slice != counted.slices.end() && slice->block == k; ++slice) slices.push_back(*slice);
    const uint64_t previous = k == 0 ? 0 : ends[k - 1];
    const uint64_t start = k >= 2 ? std::max(previous, blocks[k - 2].done + 1) : previous;  // units/control.md
    slices.push_back({fetch, k, start, ends[k] - start, false, "fetch " + subject(blocks[k])});
  }
  for (const BlockStatistics& block : blocks) {
    slices.push_back({fetch + 1, block.block, block.start, block.done - block.start, false, subject(block)});
  }
  counted.slices = std::move(slices);
  counted.flows = flows_of(program, records);
}

}  // namespace

StatisticsFromRecords count_records(const acg::Program& program, std::span<const RetireRecord> records,
                                    std::span<const BlockTimes> times) {
  StatisticsFromRecords counted = RecordCounter(program).count(records, times);
  add_trace(program, records, counted);
  return counted;
}

}  // namespace covenant::sim
