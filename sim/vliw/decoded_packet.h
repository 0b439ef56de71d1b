/// Packets in executable form: decoded once, at their first execution.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "acg/isa/vliw/packet_check.h"
#include "sim/vliw/micro_operation.h"
#include "sim/vliw/packet_timing.h"
#include "sim/vliw/pipeline.h"

namespace covenant::sim::vliw {

struct DecodedPacket {
  acg::Packet packet;
  uint32_t address = 0;
  uint32_t following = 0;             ///< address after it
  std::vector<MicroOperation> steps;  ///< in the order of execution
  PacketTiming timing;
  uint64_t executed = 0;  ///< times
  /// Sums over all executions.
  WaitCycles waits;
  VectorWaitCycles vector_waits;
  /// Packets that came after it: the one that follows, and the one that it last went to.
  DecodedPacket* next = nullptr;
  DecodedPacket* target = nullptr;
};

class PacketStore {
 public:
  /// Precondition: as for acg::PacketCodec.
  explicit PacketStore(const acg::Machine& machine);

  /// The packet at `address`. Faults: SIM0001 (its words do not decode), SIM0083 (it may not issue), SIM0081 (there is
  /// no memory), SIM0082 (no whole word).
  DecodedPacket& at(uint32_t address, AddressSpace& memory);

  /// All packets that have been executed, by address.
  std::vector<const DecodedPacket*> all() const;
  /// Its text, as in a listing.
  std::string text(const DecodedPacket& packet) const { return codec_.disassemble(packet.packet, packet.address); }
  /// The text of each of its instructions, and the slots from which they issue.
  std::vector<std::string> texts(const DecodedPacket& packet) const {
    return codec_.texts(packet.packet, packet.address);
  }
  std::vector<uint32_t> slots(const DecodedPacket& packet) const;

  /// True if a write of `bytes` there changes words that have been decoded.
  bool holds(uint32_t address, uint32_t bytes) const {
    return address < end_ && address + bytes > begin_ && holds_one_of(address, bytes);
  }

 private:
  bool holds_one_of(uint32_t address, uint32_t bytes) const;
  std::unique_ptr<DecodedPacket> decode(uint32_t address, AddressSpace& memory) const;

  acg::PacketCodec codec_;
  acg::PacketChecker checker_;
  PacketTimer timer_;
  std::unordered_map<uint32_t, std::unique_ptr<DecodedPacket>> packets_;
  std::unordered_set<uint32_t> words_;  ///< addresses of those that have been decoded
  uint32_t begin_ = UINT32_MAX;         ///< range of their addresses
  uint32_t end_ = 0;
};

}  // namespace covenant::sim::vliw
