/// Runs packets given as text on the machine `hvx`, one after the other.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/failure.h"
#include "acg/lang/load.h"
#include "sim/vliw/core.h"

namespace covenant::sim::vliw::testing {

inline constexpr uint32_t kCode = 0x1000, kData = 0x100000, kDataBytes = 0x100000;

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Numbers that the machine declares and the tests use.
inline constexpr uint64_t kInterval = 2, kL2 = 16, kDram = 200, kLine = 8 /* beats */;

/// Value of `executed` before the core has run.
inline constexpr size_t kNothing = SIZE_MAX;

/// The words of packets, one after the other from kCode on.
inline std::vector<uint8_t> bytes_of(const acg::Machine& machine, const std::vector<std::string>& packets) {
  const acg::PacketCodec codec(machine);
  std::vector<uint8_t> bytes;
  for (const std::string& text : packets) {
    const Result<acg::Packet> packet = codec.assemble(text, kCode + static_cast<uint32_t>(bytes.size()));
    EXPECT_TRUE(packet) << text << (packet ? "" : render(packet.error()));
    if (!packet) continue;
    const Result<std::vector<acg::InstructionWord>> words = codec.encode(*packet);
    EXPECT_TRUE(words) << text << (words ? "" : render(words.error()));
    if (!words) continue;
    for (const acg::InstructionWord& word : *words) {
      for (uint32_t i = 0; i < 4; ++i) bytes.push_back(word.byte(i));
    }
  }
  return bytes;
}

class Ran {
 public:
  explicit Ran(const std::vector<std::string>& packets, size_t executed = 0, const Settings& settings = {},
               const std::vector<std::pair<int, uint32_t>>& scalars = {})
      : machine_(*acg::load_machine("hvx", settings)), code_(bytes_of(machine_, packets)), data_(kDataBytes) {
    AddressSpace memory;
    memory.add("code", kCode, code_);
    memory.add("data", kData, data_);
    core_.emplace(machine_, std::move(memory), kCode);
    for (const auto& [number, value] : scalars) core_->registers().scalars[static_cast<size_t>(number)] = value;
    const size_t count = executed == kNothing ? 0 : executed == 0 ? packets.size() : executed;
    for (size_t i = 0; i < count; ++i) {
      core_->run(1);
      times_.push_back(core_->times());
    }
  }

  uint64_t issued(size_t at) const { return times_.at(at).issued; }
  uint64_t ran(size_t at) const { return times_.at(at).ran; }
  uint64_t retired(size_t at) const { return times_.at(at).retired; }
  const acg::Machine& machine() const { return machine_; }
  const Pipeline& pipeline() const { return core_.value().pipeline().value(); }
  Core& core() { return core_.value(); }
  const Core& core() const { return core_.value(); }
  const LineEdge& edge() const { return pipeline().shared().memory.edge(); }
  CacheCounts cache(const std::string& name) const {
    for (const MemoryPaths::Level& level : pipeline().caches()) {
      if (machine_.memories.at(level.memory.value).name == name) return level.counts;
    }
    ADD_FAILURE() << "no cache " << name;
    return {};
  }

 private:
  acg::Machine machine_;
  std::vector<uint8_t> code_;
  std::vector<uint8_t> data_;
  std::optional<Core> core_;
  std::vector<PacketTimes> times_;
};

}  // namespace covenant::sim::vliw::testing
