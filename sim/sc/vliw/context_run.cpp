#include "sim/sc/vliw/context_run.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "acg/program/packet_program.h"
#include "sim/common/fault.h"
#include "sim/vliw/packet_result.h"
#include "sim/vliw/profile.h"

namespace covenant::sim {
namespace {

constexpr uint32_t kCaller = acg::kCallerAddress;

uint32_t entry_of(const acg::Program& program) { return acg::kImageAddress + static_cast<uint32_t>(program.entry); }

}  // namespace

vliw::Contexts::Start start_of(const acg::Program& program, std::vector<uint8_t>& image, std::optional<uint32_t> same) {
  vliw::Contexts::Start start{{}, entry_of(program)};
  start.memory.add("image", acg::kImageAddress, image);
  if (!same) return start;
  for (const acg::Segment& segment : program.segments) {
    if (segment.kind != acg::SegmentKind::kConstant) continue;
    start.common.push_back({acg::kImageAddress + static_cast<uint32_t>(segment.address), segment.size, *same});
  }
  return start;
}

ContextRun::ContextRun(const acg::Program& program, vliw::Core& core, const SimulateOptions& options, bool is_alone)
    : program_(program), core_(core), options_(options), macs_in_packet_(acg::macs_in_packet(program.machine)) {
  core_.registers().scalars[acg::kReturnRegister] = kCaller;
  if (is_alone) traffic_ = vliw::traffic_of(paths());
  if (!options.records && !options.trace) return;
  recorder_.emplace(core_, program_.machine,
                    vliw::PacketRecorder::Wanted{options.records, options.trace, options.commands});
}

/// A block ends where the next one begins, the last one at the return.
sc::CoreModule::Behind ContextRun::behind() {
  sc::CoreModule::Behind behind{&services_};
  for (size_t i = 0; i < program_.blocks.size(); ++i) {
    const acg::Block& block = program_.blocks[i];
    const uint64_t end = block.first_word + block.words;
    const bool is_last = i + 1 == program_.blocks.size();
    const uint32_t address =
        is_last ? kCaller : entry_of(program_) + static_cast<uint32_t>(end * program_.machine.word_bytes());
    behind.stops.push_back({address, [this, i] { end_block(i); }});
  }
  return behind;
}

void ContextRun::check_ended(uint64_t most_packets) const {
  if (core_.address() == kCaller) return;
  raise("SIM0060", "the program has not come to its end", fmt::format("{} packets", core_.packets()),
        {fmt::format("up to {}", most_packets)}, "compile the model again");
}

SimulateResult ContextRun::result() const {
  SimulateResult result;
  result.cycles = core_.pipeline().value().cycles();
  result.statistics.cycles = result.cycles;
  result.statistics.packets = core_.packets();
  result.statistics.blocks = blocks_;
  if (traffic_) {
    const vliw::Traffic all = vliw::traffic_of(paths());
    result.statistics.accesses = vliw::accesses_of(program_.machine, paths(), all);
    result.statistics.offchip = {vliw::offchip_of(program_.machine, all)};
    result.statistics.block_accesses = block_accesses_;
    result.statistics.block_offchip = block_offchip_;
  }
  auto own = std::make_shared<PacketResult>();
  if (options_.records) own->records = recorder_.value().records();
  if (options_.profile) own->profile = vliw::profile_of(core_, program_.machine.packet.interval);
  result.own = std::move(own);
  return result;
}

std::vector<std::string> ContextRun::tracks() const {
  std::vector<std::string> tracks = recorder_.value().tracks();
  tracks.emplace_back("layers");
  return tracks;
}

std::vector<TraceSlice> ContextRun::slices() const {
  std::vector<TraceSlice> slices = recorder_.value().slices();
  const auto layers = static_cast<uint32_t>(recorder_.value().tracks().size());
  for (const BlockStatistics& block : blocks_) {
    const std::string name = block.layer.empty() ? fmt::format("block {}", block.block) : block.layer;
    slices.push_back({layers, block.block, block.start, block.cycles, false, name});
  }
  return slices;
}

/// The cycle in which it is done may be known only later; the packets that it has issued are known now.
void ContextRun::end_block(size_t index) {
  const uint64_t packets = core_.packets() - packets_before_;
  packets_before_ = core_.packets();
  if (recorder_) recorder_->begin_block(static_cast<uint32_t>(index + 1));
  core_.when_timed(
      [this, index, packets, waits = core_.pipeline().value().counts().waits] { note_block(index, packets, waits); });
}

void ContextRun::note_block(size_t index, uint64_t packets, const vliw::WaitCycles& waits) {
  const acg::Block& block = program_.blocks[index];
  BlockStatistics made;
  made.block = static_cast<uint32_t>(index);
  made.layer = block.layer;
  made.operation = block.operation;
  made.start = blocks_.empty() ? 0 : blocks_.back().done;
  made.done = core_.pipeline().value().cycles();
  made.cycles = made.done - made.start;
  made.packets = packets;
  made.engine = main_node();
  note_stalls(made, waits);
  note_traffic(made.block);
  made.macs = block.macs;
  made.elementwise = block.elementwise;
  const double room = static_cast<double>(macs_in_packet_) * static_cast<double>(made.cycles) /
                      static_cast<double>(program_.machine.packet.interval);
  if (room > 0) made.utilisation = static_cast<double>(made.macs) / room;
  blocks_.push_back(std::move(made));
}

/// The remaining cycles are computing.
void ContextRun::note_stalls(BlockStatistics& made, const vliw::WaitCycles& waits) {
  made.compute = made.cycles;
  const auto stall = [&](const char* cause, uint64_t cycles) {
    if (cycles > 0) made.stalls[cause] = cycles;
    made.compute -= std::min(made.compute, cycles);
  };
  stall("registers", waits.scalar_registers - before_.scalar_registers);
  stall("queue", waits.queue - before_.queue);
  stall("branches", waits.branches - before_.branches);
  stall("turn", waits.turn - before_.turn);
  before_ = waits;
}

/// All packets of the block have asked for their lines by now. Where memory is asked when it answers, some of the next
/// block may have, too: their lines are counted here.
void ContextRun::note_traffic(uint32_t block) {
  if (!traffic_) return;
  const vliw::Traffic now = vliw::traffic_of(paths());
  vliw::Traffic made = now;
  made -= *traffic_;
  traffic_ = now;
  for (AccessStatistics& entry : vliw::accesses_of(program_.machine, paths(), made)) {
    block_accesses_.push_back({block, std::move(entry)});
  }
  if (made.beats > 0) block_offchip_.push_back({block, vliw::offchip_of(program_.machine, made)});
}

/// The name under which the run is reported: the first compute node with a GEMM capability, else the first one.
std::string ContextRun::main_node() const {
  for (const acg::Compute& compute : program_.machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      if (capability.name == "GEMM") return compute.name;
    }
  }
  return program_.machine.computes.front().name;
}

}  // namespace covenant::sim
