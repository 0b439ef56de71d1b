#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "acg/graph/limits.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/graph/words.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

constexpr uint64_t kMaxScratchpadBytes = uint64_t{1} << 30;

/// Checks that a number of `memory` is within the limits of its kind. `allowed` lists the allowed numbers if these are
/// not the whole range.
void in_range(const Context& context, const Memory& memory, std::string_view name, uint64_t value, std::string fix,
              std::vector<std::string> allowed = {}) {
  const Limits limits = limits_of(memory.kind, name);
  if (limits.contains(value)) return;
  if (allowed.empty()) allowed.push_back(text_of(limits));
  const std::string path = "memory " + memory.name;
  refuse(context.where(fmt::format("{} {}", path, name), memory.where), path,
         {"ACG0013", fmt::format("{} is out of range", name), fmt::format("{}", value), std::move(allowed),
          std::move(fix)});
}

/// One address selects one element of every bank: together they must be whole bytes.
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

/// The fix for a number: the only allowed value if the kind leaves no choice, else `otherwise`.
std::string fix_of(MemoryKind kind, std::string_view name, std::string otherwise) {
  const Limits limits = limits_of(kind, name);
  const bool is_free = limits.lowest != limits.highest;
  const bool is_open = kind == MemoryKind::kRegisterFile || kind == MemoryKind::kCache;
  const std::string_view word = name_in(kMemoryKinds, kind);
  if (name == "depth" && kind == MemoryKind::kInstruction)
    return "groups count their words in 16 bits: give fewer words";
  if (name == "latency") {
    return is_free ? "give the cycles from request to data" : "only offchip memories and caches have another latency";
  }
  if (is_free) return otherwise;
  if (name == "data_width") return fmt::format("{} memory has one width", word);
  if (name == "banks") return fmt::format("{} memory has one bank", word);
  if (name == "depth") return "one element for each immediate slot";
  return is_open ? "only scratchpads and instruction memories have several buffers"
                 : fmt::format("{} memory: `buffers = {};`", word, limits.lowest);
}

void check_shape(const Context& context, const Memory& memory) {
  const std::string path = "memory " + memory.name;
  const auto check = [&](std::string_view name, uint64_t value, std::string otherwise,
                         std::vector<std::string> allowed = {}) {
    in_range(context, memory, name, value, fix_of(memory.kind, name, std::move(otherwise)), std::move(allowed));
  };
  check("data_width", memory.data_width, "give the bits of one bank's element", data_widths(memory.kind));
  const bool is_part_of_a_byte = memory.data_width < 8 && std::has_single_bit(memory.data_width);
  if (memory.data_width % 8 != 0 && !is_part_of_a_byte) {
    refuse(
        context.where(path + " data_width", memory.where), path,
        {"ACG0013", "data_width is neither whole bytes nor an even part of one", fmt::format("{}", memory.data_width),
         data_widths(memory.kind), fmt::format("use {}", (memory.data_width / 8 + 1) * 8)});
  }
  check("banks", memory.banks, "give the number of banks");
  check("depth", memory.depth, "give the elements of one buffer");
  check("buffers", memory.buffers, "give the number of buffers");
  check("latency", memory.latency, "");
  check("accesses", memory.accesses, "give the reads or writes in one cycle");
  check("channels", memory.channels, "give the locals of one layer at most", channel_counts());
  if (!std::has_single_bit(memory.channels)) {
    refuse(context.where(path + " channels", memory.where), path,
           {"ACG0013", "channels is no power of two", fmt::format("{}", memory.channels), channel_counts(),
            fmt::format("use {}", std::bit_ceil(memory.channels))});
  }
  const uint64_t grain = memory.granularity == 0 ? memory.data_width : memory.granularity;
  const bool is_even = grain % 8 == 0 || (grain < 8 && std::has_single_bit(grain));
  if (!is_even || memory.data_width % grain != 0) {
    refuse(context.where(path + " granularity", memory.where), path,
           {"ACG0013", "granularity must be whole bytes or an even part of one, and divide data_width",
            fmt::format("{}", grain), granularities(memory.data_width), "use 8, or leave it out"});
  }
  check_address(context, memory, grain);
}

/// If elements have several bytes, a buffer holds whole elements: fill patterns repeat by address.
void check_elements(const Context& context, const Memory& memory) {
  uint64_t element = 1;
  for (const DType dtype : element_dtypes(context.machine)) element = std::max<uint64_t>(element, bytes(dtype));
  if (memory.buffer_bytes() % element == 0) return;
  const std::string path = "memory " + memory.name;
  refuse(context.where(path + " depth", memory.where), path,
         {"ACG0013",
          "a buffer does not hold whole elements",
          fmt::format("{} bytes", memory.buffer_bytes()),
          {fmt::format("multiples of {} bytes", element)},
          fmt::format("use an even depth, or data_width = {}", 8 * element)});
}

/// An instruction memory holds whole words.
void check_word_width(const Context& context, const Memory& memory) {
  const uint32_t word = context.machine.word_bits;
  if (memory.kind != MemoryKind::kInstruction || memory.data_width == word) return;
  const std::string path = "memory " + memory.name;
  refuse(context.where(path + " data_width", memory.where), path,
         {"ACG0013",
          "the data_width of an instruction memory is not that of a word",
          fmt::format("{}", memory.data_width),
          {fmt::format("{}", word)},
          fmt::format("use {}, or give the machine words of {} bits", word, memory.data_width)});
}

void check_costs(const Context& context, const Memory& memory) {
  const std::string path = "memory " + memory.name;
  check_energy(context.where(path + " read_energy", memory.where), path, memory.read_energy);
  check_energy(context.where(path + " write_energy", memory.where), path, memory.write_energy);
  check_ports(context, path, memory.ports, memory.where);
}

uint64_t total_bytes(const Context& context, const Memory& memory) {
  uint64_t bytes = memory.data_width * memory.banks / 8;  // whole bytes, and the product of small factors
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

/// With several off-chip memories each must have an edge: data in one without an edge could never be reached.
void check_reached(const Context& context, const Memory& memory) {
  if (memory.kind != MemoryKind::kOffchip) return;
  std::vector<std::string> others;
  for (const Memory& other : context.machine.memories) {
    if (other.kind == MemoryKind::kOffchip && other.name != memory.name) others.push_back(other.name);
  }
  const auto touches = [&](const Edge& edge) {
    return name_of(context.machine, edge.from) == memory.name || name_of(context.machine, edge.to) == memory.name;
  };
  if (others.empty() || std::ranges::any_of(context.machine.edges, touches)) return;
  refuse(memory.where, "memory " + memory.name,
         {"ACG0054", "no edge leads to or from this off-chip memory", memory.name, std::move(others),
          fmt::format("remove it, or add an edge from it: `edge {} -> MEMORY {{ bandwidth = 64; }}`", memory.name)});
}

}  // namespace

void check_memories(const Context& context) {
  uint64_t scratchpad_bytes = 0;
  const std::vector<Memory>& memories = context.machine.memories;
  for (size_t i = 0; i < memories.size(); ++i) {
    const Memory& memory = memories[i];
    check_shape(context, memory);
    check_word_width(context, memory);
    check_costs(context, memory);
    const uint64_t bytes = total_bytes(context, memory);
    if (memory.kind == MemoryKind::kScratchpad) {
      check_elements(context, memory);
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
    check_reached(context, memory);
    if (memory.kind != MemoryKind::kInstruction && memory.kind != MemoryKind::kImmediate) continue;
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
