#include "compiler/network/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"

namespace covenant::compiler {
namespace {

constexpr uint64_t kAddressSpace = uint64_t{1} << 32;  // address generators count 32 bits

}  // namespace

uint64_t segment_alignment(const acg::Machine& machine) {
  uint64_t alignment = 4;  // of an instruction word
  for (const acg::Edge& edge : machine.edges) alignment = std::max<uint64_t>(alignment, edge.bandwidth / 8);
  return alignment;
}

uint64_t instruction_alignment(const acg::Machine& machine) {
  for (const acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (to != nullptr && acg::get(machine, *to).kind == acg::MemoryKind::kInstruction) return edge.bandwidth / 8;
  }
  return 4;  // a machine without an instruction memory: of a word
}

/// Rows of the largest matrix that a capability multiplies a vector by: so many elements of an input it reads at once.
uint64_t segment_guard(const acg::Machine& machine) {
  uint64_t at_once = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      for (const acg::CapabilityOperand& input : capability.inputs) {
        if (input.shape.size() == 2) at_once = std::max(at_once, input.shape.front());
      }
    }
  }
  return at_once - 1;
}

MemoryPlan::MemoryPlan(const acg::Machine& machine)
    : alignment_(segment_alignment(machine)),
      instruction_alignment_(std::lcm(alignment_, instruction_alignment(machine))),
      guard_(segment_guard(machine)),
      capacity_(std::min(kAddressSpace, acg::get(machine, acg::outermost_memory(machine)).buffer_bytes())) {}

Result<uint64_t> MemoryPlan::add(const std::string& name, acg::SegmentKind kind, uint64_t size,
                                 std::vector<uint8_t> data) {
  check(data.empty() || data.size() == size, "the content of a segment fills it");
  const bool is_words = kind == acg::SegmentKind::kInstructions;
  const uint64_t address = round_up(end_, is_words ? instruction_alignment_ : alignment_);
  if (size + guard_ > capacity_ || address > capacity_ - size - guard_) {
    return Diagnostic{"GEN0013",
                      {},
                      name,
                      "the program does not fit off-chip memory",
                      std::to_string(address + size + guard_) + " bytes",
                      {"at most " + std::to_string(capacity_) + " bytes"},
                      "enlarge the off-chip memory of the machine or compile a smaller model"};
  }
  segments_.push_back(acg::Segment{name, kind, address, size, std::move(data)});
  end_ = address + size + guard_;
  return address;
}

}  // namespace covenant::compiler
