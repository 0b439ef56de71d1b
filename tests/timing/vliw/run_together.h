/// Runs packets given as text on several contexts of the machine `hvx` at once, each in a memory of its own.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "sim/vliw/contexts.h"
#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw::testing {

class RanTogether {
 public:
  using Programs = std::vector<std::vector<std::string>>;
  /// r1 is the address of the data. `common`: what contexts after the first have in common with it.
  explicit RanTogether(const Programs& programs, const Settings& settings = {},
                       const std::vector<CommonRange>& common = {})
      : machine_(*acg::load_machine("hvx", settings)), times_(programs.size()) {
    std::vector<Contexts::Start> starts;
    for (const std::vector<std::string>& program : programs) {
      code_.push_back(bytes_of(machine_, program));
      data_.emplace_back(kDataBytes);
      Contexts::Start start{{}, kCode};
      start.memory.add("code", kCode, code_.back());
      start.memory.add("data", kData, data_.back());
      if (!starts.empty()) start.common = common;
      starts.push_back(std::move(start));
    }
    contexts_.emplace(machine_, std::move(starts));
    for (size_t i = 0; i < programs.size(); ++i) {
      contexts_->at(i).registers().scalars[1] = kData;
      contexts_->stop_at(i, kCode + static_cast<uint32_t>(code_[i].size()));
      contexts_->at(i).watch([this, i](const Core::Watched& watched) { times_[i].push_back(watched.times); });
    }
    while (!contexts_->are_finished()) {
      if (const std::optional<size_t> context = contexts_->run(1 << 20)) contexts_->finish(*context);
    }
  }

  uint64_t issued(size_t context, size_t at) const { return times_.at(context).at(at).issued; }
  uint64_t ran(size_t context, size_t at) const { return times_.at(context).at(at).ran; }
  const std::vector<PacketTimes>& times(size_t context) const { return times_.at(context); }
  const PipelineCounts& counts(size_t context) const {
    return contexts_.value().at(context).pipeline().value().counts();
  }
  const Contexts& contexts() const { return contexts_.value(); }
  const acg::Machine& machine() const { return machine_; }
  CacheCounts cache(const std::string& name) const {
    for (const MemoryPaths::Level& level : contexts_.value().at(0).pipeline().value().caches()) {
      if (machine_.memories.at(level.memory.value).name == name) return level.counts;
    }
    ADD_FAILURE() << "no cache " << name;
    return {};
  }

 private:
  acg::Machine machine_;
  std::deque<std::vector<uint8_t>> code_, data_;
  std::vector<std::vector<PacketTimes>> times_;
  std::optional<Contexts> contexts_;
};

}  // namespace covenant::sim::vliw::testing
