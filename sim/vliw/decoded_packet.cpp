#include "sim/vliw/decoded_packet.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "sim/common/fault.h"
#include "sim/vliw/packet_order.h"

namespace covenant::sim::vliw {

namespace {

constexpr uint32_t kWordBytes = 4;

}  // namespace

PacketStore::PacketStore(const acg::Machine& machine) : codec_(machine), checker_(machine), timer_(machine) {}

DecodedPacket& PacketStore::at(uint32_t address, AddressSpace& memory) {
  const auto known = packets_.find(address);
  if (known != packets_.end()) return *known->second;
  const std::unique_ptr<DecodedPacket>& entry = packets_.emplace(address, decode(address, memory)).first->second;
  begin_ = std::min(begin_, address);
  end_ = std::max(end_, entry->following);
  for (uint32_t word = address; word != entry->following; word += kWordBytes) words_.insert(word);
  return *entry;
}

bool PacketStore::holds_one_of(uint32_t address, uint32_t bytes) const {
  for (uint32_t word = address / kWordBytes * kWordBytes; word < address + bytes; word += kWordBytes) {
    if (words_.contains(word)) return true;
  }
  return false;
}

std::vector<uint32_t> PacketStore::slots(const DecodedPacket& packet) const {
  Result<std::vector<uint32_t>> slots = checker_.slots(packet.packet);
  check(static_cast<bool>(slots), "a packet that has been decoded may issue");
  return *std::move(slots);
}

std::vector<const DecodedPacket*> PacketStore::all() const {
  std::vector<const DecodedPacket*> packets;
  packets.reserve(packets_.size());
  for (const auto& [address, packet] : packets_) {
    if (packet->executed > 0) packets.push_back(packet.get());
  }
  std::sort(packets.begin(), packets.end(),
            [](const DecodedPacket* left, const DecodedPacket* right) { return left->address < right->address; });
  return packets;
}

std::unique_ptr<DecodedPacket> PacketStore::decode(uint32_t address, AddressSpace& memory) const {
  if (address % kWordBytes != 0) {
    raise("SIM0082", "a packet that does not begin with a word", fmt::format("0x{:x}", address), {"multiples of 4"},
          "check where the branch goes");
  }
  std::vector<acg::InstructionWord> words;
  for (uint32_t i = 0; i < codec_.rules().words; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, memory.at(address + i * kWordBytes, kWordBytes), kWordBytes);
    words.emplace_back(word);
    if (acg::gathered(words.back(), codec_.words().parse_bits()) == codec_.rules().last) break;
  }
  const Result<acg::PacketCodec::Decoded> decoded = codec_.decode(words);
  if (!decoded) {
    const Diagnostic& why = decoded.error();
    raise("SIM0001", fmt::format("no packet of this machine: {} ({})", why.message, why.code), why.offending,
          why.allowed, "compile the program for this machine");
  }
  auto packet = std::make_unique<DecodedPacket>();
  packet->packet = decoded->packet;
  packet->address = address;
  packet->following = address + decoded->words * kWordBytes;
  if (const Status legal = checker_.check(packet->packet); !legal) {
    raise("SIM0083", fmt::format("a packet that may not issue: {} ({})", legal.error().message, legal.error().code),
          text(*packet), {}, legal.error().fix);
  }
  packet->timing = timer_.timing_of(packet->packet);
  packet->steps = ordered(packet->packet, address, codec_);
  return packet;
}

}  // namespace covenant::sim::vliw
