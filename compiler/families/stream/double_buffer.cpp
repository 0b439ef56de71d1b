#include "compiler/families/stream/double_buffer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/families/stream/live_ranges.h"

namespace covenant::compiler::stream {
namespace {

using codelet::Codelet;
using codelet::Loop;
using codelet::Operation;
using codelet::Transfer;

/// Locals that are never alive at the same time and that the same two engines fill and empty, in order of appearance.
struct Channel {
  std::vector<std::string> locals;
  uint64_t units = 0;
  uint64_t alignment_units = 1;
  uint64_t offset = 0;
  bool is_temporary = false;  ///< a single node writes and reads them: they need no tokens
};

using Layouts = std::map<std::string, LocalLayout>;

/// Memories with more temporaries than a channel has base addresses.
std::set<acg::MemoryId> crowded_memories(const std::map<std::string, LiveRange>& lives, const Layouts& layouts,
                                         const acg::Machine& machine) {
  std::map<acg::MemoryId, uint32_t> temporaries;
  for (const auto& [name, life] : lives) temporaries[layouts.at(name).memory] += life.filler == life.emptier ? 1 : 0;
  std::set<acg::MemoryId> result;
  for (const auto& [memory, count] : temporaries) {
    if (count > acg::get(machine, memory).channel_entries()) result.insert(memory);
  }
  return result;
}

std::map<acg::MemoryId, std::vector<Channel>> channels_by_memory(const Codelet& tiled, const Layouts& layouts,
                                                                 const acg::Machine& machine) {
  std::map<acg::MemoryId, std::vector<Channel>> result;
  std::map<std::string, LiveRange> lives = live_ranges(tiled);
  // A temporary holds nothing before it is written: where there is no room for one beside the other, that counts.
  const std::set<acg::MemoryId> crowded = crowded_memories(lives, layouts, machine);
  for (auto& [name, life] : lives) {
    if (life.filler == life.emptier && crowded.contains(layouts.at(name).memory)) life.first = life.written;
  }
  for_each_operation(tiled.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const LocalLayout& layout = layouts.at(transfer->local);
    const LiveRange& life = lives.at(transfer->local);
    std::vector<Channel>& channels = result[layout.memory];
    auto channel = std::find_if(channels.begin(), channels.end(), [&](const Channel& one) {
      const LiveRange& last = lives.at(one.locals.back());
      return last.is_before(life) && last.filler == life.filler && last.emptier == life.emptier;
    });
    if (channel == channels.end()) channel = channels.insert(channels.end(), Channel{});
    channel->is_temporary = life.filler == life.emptier;
    channel->locals.push_back(transfer->local);
    channel->units = std::max(channel->units, layout.units);
    channel->alignment_units = std::max(channel->alignment_units, layout.alignment_units);
  });
  return result;
}

/// Places channels, largest alignment first. Returns their total size in units.
uint64_t place(std::vector<Channel>& channels) {
  std::vector<Channel*> order;
  for (Channel& channel : channels) order.push_back(&channel);
  std::stable_sort(order.begin(), order.end(),
                   [](const Channel* a, const Channel* b) { return a->alignment_units > b->alignment_units; });
  uint64_t next = 0;
  for (Channel* channel : order) {
    channel->offset = round_up(next, channel->alignment_units);
    next = channel->offset + channel->units;
  }
  return next;
}

/// The slot of each channel in order of appearance; all temporaries share one.
std::vector<uint32_t> slots_of(const std::vector<Channel>& channels) {
  std::vector<uint32_t> slots;
  std::optional<uint32_t> shared;
  uint32_t next = 0;
  for (const Channel& channel : channels) {
    if (channel.is_temporary && !shared) shared = next++;
    slots.push_back(channel.is_temporary ? shared.value() : next++);
  }
  return slots;
}

}  // namespace

Result<Codelet> double_buffer(const Codelet& tiled, const acg::Machine& machine) {
  const Layouts layouts = local_layouts(tiled, machine);
  const int64_t most_slots = acg::word_limits(machine).slots;
  std::map<std::string, std::pair<uint32_t, uint64_t>> places;
  for (auto& [id, channels] : channels_by_memory(tiled, layouts, machine)) {
    const acg::Memory& memory = acg::get(machine, id);
    const std::vector<uint32_t> slots = slots_of(channels);
    const uint32_t needed = *std::max_element(slots.begin(), slots.end()) + 1;
    const auto there = static_cast<uint32_t>(std::min<int64_t>(memory.channels, most_slots));
    if (needed > there) {
      return codelet::diagnose(
          "CDL0060", {}, tiled.name, memory.name + " has too few channels for its locals",
          std::to_string(needed) + " locals", {std::to_string(there) + " or fewer"},
          there < memory.channels
              ? "widen the fields of `slot`"
              : "give " + memory.name + " more channels, or spread the operands over more memories");
    }
    const uint64_t units = place(channels);
    if (units > memory.buffer_units()) {
      return codelet::diagnose(
          "CDL0061", {}, tiled.name, "the locals of " + memory.name + " do not fit one buffer of it",
          std::to_string(units * memory.unit_bytes()) + " bytes",
          {std::to_string(memory.buffer_bytes()) + " bytes or fewer"}, "make " + memory.name + " deeper");
    }
    for (size_t i = 0; i < channels.size(); ++i) {
      for (const std::string& local : channels[i].locals) places[local] = {slots[i], channels[i].offset};
    }
  }
  Codelet buffered = tiled;
  for_each_operation(buffered.body, [&](Operation& operation) {
    auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    const auto& [slot, offset] = places.at(transfer->local);
    transfer->slot = slot;
    transfer->offset = offset;
  });
  return buffered;
}

}  // namespace covenant::compiler::stream
