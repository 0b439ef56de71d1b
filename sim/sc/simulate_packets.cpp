#include "sim/sc/simulate_packets.h"

#include <deque>
#include <fmt/format.h>
#include <span>

#include "acg/base/check.h"
#include "sim/sc/context_run.h"
#include "sim/sc/kernel.h"
#include "sim/trace/joined.h"
#include "sim/units/vliw_core/events.h"

namespace covenant::sim {
namespace {

/// One program on as many contexts as there are images.
class PacketRun {
 public:
  PacketRun(const acg::Program& program, std::span<std::vector<uint8_t>> images, const SimulateOptions& options)
      : machine_(program.machine), options_(options), contexts_(machine_, starts_of(program, images)) {
    check(program.ranges.empty(), "a core has one memory");
    for (size_t i = 0; i < contexts_.count(); ++i) runs_.emplace_back(program, contexts_.at(i), options);
  }

  void run() {
    const uint64_t most_packets = options_.max_cycles / machine_.packet.interval;
    std::vector<sc::CoreModule::Behind> behind;
    for (ContextRun& run : runs_) behind.push_back(run.behind());
    {
      sc::Kernel kernel;
      sc::CoreModule module("core", contexts_, std::move(behind), most_packets);
      kernel.run();
      module.check();
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
      contexts_.of_context(i, [&] { runs_[i].check_ended(most_packets); });
    }
  }

  const vliw::Contexts& contexts() const { return contexts_; }
  SimulateResult result(size_t context) const { return runs_[context].result(); }
  /// With one context its tracks have no number; empty unless wanted.
  std::string trace() const {
    if (!options_.trace) return {};
    JoinedTrace trace;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const std::string prefix = runs_.size() == 1 ? "" : fmt::format("context {}: ", i);
      trace.add(prefix, runs_[i].tracks(), runs_[i].slices());
    }
    return trace.text();
  }

 private:
  static std::vector<vliw::Contexts::Start> starts_of(const acg::Program& program,
                                                      std::span<std::vector<uint8_t>> images) {
    std::vector<vliw::Contexts::Start> starts;
    for (std::vector<uint8_t>& image : images) {
      starts.push_back(start_of(program, image, starts.empty() ? std::nullopt : std::optional<uint32_t>(0)));
    }
    return starts;
  }

  const acg::Machine& machine_;
  const SimulateOptions& options_;
  vliw::Contexts contexts_;
  std::deque<ContextRun> runs_;
};

}  // namespace

SimulateResult simulate_packets(const acg::Program& program, std::vector<uint8_t>& memory,
                                const SimulateOptions& options) {
  PacketRun run(program, {&memory, 1}, options);
  run.run();
  SimulateResult result = run.result(0);
  result.trace = run.trace();
  return result;
}

SimulateTogetherResult simulate_packets_together(const acg::Program& program,
                                                 std::vector<std::vector<uint8_t>>& memories,
                                                 const SimulateOptions& options) {
  PacketRun run(program, memories, options);
  run.run();
  SimulateTogetherResult result;
  result.cycles = run.contexts().cycles();
  result.packets = run.contexts().packets();
  result.events = vliw::events_of(run.contexts(), program.machine);
  for (size_t i = 0; i < memories.size(); ++i) {
    result.contexts.push_back(run.result(i));
    result.context_events.push_back(vliw::events_of_context(run.contexts().at(i).pipeline().value()));
  }
  result.trace = run.trace();
  return result;
}

}  // namespace covenant::sim
