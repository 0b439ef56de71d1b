#include "sim/execute.h"

#include <fmt/format.h>
#include <optional>

#include "acg/base/failure.h"
#include "sim/sc/core_module.h"
#include "sim/sc/kernel.h"
#include "sim/trace/perfetto.h"
#include "sim/units/fault.h"
#include "sim/units/vliw_core/events.h"
#include "sim/units/vliw_core/packet_recorder.h"
#include "sim/units/vliw_core/profile.h"

namespace covenant::sim {

namespace {

constexpr uint32_t kStackAddress = 0x7ff00000, kStackBytes = 1 << 20;
constexpr size_t kStackPointer = 29;

vliw::AddressSpace memory_of(const acg::ElfFile& file) {
  vliw::AddressSpace memory;
  for (const acg::ElfSegment& segment : file.segments) {
    const std::string name = segment.is_executable ? "code" : segment.is_writable ? "data" : "constants";
    memory.add_zeros(name, segment.address, segment.bytes);
    if (segment.content.empty()) continue;
    uint8_t* const to = memory.at(segment.address, static_cast<uint32_t>(segment.content.size()));
    std::copy(segment.content.begin(), segment.content.end(), to);
  }
  memory.add_zeros("stack", kStackAddress, kStackBytes);
  return memory;
}

ExecuteResult run(const acg::ElfFile& file, const acg::Machine& machine, const ExecuteOptions& options) {
  if (options.trace && !options.cycles) {
    raise("SIM0086", "a trace is wanted of a run that counts no cycles", "no cycles", {"cycles"},
          "let the run count cycles, or leave out the trace");
  }
  vliw::Core core(machine, memory_of(file), file.entry, options.cycles);
  core.registers().scalars[kStackPointer] = kStackAddress + kStackBytes;
  vliw::Services services(options.input);
  std::optional<vliw::PacketRecorder> recorder;
  if (options.trace) {
    recorder.emplace(core, machine, vliw::PacketRecorder::Wanted{.trace = true, .packets = options.packets});
  }
  {
    sc::Kernel kernel;
    sc::CoreModule module("core", core, services, options.max_packets);
    kernel.run();
    module.check();
  }
  if (!services.exit_code()) {
    raise("SIM0060", "the program has not ended itself", fmt::format("{} packets", core.packets()), {},
          "end it by the system's call exit, or allow it more packets");
  }
  ExecuteResult result;
  result.exit_code = *services.exit_code();
  result.output = services.output();
  result.errors = services.errors();
  result.packets = core.packets();
  if (core.pipeline()) {
    result.cycles = core.pipeline()->cycles();
    result.events = vliw::events_of(*core.pipeline(), machine);
  }
  if (recorder) result.trace = perfetto_trace(recorder->tracks(), recorder->slices(), {});
  if (options.profile) result.profile = vliw::profile_of(core, machine.packet.interval);
  return result;
}

}  // namespace

Result<ExecuteResult> execute(const acg::ElfFile& file, const acg::Machine& machine, const ExecuteOptions& options) {
  try {
    return guarded<ExecuteResult>([&] { return run(file, machine, options); });
  } catch (const sc_core::sc_report& report) {
    return sc::diagnostic_of(report);
  }
}

}  // namespace covenant::sim
