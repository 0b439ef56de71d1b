#include "compiler/network/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/network.h"
#include "compiler/network/padded_images.h"

namespace covenant::compiler {
namespace {

constexpr uint64_t kAddressSpace = uint64_t{1} << 32;  // address generators count 32 bits

/// Bytes of the longest vector that the machine multiplies by a matrix.
uint64_t bytes_reduced_at_once(const acg::Machine& machine) {
  uint64_t most = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      const auto matrix = std::ranges::find(capability.inputs, size_t{2},
                                            [](const acg::CapabilityOperand& input) { return input.shape.size(); });
      if (matrix == capability.inputs.end()) continue;
      most = std::max(most, packed_bytes(capability.inputs.front().dtype, matrix->shape.front()));
    }
  }
  return most;
}

}  // namespace

uint64_t segment_alignment(const acg::Machine& machine) {
  uint64_t alignment = 4;
  for (const acg::Edge& edge : machine.edges) alignment = std::max<uint64_t>(alignment, edge.bandwidth / 8);
  return alignment;
}

uint64_t instruction_alignment(const acg::Machine& machine) {
  const std::optional<uint32_t> edge = acg::instruction_edge(machine);
  if (!edge) return machine.word_bytes();  // a machine without an instruction memory
  return std::lcm<uint64_t>(machine.edges[*edge].bandwidth / 8, machine.word_bytes());
}

uint64_t segment_guard(const acg::Machine& machine) {
  const uint64_t most = bytes_reduced_at_once(machine);
  return (has_transfer_engines(machine) ? most : std::max(most, codelet::bytes_at_once(machine))) - 1;
}

MemoryPlan::MemoryPlan(const acg::Machine& machine)
    : memories_(machine.memories),
      activations_(acg::outermost_memory(machine)),
      words_(acg::instruction_edge(machine) ? acg::instruction_source(machine) : activations_),
      alignment_(segment_alignment(machine)),
      instruction_alignment_(std::lcm(alignment_, instruction_alignment(machine))),
      guard_(segment_guard(machine)),
      ends_(machine.memories.size()) {}

Status MemoryPlan::check_room(acg::MemoryId memory, const std::string& name, uint64_t address, uint64_t size) const {
  const acg::Memory& declared = memories_.at(memory.value);
  const uint64_t capacity = std::min(kAddressSpace, declared.buffer_bytes());
  if (size + guard_ <= capacity && address <= capacity - size - guard_) return Done{};
  return Diagnostic{"GEN0013",
                    {},
                    name,
                    "the program does not fit " + declared.name,
                    std::to_string(address + size + guard_) + " bytes",
                    {"at most " + std::to_string(capacity) + " bytes"},
                    "enlarge the off-chip memory of the machine or compile a smaller model"};
}

Result<uint64_t> MemoryPlan::add(const std::string& name, acg::SegmentKind kind, uint64_t size,
                                 std::vector<uint8_t> data) {
  const acg::MemoryId memory = kind == acg::SegmentKind::kInstructions ? words_ : activations_;
  return add_in(memory, name, kind, size, std::move(data));
}

Result<uint64_t> MemoryPlan::add_in(acg::MemoryId memory, const std::string& name, acg::SegmentKind kind, uint64_t size,
                                    std::vector<uint8_t> data) {
  check(data.empty() || data.size() == size, "the content of a segment fills it");
  const bool is_words = kind == acg::SegmentKind::kInstructions;
  uint64_t& end = ends_.at(memory.value);
  const uint64_t address = round_up(end, is_words ? instruction_alignment_ : alignment_);
  if (Status room = check_room(memory, name, address, size); !room) return room.error();
  segments_.push_back(acg::Segment{name, kind, address, size, std::move(data)});
  homes_.push_back(memory);
  end = address + size + guard_;
  return address;
}

Result<std::vector<uint64_t>> MemoryPlan::add_shared(const std::vector<Tenant>& tenants) {
  uint64_t& end = ends_.at(activations_.value);
  const uint64_t base = round_up(end, alignment_);
  std::vector<size_t> order(tenants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return tenants[a].size > tenants[b].size; });
  std::vector<uint64_t> addresses(tenants.size());
  std::vector<size_t> placed;  // by address
  for (const size_t one : order) {
    uint64_t address = base;
    for (const size_t other : placed) {
      const bool is_apart = tenants[other].lifetime.last < tenants[one].lifetime.first ||
                            tenants[one].lifetime.last < tenants[other].lifetime.first;
      if (is_apart || address + tenants[one].size + guard_ <= addresses[other]) continue;
      address = std::max(address, round_up(addresses[other] + tenants[other].size + guard_, alignment_));
    }
    if (Status room = check_room(activations_, tenants[one].name, address, tenants[one].size); !room)
      return room.error();
    addresses[one] = address;
    end = std::max(end, address + tenants[one].size + guard_);
    const auto later = [&](uint64_t at, size_t other) { return at < addresses[other]; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), address, later), one);
  }
  for (size_t i = 0; i < tenants.size(); ++i) {
    segments_.push_back({tenants[i].name, acg::SegmentKind::kIntermediate, addresses[i], tenants[i].size, {}});
    homes_.push_back(activations_);
  }
  return addresses;
}

std::vector<acg::MemoryRange> MemoryPlan::ranges() const {
  std::vector<acg::MemoryRange> ranges;
  uint64_t end = 0;
  for (uint32_t i = 0; i < memories_.size(); ++i) {
    const acg::MemoryId memory{i};
    if (memories_[i].kind != acg::MemoryKind::kOffchip && memory != activations_) continue;
    ranges.push_back({memory, round_up(end, alignment_), ends_[i]});
    end = ranges.back().first + ends_[i];
  }
  return ranges;
}

std::vector<acg::Segment> MemoryPlan::segments_of_image() const {
  const std::vector<acg::MemoryRange> ranges = this->ranges();
  std::vector<acg::Segment> segments = segments_;
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].address = image_address(ranges, homes_[i], segments[i].address);
  }
  return segments;
}

uint64_t image_address(const std::vector<acg::MemoryRange>& ranges, acg::MemoryId memory, uint64_t address) {
  for (const acg::MemoryRange& range : ranges) {
    if (range.memory == memory) return range.first + address;
  }
  fail("what a program holds lies in off-chip memory");
}

}  // namespace covenant::compiler
