/// A program of packets on one context of a core: its begin and end, and its statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/isa/vliw/packet_peak.h"
#include "acg/program/program.h"
#include "sim/run/simulate.h"
#include "sim/sc/vliw/core_module.h"
#include "sim/vliw/packet_recorder.h"
#include "sim/vliw/traffic.h"

namespace covenant::sim {

/// The image as the memory of a context, which refers to it, at the start of its program. `same`: another context that
/// runs the program, with whose constants its own are; nothing: none before it.
vliw::Contexts::Start start_of(const acg::Program& program, std::vector<uint8_t>& image,
                               std::optional<uint32_t> same = {});

/// Has a fixed address, so it is neither copied nor moved.
class ContextRun {
 public:
  /// `core` has not run yet. All arguments must outlive the run. `is_alone`: no other context shares its caches, whose
  /// traffic is then its own.
  ContextRun(const acg::Program& program, vliw::Core& core, const SimulateOptions& options, bool is_alone);
  ContextRun(const ContextRun&) = delete;
  ContextRun& operator=(const ContextRun&) = delete;

  /// It ends where the code returns to; its blocks end on the way.
  sc::CoreModule::Behind behind();
  /// Fault SIM0060: it has not come to its end.
  void check_ended(uint64_t most_packets) const;

  /// Without the trace.
  SimulateResult result() const;
  /// Its tracks: what the recorder has drawn, and below it the layers. Precondition: a trace is wanted.
  std::vector<std::string> tracks() const;
  std::vector<TraceSlice> slices() const;

 private:
  void end_block(size_t index);
  void note_block(size_t index, uint64_t packets, const vliw::WaitCycles& waits);
  void note_stalls(BlockStatistics& made, const vliw::WaitCycles& waits);
  void note_traffic(uint32_t block);
  const vliw::MemoryPaths& paths() const { return core_.pipeline().value().shared().memory; }
  std::string main_node() const;

  const acg::Program& program_;
  vliw::Core& core_;
  const SimulateOptions& options_;
  uint64_t macs_in_packet_;
  vliw::Services services_;
  std::vector<BlockStatistics> blocks_;
  vliw::WaitCycles before_;
  std::optional<vliw::Traffic> traffic_;  ///< up to the end of the last block; nothing if it is shared
  std::vector<OfBlock<AccessStatistics>> block_accesses_;
  std::vector<OfBlock<OffchipStatistics>> block_offchip_;
  uint64_t packets_before_ = 0;
  std::optional<vliw::PacketRecorder> recorder_;
};

}  // namespace covenant::sim
