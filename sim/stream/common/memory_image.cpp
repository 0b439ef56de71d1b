#include "sim/stream/common/memory_image.h"

#include <utility>

#include "acg/isa/retire_record.h"

namespace covenant::sim {

MemoryImage::MemoryImage(const acg::Program& program, const std::vector<uint8_t>& offchip)
    : storage_(program.machine.memories.size()),
      memories_(program.machine.memories.size()),
      writable_(program.machine.memories.size()) {
  for (const acg::MemoryRange& range : acg::memory_ranges(program)) {
    memories_[range.memory.value] = std::span(offchip).subspan(range.first, range.bytes);
  }
}

MemoryImage::MemoryImage(const acg::Program& program, std::vector<uint8_t>& offchip, uint64_t seed)
    : MemoryImage(program, std::as_const(offchip)) {
  for (size_t index = 0; index < memories_.size(); ++index) {
    if (memories_[index].empty()) continue;
    const auto first = static_cast<size_t>(memories_[index].data() - offchip.data());
    writable_[index] = std::span(offchip).subspan(first, memories_[index].size());
  }
  fill_scratchpads(program.machine, seed);
}

MemoryImage::MemoryImage(const acg::Machine& machine, const std::vector<std::span<uint8_t>>& offchip, uint64_t seed)
    : storage_(machine.memories.size()), memories_(offchip.begin(), offchip.end()), writable_(offchip) {
  fill_scratchpads(machine, seed);
}

void MemoryImage::fill_scratchpads(const acg::Machine& machine, uint64_t seed) {
  for (uint32_t index = 0; index < storage_.size(); ++index) {
    const acg::Memory& memory = machine.memories[index];
    if (memory.kind != acg::MemoryKind::kScratchpad) continue;
    storage_[index].assign(memory.buffer_bytes() * memory.buffers, 0);
    memories_[index] = writable_[index] = storage_[index];
    if (seed == 0) continue;
    for (size_t byte = 0; byte < storage_[index].size(); ++byte) {
      storage_[index][byte] = acg::initial_byte(seed, index, byte);
    }
  }
}

uint64_t digest_of(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (size_t index = 0; index < bytes.size(); ++index) sum += acg::write_hash(memory, address + index, bytes[index]);
  return sum;
}

}  // namespace covenant::sim
