#include "acg/isa/vliw/packet_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

#include "acg/encoding/packet_rules.h"
#include "acg/operations/vliw_registers.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::acg {
namespace {

using enum VliwTrait;

std::string name_of(const Instruction& instruction) { return qualified_name(instruction.operation); }

Diagnostic refusal(std::string_view code, std::string message, std::string offending, std::string fix) {
  return {std::string(code), {}, "packet", std::move(message), std::move(offending), {}, std::move(fix)};
}

bool has_operand(const Instruction& instruction, OperandKind kind) {
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  return std::any_of(operands.begin(), operands.end(), [&](const OperandInfo& entry) { return entry.kind == kind; });
}
bool reads_produced(const Instruction& instruction) {
  return has_operand(instruction, OperandKind::kProduced) || has_operand(instruction, OperandKind::kProducedScalar);
}

Status check_branches(const Packet& packet) {
  std::vector<const Instruction*> branches;
  for (const PacketInstruction& entry : packet.instructions) {
    const Instruction& instruction = entry.instruction;
    if (has(instruction, kBranch)) branches.push_back(&instruction);
    if (has(instruction, kAlone) &&
        (packet.instructions.size() > 1 || packet.ends_inner_loop || packet.ends_outer_loop)) {
      return refusal("ISA0013", "an instruction that tolerates no others", name_of(instruction),
                     "give it a packet of its own");
    }
    if (!has(instruction, kPrefetch)) continue;
    for (const PacketInstruction& other : packet.instructions) {
      if (&other == &entry || has(other.instruction, kScalarArithmetic)) continue;
      return refusal("ISA0013", "a prefetch tolerates scalar arithmetic only", name_of(other.instruction),
                     "move it to another packet");
    }
  }
  if (!branches.empty() && (packet.ends_inner_loop || packet.ends_outer_loop)) {
    return refusal("ISA0013", "a branch where a hardware loop ends", name_of(*branches.front()),
                   "move it to the packet before");
  }
  if (branches.size() > 2)
    return refusal("ISA0013", "more than two branches", name_of(*branches[2]), "split the packet");
  if (branches.size() < 2) return Done{};
  for (const Instruction* branch : branches) {
    if (!has(*branch, kSoleBranch)) continue;
    return refusal("ISA0013", "a branch that tolerates no other one", name_of(*branch), "split the packet");
  }
  if (has(*branches.front(), kConditional)) return Done{};
  return refusal("ISA0013", "the first of two branches has no condition", name_of(*branches.front()),
                 "put the conditional branch first");
}

Status check_stores(const Packet& packet) {
  for (const PacketInstruction& entry : packet.instructions) {
    if (!has(entry.instruction, kSoleStore)) continue;
    for (const PacketInstruction& other : packet.instructions) {
      if (&other == &entry || !has(other.instruction, kStore)) continue;
      return refusal("ISA0013", "a store beside an instruction that tolerates no other one", name_of(other.instruction),
                     "split the packet");
    }
  }
  return Done{};
}

/// The instruction that writes each register. Compares may share a predicate, and instructions under different
/// conditions any register.
class Writers {
 public:
  explicit Writers(const Packet& packet) {
    if (packet.ends_inner_loop) add_loop_end("the end of the inner loop", kInnerStart, kInnerCount);
    if (packet.ends_outer_loop) add_loop_end("the end of the outer loop", kOuterStart, kOuterCount);
  }

  Status add(const Instruction& instruction) {
    const Writer writer{name_of(instruction), has(instruction, kCompare) || has(instruction, kCompareJump),
                        condition_of(instruction)};
    for (const RegisterUse& use : register_uses(instruction)) {
      // A temporary value exists only within its packet.
      if (!writes(use.access) || (has(instruction, kTemporary) && use.used.file == RegisterFile::kVector)) continue;
      if (use.used == Register{RegisterFile::kControl, kProgramCounter}) {
        return refusal("ISA0012", "the program counter cannot be written", name_of(instruction), "use a branch");
      }
      for (const Writer& other : writers_[use.used]) {
        const bool is_predicate = use.used.file == RegisterFile::kPredicate;
        if (is_predicate && writer.is_compare && other.is_compare) continue;
        if (writer.condition && other.condition && writer.condition != other.condition) continue;
        return refusal("ISA0012", fmt::format("register {} is written twice", acg::name_of(use.used)),
                       fmt::format("{} and {}", other.name, writer.name), "split the packet");
      }
      writers_[use.used].push_back(writer);
    }
    return Done{};
  }

 private:
  struct Condition {
    int32_t predicate = 0;
    bool when_false = false;
    bool operator==(const Condition&) const = default;
  };
  struct Writer {
    std::string name;
    bool is_compare = false;
    std::optional<Condition> condition;
  };
  static std::optional<Condition> condition_of(const Instruction& instruction) {
    if (!has(instruction, kPredicated)) return std::nullopt;
    return Condition{instruction.operands[predicate_read(instruction).value()], has(instruction, kWhenFalse)};
  }
  void add_loop_end(const char* what, int32_t start, int32_t count) {
    for (const int32_t number : {start, count}) writers_[{RegisterFile::kControl, number}] = {{what, false, {}}};
  }

  std::map<Register, std::vector<Writer>> writers_;
};

Status check_writes(const Packet& packet) {
  Writers writers(packet);
  for (const PacketInstruction& entry : packet.instructions) {
    const Status added = writers.add(entry.instruction);
    if (!added) return added.error();
  }
  return Done{};
}

/// A temporary value replaces its register for the readers of the packet. Accumulating onto it is refused: the sum
/// would contain a value that the packet does not keep.
Status check_temporaries(const Packet& packet) {
  std::set<int32_t> temporaries;
  for (const PacketInstruction& entry : packet.instructions) {
    if (has(entry.instruction, kTemporary)) temporaries.insert(entry.instruction.operands[0]);
  }
  for (const PacketInstruction& entry : packet.instructions) {
    if (has(entry.instruction, kInsert)) continue;  // replaces a part of the register, does not accumulate
    const std::span<const OperandInfo> operands = info(entry.instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].access != Access::kReadWrite || operands[i].kind != OperandKind::kVector) continue;
      if (!temporaries.contains(entry.instruction.operands[i])) continue;
      return refusal("ISA0012", "a temporary value is accumulated onto", name_of(entry.instruction),
                     "load it into another register");
    }
  }
  return Done{};
}

Status check_new_values(const Packet& packet, const PacketCodec& codec) {
  for (size_t i = 0; i < packet.instructions.size(); ++i) {
    const Instruction& instruction = packet.instructions[i].instruction;
    if (reads_produced(instruction) && !codec.producer(packet, i)) {
      return refusal("ISA0012", "a new value that no instruction before it produces", name_of(instruction),
                     "put the producer before it");
    }
    if (!has(instruction, kNewPredicate)) continue;
    const int32_t predicate = instruction.operands[predicate_read(instruction).value()];
    const bool is_produced =
        std::any_of(packet.instructions.begin(), packet.instructions.end(), [&](const PacketInstruction& other) {
          return has(other.instruction, kCompare) && other.instruction.operands[0] == predicate;
        });
    if (is_produced) continue;
    return refusal("ISA0012", fmt::format("no compare of the packet writes p{}", predicate), name_of(instruction),
                   "branch on the old value, or compare in the same packet");
  }
  return Done{};
}

}  // namespace

PacketChecker::PacketChecker(const Machine& machine) : codec_(machine), resources_(machine) {}

Status PacketChecker::check_rules(const Packet& packet) const {
  for (const auto check : {check_branches, check_stores, check_writes, check_temporaries}) {
    const Status passed = check(packet);
    if (!passed) return passed.error();
  }
  return check_new_values(packet, codec_);
}

Result<std::vector<uint32_t>> PacketChecker::assigned(const Packet& packet, PacketResources::Order order) const {
  const Result<std::vector<InstructionWord>> words = codec_.encode(packet);
  if (!words) return words.error();
  const Status rules = check_rules(packet);
  if (!rules) return rules.error();
  std::vector<Operation> operations;
  for (const PacketInstruction& entry : packet.instructions) operations.push_back(entry.instruction.operation);
  std::optional<std::vector<uint32_t>> found = resources_.slots_for(operations, order);
  if (!found) return no_assignment(packet);
  return *std::move(found);
}

Diagnostic PacketChecker::no_assignment(const Packet& packet) const {
  std::string names;
  for (const PacketInstruction& entry : packet.instructions) {
    names += (names.empty() ? "" : ", ") + std::string(info(entry.instruction.operation).name);
  }
  return refusal("ISA0011", "no slots and pipes for all instructions in this order", names,
                 "arrange the packet, or split it");
}

Status PacketChecker::check(const Packet& packet) const {
  const Result<std::vector<uint32_t>> found = slots(packet);
  if (!found) return found.error();
  return Done{};
}

Result<std::vector<uint32_t>> PacketChecker::slots(const Packet& packet) const {
  return assigned(packet, PacketResources::Order::kFalling);
}

Result<Packet> PacketChecker::arranged(const Packet& packet) const {
  const Result<std::vector<uint32_t>> found = assigned(packet, PacketResources::Order::kAny);
  if (!found) return found.error();
  std::vector<size_t> order(packet.instructions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t left, size_t right) { return (*found)[left] > (*found)[right]; });
  Packet result = packet;
  for (size_t i = 0; i < order.size(); ++i) result.instructions[i] = packet.instructions[order[i]];
  for (size_t i = 0; i < order.size(); ++i) {
    const std::optional<PacketCodec::Producer> meant = codec_.producer(packet, order[i]);
    if (meant) codec_.set_producer(result, i, meant->number);
  }
  return result;
}

}  // namespace covenant::acg
