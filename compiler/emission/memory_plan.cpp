#include "compiler/emission/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/network.h"
#include "compiler/storage/vectors.h"

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

/// Tenants by lifetime: a tree ordered by their first layers, in which each node holds when the last one below it ends.
class Lifetimes {
 public:
  explicit Lifetimes(const std::vector<Tenant>& tenants) : tenants_(tenants), by_first_(tenants.size()) {
    std::iota(by_first_.begin(), by_first_.end(), size_t{0});
    std::ranges::stable_sort(by_first_, {}, [&](size_t one) { return tenants[one].lifetime.first; });
    places_.resize(tenants.size());
    for (size_t place = 0; place < by_first_.size(); ++place) places_[by_first_[place]] = place;
    while (leaves_ < tenants.size()) leaves_ *= 2;
    ends_.resize(2 * leaves_);
  }

  void add(size_t tenant) {
    const size_t end = tenants_[tenant].lifetime.last + 1;
    for (size_t node = leaves_ + places_[tenant]; node > 0; node /= 2) ends_[node] = std::max(ends_[node], end);
  }

  /// The added tenants that are alive at the same time.
  std::vector<size_t> alive_with(const Lifetime& lifetime) const {
    std::vector<size_t> result;
    const auto begins_later = [&](size_t layer, size_t one) { return layer < tenants_[one].lifetime.first; };
    const auto end = std::upper_bound(by_first_.begin(), by_first_.end(), lifetime.last, begins_later);
    collect(1, 0, leaves_, static_cast<size_t>(end - by_first_.begin()), lifetime.first, result);
    return result;
  }

 private:
  /// Below `node`, whose leaves are [from, to): those before `before` that live on to layer `first`.
  void collect(size_t node, size_t from, size_t to, size_t before, size_t first, std::vector<size_t>& result) const {
    if (from >= before || ends_[node] <= first) return;
    if (to - from == 1) return result.push_back(by_first_[from]);
    const size_t middle = (from + to) / 2;
    collect(2 * node, from, middle, before, first, result);
    collect(2 * node + 1, middle, to, before, first, result);
  }

  const std::vector<Tenant>& tenants_;
  std::vector<size_t> by_first_;
  std::vector<size_t> places_;  ///< places of tenants in `by_first_`
  size_t leaves_ = 1;
  std::vector<size_t> ends_;  ///< by node: the layer after the last one of the added tenants below; 0: none
};

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
  Lifetimes placed(tenants);
  for (const size_t one : order) {
    uint64_t address = base;
    std::vector<size_t> together = placed.alive_with(tenants[one].lifetime);
    const auto lower = [&](size_t a, size_t b) { return addresses[a] < addresses[b]; };
    std::sort(together.begin(), together.end(), lower);
    for (const size_t other : together) {
      if (address + tenants[one].size + guard_ <= addresses[other]) continue;
      address = std::max(address, round_up(addresses[other] + tenants[other].size + guard_, alignment_));
    }
    if (Status room = check_room(activations_, tenants[one].name, address, tenants[one].size); !room)
      return room.error();
    addresses[one] = address;
    end = std::max(end, address + tenants[one].size + guard_);
    placed.add(one);
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
