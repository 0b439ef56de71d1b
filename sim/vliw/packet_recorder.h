/// Observes a core: retire records of its packets, and their trace.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/vliw/operation_stages.h"
#include "acg/isa/vliw/packet_record.h"
#include "sim/run/command_range.h"
#include "sim/trace/slice.h"
#include "sim/vliw/core.h"

namespace covenant::sim::vliw {

class PacketRecorder {
 public:
  struct Wanted {
    bool records = false;
    bool trace = false;
    CommandRange packets{};  ///< the others pass unseen
  };
  /// Watches `core` from now on; must live as long as that runs. `machine` need not outlive it.
  PacketRecorder(Core& core, const acg::Machine& machine, const Wanted& wanted);

  /// Packets from now on belong to this block.
  void begin_block(uint32_t block) { block_ = block; }

  const std::vector<acg::PacketRecord>& records() const { return records_; }
  /// A track for each slot, the highest first, with the instruction that issues from it; then the stalls of packets,
  /// and for the vector side its stalls and the parts that it runs.
  std::vector<std::string> tracks() const;
  const std::vector<TraceSlice>& slices() const { return slices_; }

 private:
  /// Appearance of a packet in a trace.
  struct Shown {
    std::vector<std::string> texts;
    std::vector<uint32_t> slots;
    std::string vector_part;  ///< its vector instructions; empty if there are none
  };
  /// An executed packet whose times may not be known yet.
  struct Executed {
    uint32_t block = 0;
    uint64_t digest = 0;
  };
  void note_executed(const DecodedPacket& packet, std::span<const Touch> touched);
  void see(const Core::Watched& watched);
  void record(const Core::Watched& watched, const Executed& executed);
  void draw(const Core::Watched& watched, uint32_t block);
  void add(uint32_t block, uint32_t track, uint64_t start, uint64_t cycles, bool is_stall, const std::string& name);
  const Shown& shown(const DecodedPacket& packet);
  uint64_t digest_of(const DecodedPacket& packet, std::span<const Touch> touched);

  Core& core_;
  Wanted wanted_;
  uint32_t slots_ = 0;
  uint64_t interval_ = 1;
  uint32_t memory_ = 0;  ///< the one off chip
  acg::StageTable stages_;
  uint32_t block_ = 0;
  std::deque<Executed> executed_;
  std::vector<acg::PacketRecord> records_;
  std::vector<TraceSlice> slices_;
  std::map<uint32_t, Shown> shown_;  ///< by address
};

}  // namespace covenant::sim::vliw
