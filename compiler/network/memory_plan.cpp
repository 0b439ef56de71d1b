#include "compiler/network/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/network/network.h"

namespace covenant::compiler {
namespace {

constexpr uint64_t kAddressSpace = uint64_t{1} << 32;  // address generators count 32 bits

}  // namespace

uint64_t segment_alignment(const acg::Machine& machine) {
  uint64_t alignment = 4;
  for (const acg::Edge& edge : machine.edges) alignment = std::max<uint64_t>(alignment, edge.bandwidth / 8);
  return alignment;
}

uint64_t instruction_alignment(const acg::Machine& machine) {
  for (const acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (to != nullptr && acg::get(machine, *to).kind == acg::MemoryKind::kInstruction)
      return std::lcm<uint64_t>(edge.bandwidth / 8, machine.word_bytes());
  }
  return machine.word_bytes();  // a machine without an instruction memory
}

uint64_t segment_guard(const acg::Machine& machine) { return reduced_at_once(machine) - 1; }

MemoryPlan::MemoryPlan(const acg::Machine& machine)
    : alignment_(segment_alignment(machine)),
      instruction_alignment_(std::lcm(alignment_, instruction_alignment(machine))),
      guard_(segment_guard(machine)),
      capacity_(std::min(kAddressSpace, acg::get(machine, acg::outermost_memory(machine)).buffer_bytes())) {}

Status MemoryPlan::check_room(const std::string& name, uint64_t address, uint64_t size) const {
  if (size + guard_ <= capacity_ && address <= capacity_ - size - guard_) return Done{};
  return Diagnostic{"GEN0013",
                    {},
                    name,
                    "the program does not fit off-chip memory",
                    std::to_string(address + size + guard_) + " bytes",
                    {"at most " + std::to_string(capacity_) + " bytes"},
                    "enlarge the off-chip memory of the machine or compile a smaller model"};
}

Result<uint64_t> MemoryPlan::add(const std::string& name, acg::SegmentKind kind, uint64_t size,
                                 std::vector<uint8_t> data) {
  check(data.empty() || data.size() == size, "the content of a segment fills it");
  const bool is_words = kind == acg::SegmentKind::kInstructions;
  const uint64_t address = round_up(end_, is_words ? instruction_alignment_ : alignment_);
  if (Status room = check_room(name, address, size); !room) return room.error();
  segments_.push_back(acg::Segment{name, kind, address, size, std::move(data)});
  end_ = address + size + guard_;
  return address;
}

Result<std::vector<uint64_t>> MemoryPlan::add_shared(const std::vector<Tenant>& tenants) {
  const uint64_t base = round_up(end_, alignment_);
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
    if (Status room = check_room(tenants[one].name, address, tenants[one].size); !room) return room.error();
    addresses[one] = address;
    end_ = std::max(end_, address + tenants[one].size + guard_);
    const auto later = [&](uint64_t at, size_t other) { return at < addresses[other]; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), address, later), one);
  }
  for (size_t i = 0; i < tenants.size(); ++i) {
    segments_.push_back({tenants[i].name, acg::SegmentKind::kIntermediate, addresses[i], tenants[i].size, {}});
  }
  return addresses;
}

}  // namespace covenant::compiler
