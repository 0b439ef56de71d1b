#include "sim/sc/vliw/core_runner.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/graph/queries.h"
#include "acg/program/packet_program.h"
#include "sim/common/fault.h"
#include "sim/sc/common/debug_access.h"

namespace covenant::sim::sc {

namespace {

constexpr uint64_t kAddresses = uint64_t{1} << 32U;

vliw::Contexts contexts_on(const acg::Machine& machine, vliw::AddressSpace memory, uint32_t entry) {
  std::vector<vliw::Contexts::Start> starts;
  starts.push_back({std::move(memory), entry});
  return {machine, std::move(starts)};
}

}  // namespace

CoreRunner::CoreRunner(const acg::Machine& machine, uint32_t first_port)
    : machine_(machine), engine_(acg::core_engine(machine).value()), module_("core", first_port + engine_) {
  const acg::Edge& edge = machine.edges[acg::line_edge(machine).value()];
  memory_ = std::get<acg::MemoryId>(edge.from).value;
  line_bytes_ = vliw::MemoryPaths(machine).last_line_bytes();
  module_.ended = [this] { note_end(); };
}

std::vector<covenant::sc::MemorySocket*> CoreRunner::sockets_of(uint32_t memory) {
  if (memory != memory_) return {};
  return {&module_.port()->memory};
}

uint32_t CoreRunner::alignment() const { return machine_.word_bytes(); }

void CoreRunner::start(uint32_t entry, const CycleTime& time) {
  time_ = time;
  end_ = UINT64_MAX;
  contexts_ = std::make_shared<vliw::Contexts>(contexts_on(machine_, open_memory(), entry));
  contexts_->at(0).registers().scalars[acg::kReturnRegister] = acg::kCallerAddress;
  CoreModule::Run run{&*contexts_, {{nullptr, {{acg::kCallerAddress, [] {}}}}}, UINT64_MAX, time_};
  run.owned = contexts_;
  pass_stores_on();
  run.stored = [this](uint64_t address, uint64_t /*bytes*/) { return line_at(address); };
  module_.start(std::move(run));
}

/// A core that has failed would have issued its next packet then.
void CoreRunner::note_end() {
  const vliw::Contexts& contexts = *contexts_;
  const uint64_t cycle = module_.failure() ? contexts.at(0).pipeline().value().next() : contexts.cycles();
  end_ = std::max(cycle, time_.now());
  ended(end_);
}

void CoreRunner::detach() { module_.release(); }

RunCounters CoreRunner::counters() const {
  const vliw::LineEdge& edge = contexts_->edge();
  const bool is_done = module_.has_finished() && time_.now() >= end_;
  return {std::min(time_.now(), end_), is_done ? 1U : 0U, edge.bytes_read(), edge.bytes_written(), edge.stalled()};
}

std::optional<ProgramRunner::Fault> CoreRunner::fault() const {
  if (!module_.failure()) return {};
  const bool fetches = contexts_->at(0).has_failed_to_fetch();
  const uint64_t fetch = acg::engines(machine_).size();
  Fault fault{registers::Stop::kMachine, uint64_t{1} << engine_, 0};
  try {
    module_.check();
  } catch (const PlacedFailure& failure) {
    fault = {registers::Stop::kMemory, uint64_t{1} << (fetches ? fetch : engine_), failure.address.value_or(0)};
  } catch (...) {
    fault.address = 0;  // a problem with a packet has no memory address
  }
  return fault;
}

/// A copy of the memory, filled line by line: other masters of the platform see and change the memory itself.
vliw::AddressSpace CoreRunner::open_memory() {
  vliw::AddressSpace memory;
  if (!copy_) copy_ = std::make_unique<covenant::sc::Storage>(kAddresses);
  is_there_.assign(kAddresses / line_bytes_ + 1, false);
  memory.add("memory", 0, copy_->bytes());
  memory.bring_with([this](uint32_t address, uint32_t length) { bring(address, length); });
  return memory;
}

std::span<uint8_t> CoreRunner::line_at(uint64_t address) {
  const uint64_t first = address / line_bytes_ * line_bytes_;
  return copy_->bytes().subspan(first, std::min(line_bytes_, kAddresses - first));
}

/// Fetches the whole lines of an access. Their timing is requested separately, later.
void CoreRunner::bring(uint32_t address, uint32_t bytes) {
  const uint64_t last = std::min(address + uint64_t{bytes}, kAddresses) - 1;
  for (uint64_t line = address / line_bytes_; line <= last / line_bytes_; ++line) {
    if (is_there_[line]) continue;
    module_.catch_up();
    const std::span<uint8_t> to = line_at(line * line_bytes_);
    if (read_debug(module_.port()->memory, line * line_bytes_, to) < to.size()) {
      raise_of_memory(std::max<uint64_t>(address, line * line_bytes_), "SIM0081",
                      fmt::format("no memory for an access to {} bytes", bytes), fmt::format("0x{:x}", address), {},
                      "check the address, and the memory map of the platform");
    }
    is_there_[line] = true;
  }
}

/// Stores become visible to others once the packet has been executed; the line is timed when it leaves the cache.
void CoreRunner::pass_stores_on() {
  contexts_->at(0).watch_executed([this](const vliw::DecodedPacket& packet, std::span<const vliw::Touch> touched) {
    for (size_t i = 0; i < touched.size(); ++i) {
      const vliw::Touch& touch = touched[i];
      if (!packet.timing.accesses[i].is_store || touch.bytes == 0) continue;
      module_.catch_up();
      const std::span<uint8_t> bytes = copy_->bytes().subspan(touch.address, touch.bytes);
      if (write_debug(module_.port()->memory, touch.address, bytes) == touch.bytes) continue;
      raise_of_memory(touch.address, "SIM0090", "off-chip memory has not taken what is stored",
                      fmt::format("address 0x{:x}", touch.address), {}, "check the memory map of the platform");
    }
  });
}

}  // namespace covenant::sim::sc
