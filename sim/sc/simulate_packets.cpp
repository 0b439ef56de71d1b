#include "sim/sc/simulate_packets.h"

#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/isa/packet_peak.h"
#include "acg/isa/packet_program.h"
#include "sim/sc/core_module.h"
#include "sim/sc/kernel.h"
#include "sim/trace/perfetto.h"
#include "sim/units/fault.h"
#include "sim/units/vliw_core/packet_recorder.h"
#include "sim/units/vliw_core/profile.h"

namespace covenant::sim {
namespace {

constexpr uint32_t kCaller = 0x1000;  // where the code returns to; no packet lies there

class PacketRun {
 public:
  PacketRun(const acg::Program& program, std::vector<uint8_t>& memory)
      : program_(program), core_(program.machine, space_of(memory), entry_of(program)) {
    core_.registers().scalars[acg::kReturnRegister] = kCaller;
  }

  SimulateResult run(const SimulateOptions& options) {
    const uint64_t most_packets = options.max_cycles / program_.machine.packet.interval;
    if (options.records || options.trace) {
      recorder_.emplace(core_, program_.machine,
                        vliw::PacketRecorder::Wanted{options.records, options.trace, options.packets});
    }
    {
      sc::Kernel kernel;
      sc::CoreModule module("core", core_, services_, most_packets, stops());
      kernel.run();
      module.check();
    }
    if (core_.address() != kCaller) {
      raise("SIM0060", "the program has not come to its end", fmt::format("{} packets", core_.packets()),
            {fmt::format("up to {}", most_packets)}, "compile the model again");
    }
    return result(options);
  }

 private:
  SimulateResult result(const SimulateOptions& options) const {
    SimulateResult result;
    result.cycles = core_.pipeline().value().cycles();
    result.statistics.cycles = result.cycles;
    result.statistics.packets = core_.packets();
    result.statistics.blocks = blocks_;
    if (options.records) result.packet_records = recorder_.value().records();
    if (options.trace) result.trace = trace();
    if (options.profile) result.profile = vliw::profile_of(core_, program_.machine.packet.interval);
    return result;
  }

  /// What the recorder has drawn, and below it the layers.
  std::string trace() const {
    std::vector<std::string> tracks = recorder_.value().tracks();
    std::vector<TraceSlice> slices = recorder_.value().slices();
    const auto layers = static_cast<uint32_t>(tracks.size());
    tracks.emplace_back("layers");
    for (const BlockStatistics& block : blocks_) {
      const std::string name = block.layer.empty() ? fmt::format("block {}", block.block) : block.layer;
      slices.push_back({layers, block.block, block.start, block.cycles, false, name});
    }
    return perfetto_trace(tracks, slices, {});
  }

  static vliw::AddressSpace space_of(std::vector<uint8_t>& memory) {
    vliw::AddressSpace space;
    space.add("image", acg::kImageAddress, memory);
    return space;
  }
  static uint32_t entry_of(const acg::Program& program) {
    return acg::kImageAddress + static_cast<uint32_t>(program.entry);
  }

  /// A block is done where the next one begins, the last one at the return.
  std::vector<sc::CoreModule::Stop> stops() {
    std::vector<sc::CoreModule::Stop> stops;
    for (size_t i = 0; i < program_.blocks.size(); ++i) {
      const acg::Block& block = program_.blocks[i];
      const uint64_t end = block.first_word + block.words;
      const bool is_last = i + 1 == program_.blocks.size();
      const uint32_t address =
          is_last ? kCaller : entry_of(program_) + static_cast<uint32_t>(end * program_.machine.word_bytes());
      stops.push_back({address, [this, i] { end_block(i); }});
    }
    return stops;
  }

  void end_block(size_t index) {
    const acg::Block& block = program_.blocks[index];
    const vliw::PipelineCounts& counts = core_.pipeline().value().counts();
    BlockStatistics made;
    made.block = static_cast<uint32_t>(index);
    made.layer = block.layer;
    made.operation = block.operation;
    made.start = blocks_.empty() ? 0 : blocks_.back().done;
    made.done = core_.pipeline().value().cycles();
    made.cycles = made.done - made.start;
    made.packets = core_.packets() - packets_before_;
    made.engine = main_node();
    made.compute = made.cycles;
    const auto stall = [&](const char* cause, uint64_t cycles) {
      if (cycles > 0) made.stalls[cause] = cycles;
      made.compute -= std::min(made.compute, cycles);
    };
    stall("registers", counts.waits.scalar_registers - before_.scalar_registers);
    stall("queue", counts.waits.queue - before_.queue);
    stall("branches", counts.waits.branches - before_.branches);
    made.macs = block.macs;
    made.elementwise = block.elementwise;
    const double room = static_cast<double>(macs_in_packet_) * static_cast<double>(made.cycles) /
                        static_cast<double>(program_.machine.packet.interval);
    if (room > 0) made.utilisation = static_cast<double>(made.macs) / room;
    before_ = counts.waits;
    packets_before_ = core_.packets();
    if (recorder_) recorder_->begin_block(static_cast<uint32_t>(index + 1));
    blocks_.push_back(std::move(made));
  }

  /// The core that has most to say of products.
  std::string main_node() const {
    for (const acg::Compute& compute : program_.machine.computes) {
      for (const acg::Capability& capability : compute.capabilities) {
        if (capability.name == "GEMM") return compute.name;
      }
    }
    return program_.machine.computes.front().name;
  }

  const acg::Program& program_;
  uint64_t macs_in_packet_ = acg::macs_in_packet(program_.machine);
  vliw::Core core_;
  vliw::Services services_;
  std::vector<BlockStatistics> blocks_;
  vliw::WaitCycles before_;
  uint64_t packets_before_ = 0;
  std::optional<vliw::PacketRecorder> recorder_;
};

}  // namespace

SimulateResult simulate_packets(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  check(program.ranges.empty(), "a core has one memory");
  return PacketRun(program, memory).run(options);
}

}  // namespace covenant::sim
