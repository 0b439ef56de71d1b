#include "sim/sc/vliw/simulate_packets.h"

#include <deque>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "acg/program/packet_program.h"
#include "offchip/connect.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "sim/sc/common/kernel.h"
#include "sim/sc/vliw/context_run.h"
#include "sim/trace/joined.h"
#include "sim/vliw/events.h"

namespace covenant::sim {
namespace {

/// One program on as many contexts as there are images.
class PacketRun {
 public:
  PacketRun(const acg::Program& program, std::span<std::vector<uint8_t>> images, const SimulateOptions& options)
      : machine_(program.machine),
        options_(options),
        image_bytes_(program.memory_bytes),
        contexts_(machine_, starts_of(program, images)) {
    check(program.ranges.empty(), "a core has one memory");
    for (size_t i = 0; i < contexts_.count(); ++i) {
      runs_.emplace_back(program, contexts_.at(i), options, contexts_.count() == 1);
    }
  }

  void run() {
    const uint64_t most_packets = options_.max_cycles / machine_.packet.interval;
    {
      sc::Kernel kernel;
      if (options_.memory == offchip::kFixedMemory) {
        sc::CoreModule module("core");
        module.start(started(most_packets, sc::Kernel::cycles()));
        kernel.run();
        module.check();
      } else {
        run_on_model(kernel, most_packets);
      }
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
      contexts_.of_context(i, [&] { runs_[i].check_ended(most_packets); });
    }
  }

  const vliw::Contexts& contexts() const { return contexts_; }
  SimulateResult result(size_t context) const {
    SimulateResult result = runs_[context].result();
    if (counted_) result.statistics.memories = {*counted_};
    return result;
  }
  /// With one context its tracks have no number; empty unless requested.
  std::string trace() const {
    if (!options_.trace) return {};
    JoinedTrace trace;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const std::string prefix = runs_.size() == 1 ? "" : fmt::format("context {}: ", i);
      trace.add(prefix, runs_[i].tracks(), runs_[i].slices());
    }
    return trace.text(memory_traces_);
  }

 private:
  sc::CoreModule::Run started(uint64_t most_packets, const sc::CycleTime& time) {
    std::vector<sc::CoreModule::Behind> behind;
    for (ContextRun& run : runs_) behind.push_back(run.behind());
    return {&contexts_, std::move(behind), most_packets, time};
  }

  /// Runs with a memory that must be asked when it answers, at the addresses of the core. Its own bytes are not used.
  void run_on_model(sc::Kernel& kernel, uint64_t most_packets) {
    const std::string& name = acg::get(machine_, acg::outermost_memory(machine_)).name;
    const offchip::Connection connection = offchip::connection_of(machine_);
    offchip::Timeline timeline;
    auto model = offchip::make_model(options_.memory, connection, options_.trace ? &timeline : nullptr);
    if (!model) throw Failure{model.error()};
    const std::vector<uint8_t> line(contexts_.line_bytes());
    sc::CoreModule module("core", acg::core_engine(machine_));
    covenant::sc::Memory memory("memory", covenant::sc::Storage(acg::kImageAddress + image_bytes_ + line.size()),
                                std::move(*model));
    module.port()->memory.socket.bind(memory.in);
    sc::CoreModule::Run run = started(most_packets, {covenant::sc::time_of_picoseconds(connection.clock.period)});
    run.stored = [&](uint64_t /*address*/, uint64_t /*bytes*/) { return std::span(line); };
    module.start(std::move(run));
    kernel.run();
    module.check();
    counted_ = {name, options_.memory, memory.statistics()};
    memory_traces_.push_back(trace_of_memory(name, options_.memory, machine_, std::move(timeline)));
  }

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
  uint64_t image_bytes_;
  vliw::Contexts contexts_;
  std::deque<ContextRun> runs_;
  std::optional<MemoryStatistics> counted_;
  std::vector<MemoryTrace> memory_traces_;
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
  result.commands = run.contexts().packets();
  result.events = vliw::events_of(run.contexts(), program.machine);
  for (size_t i = 0; i < memories.size(); ++i) {
    result.contexts.push_back(run.result(i));
    result.context_events.push_back(vliw::events_of_context(run.contexts().at(i).pipeline().value()));
  }
  result.trace = run.trace();
  return result;
}

}  // namespace covenant::sim
