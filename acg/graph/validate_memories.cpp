#include <bit>
#include <fmt/format.h>

#include "acg/graph/validate_context.h"
#include "acg/graph/words.h"
#include "acg/isa/operation.h"

namespace covenant::acg::checks {
namespace {

constexpr uint64_t kMaxDataWidth = 4096;
constexpr uint64_t kMaxBanks = uint64_t{1} << 20;
constexpr uint64_t kMaxDepth = uint64_t{1} << 32;  // addresses have 32 bits
constexpr uint64_t kMaxBuffers = 16;
constexpr uint64_t kMaxLatency = 100'000;
constexpr uint64_t kMaxAccesses = 1024;
constexpr uint64_t kMaxScratchpadBytes = uint64_t{1} << 30;

void in_range(const Context& context, const Memory& memory, std::string_view name, uint64_t value, uint64_t lowest,
              uint64_t highest, std::string fix) {
  if (value >= lowest && value <= highest) return;
  const std::string path = "memory " + memory.name;
  std::string allowed = lowest == highest ? fmt::format("{}", lowest) : fmt::format("{}..{}", lowest, highest);
  refuse(context.where(fmt::format("{} {}", path, name), memory.where), path,
         {"ACG0013",
          fmt::format("{} is out of range", name),
          fmt::format("{}", value),
          {std::move(allowed)},
          std::move(fix)});
}

/// What one address selects, one element of every bank, is whole bytes.
void check_address(const Context& context, const Memory& memory, uint64_t grain) {
  if (grain * memory.banks % 8 == 0) return;
  const std::string path = "memory " + memory.name;
  const uint64_t banks = 8 / grain;
  refuse(context.where(path + " banks", memory.where), path,
         {"ACG0013",
          "an address does not select whole bytes",
          fmt::format("{} banks of {} bits", memory.banks, grain),
          {fmt::format("multiples of {} banks", banks)},
          fmt::format("use {} banks", (memory.banks / banks + 1) * banks)});
}

void check_shape(const Context& context, const Memory& memory) {
  const std::string path = "memory " + memory.name;
  in_range(context, memory, "data_width", memory.data_width, 1, kMaxDataWidth, "give the bits of one bank's element");
  const bool is_part_of_a_byte = memory.data_width < 8 && std::has_single_bit(memory.data_width);
  if (memory.data_width % 8 != 0 && !is_part_of_a_byte) {
    refuse(context.where(path + " data_width", memory.where), path,
           {"ACG0013",
            "data_width is neither whole bytes nor an even part of one",
            fmt::format("{}", memory.data_width),
            {"1", "2", "4", "multiples of 8"},
            fmt::format("use {}", (memory.data_width / 8 + 1) * 8)});
  }
  in_range(context, memory, "banks", memory.banks, 1, kMaxBanks, "give the number of banks");
  in_range(context, memory, "depth", memory.depth, 1, kMaxDepth, "give the elements of one buffer");
  in_range(context, memory, "buffers", memory.buffers, 1, kMaxBuffers, "give the number of buffers");
  in_range(context, memory, "channels", memory.channels, 1, kMaxChannels, "give the locals of one layer at most");
  if (!std::has_single_bit(memory.channels)) {
    refuse(context.where(path + " channels", memory.where), path,
           {"ACG0013",
            "channels is no power of two",
            fmt::format("{}", memory.channels),
            {"1, 2, 4, 8, 16, 32"},
            fmt::format("use {}", std::bit_ceil(memory.channels))});
  }
  const uint64_t grain = memory.granularity == 0 ? memory.data_width : memory.granularity;
  if ((grain % 8 != 0 && grain != memory.data_width) || memory.data_width % grain != 0) {
    refuse(context.where(path + " granularity", memory.where), path,
           {"ACG0013",
            "granularity must be whole bytes and divide data_width",
            fmt::format("{}", grain),
            {fmt::format("divisors of {} that are multiples of 8", memory.data_width)},
            "use 8, or leave it out"});
  }
  check_address(context, memory, grain);
}

void check_kind(const Context& context, const Memory& memory) {
  const bool is_offchip = memory.kind == MemoryKind::kOffchip;
  const bool may_wait = is_offchip || memory.kind == MemoryKind::kCache;
  in_range(context, memory, "latency", memory.latency, 1, may_wait ? kMaxLatency : 1,
           may_wait ? "give the cycles from request to data" : "only offchip memories and caches have another latency");
  in_range(context, memory, "accesses", memory.accesses, 1, kMaxAccesses, "give the reads or writes in one cycle");
  check_energy(context.where("memory " + memory.name + " read_energy", memory.where), "memory " + memory.name,
               memory.read_energy);
  check_energy(context.where("memory " + memory.name + " write_energy", memory.where), "memory " + memory.name,
               memory.write_energy);
  check_ports(context, "memory " + memory.name, memory.ports, memory.where);
  if (memory.kind == MemoryKind::kScratchpad) return;
  if (memory.kind == MemoryKind::kRegisterFile || memory.kind == MemoryKind::kCache) {
    in_range(context, memory, "buffers", memory.buffers, 1, 1,
             "only scratchpads and instruction memories have several buffers");
    return;
  }
  const std::string_view kind = name_in(kMemoryKinds, memory.kind);
  const uint64_t width = is_offchip ? 8 : 32;
  in_range(context, memory, "data_width", memory.data_width, width, width,
           fmt::format("{} memory has one width", kind));
  in_range(context, memory, "banks", memory.banks, 1, 1, fmt::format("{} memory has one bank", kind));
  const uint64_t buffers = memory.kind == MemoryKind::kInstruction ? 2 : 1;
  in_range(context, memory, "buffers", memory.buffers, buffers, buffers,
           fmt::format("{} memory: `buffers = {};`", kind, buffers));
  if (memory.kind == MemoryKind::kImmediate) {
    in_range(context, memory, "depth", memory.depth, kImmediateSlots, kImmediateSlots,
             "one element for each immediate slot");
  }
}

uint64_t total_bytes(const Context& context, const Memory& memory) {
  uint64_t bytes = memory.data_width * memory.banks / 8;  // whole, and both factors are small
  if (!__builtin_mul_overflow(bytes, memory.depth, &bytes) &&
      !__builtin_mul_overflow(bytes, uint64_t{memory.buffers}, &bytes)) {
    return bytes;
  }
  refuse(memory.where, "memory " + memory.name,
         {"ACG0019",
          "its size does not fit 64 bits",
          fmt::format("{} bits * {} banks * {} elements * {} buffers", memory.data_width, memory.banks, memory.depth,
                      memory.buffers),
          {},
          "make it smaller"});
  (void)context;
}

}  // namespace

void check_memories(const Context& context) {
  uint64_t scratchpad_bytes = 0;
  const std::vector<Memory>& memories = context.machine.memories;
  for (size_t i = 0; i < memories.size(); ++i) {
    const Memory& memory = memories[i];
    check_shape(context, memory);
    check_kind(context, memory);
    const uint64_t bytes = total_bytes(context, memory);
    if (memory.kind == MemoryKind::kScratchpad) {
      if (__builtin_add_overflow(scratchpad_bytes, bytes, &scratchpad_bytes)) scratchpad_bytes = UINT64_MAX;
      if (scratchpad_bytes > kMaxScratchpadBytes) {
        refuse(memory.where, "memory " + memory.name,
               {"ACG0019",
                "the scratchpads together are too large",
                fmt::format("{} bytes", scratchpad_bytes),
                {fmt::format("up to {} bytes", kMaxScratchpadBytes)},
                "make depths or array smaller"});
      }
      continue;
    }
    if (memory.kind == MemoryKind::kRegisterFile || memory.kind == MemoryKind::kCache) continue;
    for (size_t j = 0; j < i; ++j) {
      if (memories[j].kind != memory.kind) continue;
      refuse(memory.where, "memory " + memory.name,
             {"ACG0016",
              fmt::format("a second memory of kind {}", name_in(kMemoryKinds, memory.kind)),
              memory.name,
              {memories[j].name},
              "a machine has at most one of this kind"});
    }
  }
}

}  // namespace covenant::acg::checks
