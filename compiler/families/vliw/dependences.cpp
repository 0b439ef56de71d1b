#include "compiler/families/vliw/dependences.h"

#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwTrait;

bool loads(const CodeInstruction& instruction) { return has(instruction.instruction, VliwTrait::kLoad); }
bool stores(const CodeInstruction& instruction) { return has(instruction.instruction, VliwTrait::kStore); }

class Finder {
 public:
  Finder(std::span<const CodeInstruction> instructions, const RegisterAccesses& registers, Piece piece,
         const std::vector<bool>& carried)
      : instructions_(instructions), registers_(registers), piece_(piece), carried_(carried) {
    for (const CodeInstruction& instruction : instructions) accesses_.push_back(registers.of(instruction));
  }

  std::vector<Dependence> find() {
    for (size_t from = 0; from < instructions_.size(); ++from) {
      for (size_t to = 0; to < instructions_.size(); ++to) {
        if (from < to) add_between(from, to, 0);
        if (piece_ == Piece::kLoop && to <= from) add_between(from, to, 1);
      }
    }
    return std::move(found_);
  }

 private:
  void add_between(size_t from, size_t to, uint32_t distance) {
    for (const RegisterAccess& first : accesses_[from]) {
      for (const RegisterAccess& second : accesses_[to]) {
        if (!first.touches_same(second)) continue;
        // A value of a single trip has another register in the next trip.
        if (distance > 0 && !carried_.at(first.name.number)) continue;
        add_by_register(from, first, to, second, distance);
      }
    }
    if (distance == 0 || from != to) add_by_memory(from, to, distance);
  }

  void add_by_register(size_t from, const RegisterAccess& first, size_t to, const RegisterAccess& second,
                       uint32_t distance) {
    if (first.writes && second.reads) {
      add(from, to, registers_.packets_between(first.write_stage, second.read_stage), distance);
    }
    if (first.writes && second.writes) add(from, to, 1, distance);
    // All instructions of a packet read before any of them writes.
    if (first.reads && second.writes && from != to) add(from, to, 0, distance);
  }

  /// Accesses that conflict are a packet apart, regardless of their order within a packet.
  void add_by_memory(size_t from, size_t to, uint32_t distance) {
    const CodeInstruction& first = instructions_[from];
    const CodeInstruction& second = instructions_[to];
    if (first.object != second.object) return;
    if (stores(first) && (loads(second) || stores(second))) add(from, to, 1, distance);
    if (loads(first) && stores(second)) add(from, to, 1, distance);
  }

  void add(size_t from, size_t to, uint32_t packets, uint32_t distance) {
    found_.push_back({from, to, packets, distance});
  }

  std::span<const CodeInstruction> instructions_;
  const RegisterAccesses& registers_;
  Piece piece_;
  std::vector<std::vector<RegisterAccess>> accesses_;
  const std::vector<bool>& carried_;
  std::vector<Dependence> found_;
};

}  // namespace

std::vector<Dependence> dependences(std::span<const CodeInstruction> instructions, const RegisterAccesses& registers,
                                    Piece piece, const std::vector<bool>& carried) {
  return Finder(instructions, registers, piece, carried).find();
}

std::vector<bool> carried_registers(std::span<const CodeInstruction> body, const RegisterAccesses& registers,
                                    size_t count) {
  std::vector<bool> carried(count), lower(count), upper(count);  // halves written so far
  for (const CodeInstruction& instruction : body) {
    const std::vector<RegisterAccess> accesses = registers.of(instruction);
    for (const RegisterAccess& access : accesses) {
      const uint32_t number = access.name.number;
      const bool wants_lower = access.is_pair || !access.name.is_upper;
      const bool wants_upper = access.is_pair || access.name.is_upper;
      if (access.reads && ((wants_lower && !lower[number]) || (wants_upper && !upper[number]))) carried[number] = true;
    }
    for (const RegisterAccess& access : accesses) {
      if (!access.writes) continue;
      if (access.is_pair || !access.name.is_upper) lower[access.name.number] = true;
      if (access.is_pair || access.name.is_upper) upper[access.name.number] = true;
    }
  }
  return carried;
}

}  // namespace covenant::compiler::vliw
