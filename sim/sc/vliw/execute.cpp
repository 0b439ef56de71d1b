#include "sim/vliw/execute.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <optional>

#include "acg/base/check.h"
#include "sim/common/fault.h"
#include "sim/sc/common/reported.h"
#include "sim/sc/vliw/core_module.h"
#include "sim/trace/joined.h"
#include "sim/vliw/events.h"
#include "sim/vliw/packet_recorder.h"
#include "sim/vliw/profile.h"

namespace covenant::sim {

namespace {

constexpr uint32_t kStackAddress = 0x7ff00000, kStackBytes = 1 << 20;
constexpr size_t kStackPointer = 29;

vliw::AddressSpace memory_of(const acg::ElfFile& file) {
  vliw::AddressSpace memory;
  for (const acg::ElfSegment& segment : file.segments) {
    const std::string name = segment.is_executable ? "code" : segment.is_writable ? "data" : "constants";
    memory.add_zeros(name, segment.address, segment.bytes);
    if (!segment.is_writable) memory.protect(segment.address, segment.bytes);
    if (segment.content.empty()) continue;
    uint8_t* const to = memory.at(segment.address, static_cast<uint32_t>(segment.content.size()));
    std::copy(segment.content.begin(), segment.content.end(), to);
  }
  memory.add_zeros("stack", kStackAddress, kStackBytes);
  return memory;
}

/// Runs of one file have its constants in common.
std::vector<vliw::CommonRange> common_with(std::span<const acg::ElfFile> before, const acg::ElfFile& file) {
  std::vector<vliw::CommonRange> common;
  const auto same = std::find(before.begin(), before.end(), file);
  if (same == before.end()) return common;
  for (const acg::ElfSegment& segment : file.segments) {
    if (segment.is_writable) continue;
    common.push_back({segment.address, segment.bytes, static_cast<uint32_t>(same - before.begin())});
  }
  return common;
}

std::vector<vliw::Contexts::Start> starts_of(std::span<const acg::ElfFile> files) {
  std::vector<vliw::Contexts::Start> starts;
  for (size_t i = 0; i < files.size(); ++i) {
    starts.push_back({memory_of(files[i]), files[i].entry, common_with(files.first(i), files[i])});
  }
  return starts;
}

/// Files on the contexts of a core, one each.
class Execution {
 public:
  Execution(std::span<const acg::ElfFile> files, const acg::Machine& machine, const ExecuteOptions& options)
      : machine_(machine), options_(options), contexts_(machine, starts_of(files), options.cycles) {
    for (size_t i = 0; i < contexts_.count(); ++i) {
      contexts_.at(i).registers().scalars[kStackPointer] = kStackAddress + kStackBytes;
      services_.emplace_back(options.input);
      if (!options.trace) continue;
      const vliw::PacketRecorder::Wanted wanted{.trace = true, .packets = options.packets};
      recorders_.emplace_back(contexts_.at(i), machine, wanted);
    }
  }

  void run() {
    std::vector<sc::CoreModule::Behind> behind;
    for (vliw::Services& services : services_) behind.push_back({&services});
    {
      sc::Kernel kernel;
      sc::CoreModule module("core");
      module.start({&contexts_, std::move(behind), options_.max_packets, sc::Kernel::cycles()});
      kernel.run();
      module.check();
    }
    for (size_t i = 0; i < contexts_.count(); ++i) {
      if (services_[i].exit_code()) continue;
      contexts_.of_context(i, [&] {
        raise("SIM0060", "the program has not ended itself", fmt::format("{} packets", contexts_.at(i).packets()), {},
              "end it by the system's call exit, or allow it more packets");
      });
    }
  }

  const vliw::Contexts& contexts() const { return contexts_; }

  /// Without events and trace.
  ExecuteResult result(size_t context) const {
    const vliw::Core& core = contexts_.at(context);
    ExecuteResult result;
    result.exit_code = services_[context].exit_code().value();
    result.output = services_[context].output();
    result.errors = services_[context].errors();
    result.packets = core.packets();
    if (core.pipeline()) result.cycles = core.pipeline()->cycles();
    if (options_.profile) result.profile = vliw::profile_of(core, machine_.packet.interval);
    return result;
  }

  /// With one context its tracks have no number.
  std::string trace() const {
    JoinedTrace trace;
    for (size_t i = 0; i < recorders_.size(); ++i) {
      const std::string prefix = recorders_.size() == 1 ? "" : fmt::format("context {}: ", i);
      trace.add(prefix, recorders_[i].tracks(), recorders_[i].slices());
    }
    return trace.text();
  }

 private:
  const acg::Machine& machine_;
  const ExecuteOptions& options_;
  vliw::Contexts contexts_;
  std::deque<vliw::Services> services_;
  std::deque<vliw::PacketRecorder> recorders_;  ///< cores refer to them
};

void check_traced(const ExecuteOptions& options) {
  if (!options.trace || options.cycles) return;
  raise("SIM0086", "a trace is wanted of a run that counts no cycles", "no cycles", {"cycles"},
        "let the run count cycles, or leave out the trace");
}

ExecuteResult run(const acg::ElfFile& file, const acg::Machine& machine, const ExecuteOptions& options) {
  check_traced(options);
  Execution execution({&file, 1}, machine, options);
  execution.run();
  ExecuteResult result = execution.result(0);
  const std::optional<vliw::Pipeline>& pipeline = execution.contexts().at(0).pipeline();
  if (pipeline) result.events = vliw::events_of(*pipeline, machine);
  if (options.trace) result.trace = execution.trace();
  return result;
}

ExecuteTogetherResult run_together(std::span<const acg::ElfFile> files, const acg::Machine& machine,
                                   const ExecuteOptions& options) {
  check(!files.empty(), "there is something to execute");
  check_traced(options);
  Execution execution(files, machine, options);
  execution.run();
  const vliw::Contexts& contexts = execution.contexts();
  ExecuteTogetherResult result;
  result.cycles = contexts.cycles();
  result.packets = contexts.packets();
  if (options.cycles) result.events = vliw::events_of(contexts, machine);
  for (size_t i = 0; i < files.size(); ++i) {
    result.contexts.push_back(execution.result(i));
    if (options.cycles) result.contexts[i].events = vliw::events_of_context(contexts.at(i).pipeline().value());
  }
  if (options.trace) result.trace = execution.trace();
  return result;
}

}  // namespace

Result<ExecuteResult> execute(const acg::ElfFile& file, const acg::Machine& machine, const ExecuteOptions& options) {
  return sc::reported<ExecuteResult>([&] { return run(file, machine, options); });
}

Result<ExecuteTogetherResult> execute_together(std::span<const acg::ElfFile> files, const acg::Machine& machine,
                                               const ExecuteOptions& options) {
  return sc::reported<ExecuteTogetherResult>([&] { return run_together(files, machine, options); });
}

}  // namespace covenant::sim
