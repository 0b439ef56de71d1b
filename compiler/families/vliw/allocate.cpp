#include "compiler/families/vliw/allocate.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "acg/base/check.h"
#include "compiler/families/vliw/liveness.h"

namespace covenant::compiler::vliw {
namespace {

using acg::RegisterFile;

std::string_view name_of(RegisterFile file) {
  constexpr std::array<std::string_view, 5> kNames{"scalar registers", "vector registers", "predicates",
                                                   "vector predicates", "control registers"};
  return kNames.at(static_cast<size_t>(file));
}

/// Colours the interference graph of values (Chaitin, "Register Allocation and Spilling via Graph Coloring"): values
/// with few neighbours are removed first and coloured last.
class Allocation {
 public:
  Allocation(const PacketCode& code, const acg::Machine& machine, const std::vector<acg::Register>& kept)
      : code_(code),
        accesses_(machine),
        limits_(code.registers.size(), UINT32_MAX),
        neighbours_(code.registers.size()),
        colours_(code.registers.size()) {
    find_limits(code.steps);
    for (const acg::Register& entry : kept) kept_.insert(entry);
    const Liveness lifetimes(code, accesses_);
    std::vector<uint32_t> before, together = lifetimes.held_at_start();
    for (size_t at = 0; at <= lifetimes.packets(); ++at) {
      connect(before, together);
      before = std::exchange(together, at < lifetimes.packets() ? lifetimes.held_after(at) : std::vector<uint32_t>{});
    }
    for (std::vector<uint32_t>& some : neighbours_) {
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
    }
    for (const FixedRegister& entry : code.fixed) colours_[entry.number] = entry.index;
  }

  Status colour() {
    for (const uint32_t number : order()) {
      if (colours_[number]) continue;
      colours_[number] = free_colour(number);
      if (!colours_[number]) return too_many(number);
    }
    return Done{};
  }

  std::vector<PacketStep> named(const std::vector<PacketStep>& steps) const {
    std::vector<PacketStep> result = steps;
    for (PacketStep& step : result) {
      if (auto* loop = std::get_if<PacketLoop>(&step)) {
        loop->body = named(loop->body);
        continue;
      }
      for (CodeInstruction& instruction : std::get<CodePacket>(step).instructions) name(instruction.instruction);
    }
    return result;
  }

 private:
  /// Some fields are too narrow for all registers of their file.
  void find_limits(const std::vector<PacketStep>& steps) {
    for (const PacketStep& step : steps) {
      if (const auto* loop = std::get_if<PacketLoop>(&step)) {
        find_limits(loop->body);
        continue;
      }
      for (const CodeInstruction& instruction : std::get<CodePacket>(step).instructions) {
        for (const RegisterAccess& access : accesses_.of(instruction)) {
          limits_[access.name.number] = std::min(limits_[access.name.number], access.limit);
        }
      }
    }
  }

  uint32_t registers_of(uint32_t number) const {
    return static_cast<uint32_t>(acg::count_of(code_.registers[number].file));
  }
  int32_t registers_for(uint32_t number) const {
    return static_cast<int32_t>(std::min(limits_[number], registers_of(number)));
  }

  /// Connects values that are alive together, by number; those that were alive together `before`, too, are connected
  /// already.
  void connect(const std::vector<uint32_t>& before, const std::vector<uint32_t>& together) {
    std::vector<uint32_t> added;
    std::set_difference(together.begin(), together.end(), before.begin(), before.end(), std::back_inserter(added));
    for (const uint32_t one : added) {
      seen_.insert(one);
      for (const uint32_t other : together) {
        if (one == other || code_.registers[one].file != code_.registers[other].file) continue;
        neighbours_[one].push_back(other);
        neighbours_[other].push_back(one);
      }
    }
  }

  uint32_t width(uint32_t number) const { return code_.registers[number].is_pair ? 2 : 1; }

  /// The last value removed is the first one coloured.
  std::vector<uint32_t> order() const {
    std::vector<uint32_t> left(seen_.begin(), seen_.end()), around(code_.registers.size()), taken;
    for (const uint32_t number : left) {
      for (const uint32_t other : neighbours_[number]) around[number] += width(other);
    }
    // A value that has few registers to choose from is removed late, so that it chooses early.
    const auto pressure = [&](uint32_t number) {
      return (around[number] + 1) * width(number) * registers_of(number) / static_cast<uint32_t>(registers_for(number));
    };
    while (!left.empty()) {
      const auto least = std::min_element(
          left.begin(), left.end(), [&](uint32_t one, uint32_t other) { return pressure(one) < pressure(other); });
      for (const uint32_t other : neighbours_[*least]) around[other] -= width(*least);
      taken.push_back(*least);
      left.erase(least);
    }
    std::reverse(taken.begin(), taken.end());
    return taken;
  }

  std::optional<int32_t> free_colour(uint32_t number) const {
    const RegisterFile file = code_.registers[number].file;
    const auto step = static_cast<int32_t>(width(number));
    const int32_t last = registers_for(number) / step * step - step;
    for (int32_t i = 0; i <= last; i += step) {
      // Pairs are taken from the first register on, others from the last one back, which leaves whole pairs free.
      const int32_t first = step == 1 ? last - i : i;
      bool is_free = true;
      for (int32_t at = first; at < first + step; ++at) is_free = is_free && !kept_.contains({file, at});
      for (const uint32_t other : neighbours_[number]) {
        if (!colours_[other]) continue;
        const int32_t begin = colours_[other].value(), end = begin + static_cast<int32_t>(width(other));
        is_free = is_free && (end <= first || begin >= first + step);
      }
      if (is_free) return first;
    }
    return std::nullopt;
  }

  Status too_many(uint32_t number) const {
    const RegisterFile file = code_.registers[number].file;
    uint32_t wanted = width(number);
    for (const uint32_t other : neighbours_[number]) wanted += width(other);
    return Diagnostic{"GEN0050",
                      {},
                      "",
                      fmt::format("more values at once than {}", name_of(file)),
                      fmt::format("up to {} wanted", wanted),
                      {fmt::format("{}", registers_for(number))},
                      "compute a smaller tile at once"};
  }

  void name(acg::Instruction& instruction) const {
    const std::span<const acg::OperandInfo> operands = acg::info(instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!is_virtual(operands[i])) continue;
      const Name named = Name::of(instruction.operands[i]);
      instruction.operands[i] = colours_.at(named.number).value() + (named.is_upper ? 1 : 0);
    }
  }

  const PacketCode& code_;
  RegisterAccesses accesses_;
  std::set<acg::Register> kept_;
  std::vector<uint32_t> limits_;
  std::set<uint32_t> seen_;
  std::vector<std::vector<uint32_t>> neighbours_;  ///< neighbours in the same file
  std::vector<std::optional<int32_t>> colours_;
};

}  // namespace

Result<std::vector<PacketStep>> allocated(const PacketCode& code, const acg::Machine& machine,
                                          const std::vector<acg::Register>& kept) {
  Allocation allocation(code, machine, kept);
  if (const Status coloured = allocation.colour(); !coloured) return coloured.error();
  return allocation.named(code.steps);
}

}  // namespace covenant::compiler::vliw
