#include "sim/sc/off_chip_memories.h"

#include <fmt/format.h>
#include <stdexcept>
#include <tlm>
#include <utility>

#include "platform/report.h"

namespace covenant::sc {

using acg::behaviour::Engine;
using acg::behaviour::State;

struct CommandAccelerator::OffChipMemories::Memory {
  MemorySocket socket;
  std::string name;
  size_t state;
  uint64_t first;  ///< address of its first byte
  uint64_t last;

  Memory(const State& of, size_t index, uint64_t base)
      : socket(of.name.c_str()),
        name(of.name),
        state(index),
        first(base),
        last(base + static_cast<uint64_t>(of.type.elements()) - 1) {}

  Result<uint8_t*> ask();
};

/// Asks for all bytes at once, as engines do not look where pieces end.
Result<uint8_t*> CommandAccelerator::OffChipMemories::Memory::ask() {
  tlm::tlm_generic_payload about;
  about.set_address(first);
  about.set_write();
  tlm::tlm_dmi access;
  const bool is_granted = socket->get_direct_mem_ptr(about, access) && access.is_read_write_allowed();
  if (is_granted && access.get_start_address() <= first && access.get_end_address() >= last) {
    return access.get_dmi_ptr() + (first - access.get_start_address());
  }
  return Diagnostic{
      "BEH0060",
      {},
      socket.name(),
      "the memory gives no direct access to all bytes of an off-chip state",
      is_granted ? fmt::format("{:#x} to {:#x}", access.get_start_address(), access.get_end_address()) : "none",
      {fmt::format("{:#x} to {:#x}, to read and to write", first, last)},
      "grant it (get_direct_mem_ptr), set its base in CommandAcceleratorOptions, or leave the socket unbound"};
}

CommandAccelerator::OffChipMemories::OffChipMemories(const acg::behaviour::Behaviour& behaviour,
                                                     const MemoryBases& bases) {
  for (size_t i = 0; i < behaviour.states.size(); ++i) {
    const State& state = behaviour.states[i];
    if (!state.is_off_chip) continue;
    const auto base = bases.find(state.name);
    memories_.push_back(std::make_unique<Memory>(state, i, base == bases.end() ? 0 : base->second));
    memories_.back()->socket.register_invalidate_direct_mem_ptr(this, &OffChipMemories::invalidate,
                                                                static_cast<int>(memories_.size()) - 1);
  }
  for (const auto& [name, base] : bases) {
    if (find(name) == nullptr) report(unknown(name));
  }
}

CommandAccelerator::OffChipMemories::~OffChipMemories() = default;

CommandAccelerator::OffChipMemories::Memory* CommandAccelerator::OffChipMemories::find(std::string_view state) const {
  for (const auto& memory : memories_) {
    if (memory->name == state) return memory.get();
  }
  return nullptr;
}

Diagnostic CommandAccelerator::OffChipMemories::unknown(std::string_view state) const {
  std::vector<std::string> known;
  for (const auto& memory : memories_) known.push_back(memory->name);
  return {"BEH0060",
          {},
          std::string(state),
          "the machine has no such off-chip state",
          std::string(state),
          std::move(known),
          "declare it in the machine's text: `state dram : u8[64K] off_chip;`"};
}

CommandAccelerator::MemorySocket& CommandAccelerator::OffChipMemories::socket(std::string_view state) const {
  if (Memory* const memory = find(state)) return memory->socket;
  report(unknown(state));
  throw std::out_of_range(render(unknown(state)));  // if a report handler returns
}

Status CommandAccelerator::OffChipMemories::attach(Engine& engine) {
  if (is_attached_) return Done{};
  for (const auto& memory : memories_) {
    if (memory->socket.size() == 0) continue;
    const Result<uint8_t*> bytes = memory->ask();
    if (!bytes) return bytes.error();
    engine.use_memory(memory->state, *bytes);
  }
  is_attached_ = true;
  return Done{};
}

void CommandAccelerator::OffChipMemories::invalidate(int memory, sc_dt::uint64 start, sc_dt::uint64 end) {
  const Memory& of = *memories_[static_cast<size_t>(memory)];
  if (start <= of.last && end >= of.first) is_attached_ = false;
}

}  // namespace covenant::sc
