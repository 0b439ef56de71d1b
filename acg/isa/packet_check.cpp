#include "acg/isa/packet_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

#include "acg/isa/packet_rules.h"

namespace covenant::acg {
namespace {

using enum VliwOperation;

bool is_one_of(const Instruction& instruction, std::initializer_list<VliwOperation> wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](VliwOperation entry) { return operation_of(entry) == instruction.operation; });
}

bool is_branch(const Instruction& of) { return is_one_of(of, {kJ2Jump, kJ2Jumpt, kJ2Jumptnewpt, kJ2Jumpr, kJ2Call}); }
bool is_conditional(const Instruction& of) { return is_one_of(of, {kJ2Jumpt, kJ2Jumptnewpt}); }
bool is_alone(const Instruction& of) { return is_one_of(of, {kJ2Trap0, kExtractw}); }
bool is_compare(const Instruction& of) { return is_one_of(of, {kC2Cmpgt, kC2Cmpgti, kC2Cmpeq}); }
/// What a prefetch of the cache tolerates beside it: arithmetic on scalar registers.
bool is_scalar_arithmetic(const Instruction& of) {
  return is_compare(of) || is_one_of(of, {kA2Add, kA2Addi, kA2Sub, kA2And, kA2Tfr, kA2Tfrsi, kA2Nop, kA2Combinew,
                                          kS2AslIR, kS2AsrIR, kS2LsrIR, kM2Mpyi, kM2Maci});
}

std::string name_of(const Instruction& instruction) { return qualified_name(instruction.operation); }

Diagnostic refusal(std::string_view code, std::string message, std::string offending, std::string fix) {
  return {std::string(code), {}, "packet", std::move(message), std::move(offending), {}, std::move(fix)};
}

// Control registers by number; 0 to 3 are start address and count of the inner and of the outer loop.
constexpr int32_t kPredicates = 4, kProgramCounter = 9, kLink = 31;

/// Registers that an instruction writes, as text; scalar predicates apart, which may be written by several compares.
std::vector<std::string> written_by(const Instruction& instruction) {
  std::vector<std::string> written;
  const std::span<const OperandInfo> operands = info(instruction.operation).operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!writes(operands[i].access)) continue;
    const int32_t number = instruction.operands[i];
    switch (operands[i].kind) {
      case OperandKind::kScalar:
        written.push_back(fmt::format("r{}", number));
        break;
      case OperandKind::kScalarPair:
        written.insert(written.end(), {fmt::format("r{}", number), fmt::format("r{}", number + 1)});
        break;
      case OperandKind::kVector:
        // A temporary value lives in its packet only.
        if (is_one_of(instruction, {kVl32bTmpPi})) break;
        written.push_back(fmt::format("v{}", number));
        break;
      case OperandKind::kVectorPair:
        written.insert(written.end(), {fmt::format("v{}", number), fmt::format("v{}", number + 1)});
        break;
      case OperandKind::kVectorPredicate:
        written.push_back(fmt::format("q{}", number));
        break;
      case OperandKind::kControlRegister:
        written.push_back(fmt::format("c{}", number));
        break;
      default:
        break;
    }
  }
  if (is_one_of(instruction, {kJ2Call})) written.push_back(fmt::format("r{}", kLink));
  if (is_one_of(instruction, {kJ2Loop0i, kJ2Loop0r})) written.insert(written.end(), {"c0", "c1"});
  if (is_one_of(instruction, {kJ2Loop1i, kJ2Loop1r})) written.insert(written.end(), {"c2", "c3"});
  return written;
}

/// Slots and pipes for the instructions in turn; the slots found, one for each.
class Assignment {
 public:
  struct Wish {
    uint32_t slots;
    uint32_t blocks;
    std::vector<uint32_t> pipes;
    bool falls;  ///< its slot lies below that of the instruction before it that falls, too
  };
  explicit Assignment(std::vector<Wish> wishes) : wishes_(std::move(wishes)), slots_(wishes_.size()) {}

  bool found() { return assign(0, 0, 0, 0, 32); }
  const std::vector<uint32_t>& slots() const { return slots_; }

 private:
  bool assign(size_t at, uint32_t taken, uint32_t blocked, uint32_t busy, uint32_t above) {
    if (at == wishes_.size()) return (taken & blocked) == 0;
    const Wish& wish = wishes_[at];
    for (uint32_t slot = 32; slot-- > 0;) {
      const uint32_t bit = uint32_t{1} << slot;
      if ((wish.slots & bit) == 0 || (taken & bit) != 0 || (wish.falls && slot >= above)) continue;
      slots_[at] = slot;
      const uint32_t below = wish.falls ? slot : above;
      if (wish.pipes.empty() && assign(at + 1, taken | bit, blocked | wish.blocks, busy, below)) return true;
      for (uint32_t pipes : wish.pipes) {
        if ((busy & pipes) == 0 && assign(at + 1, taken | bit, blocked | wish.blocks, busy | pipes, below)) return true;
      }
    }
    return false;
  }

  std::vector<Wish> wishes_;
  std::vector<uint32_t> slots_;
};

Status check_branches(const Packet& packet) {
  std::vector<const Instruction*> branches;
  for (const PacketInstruction& entry : packet.instructions) {
    const Instruction& instruction = entry.instruction;
    if (is_branch(instruction)) branches.push_back(&instruction);
    if (is_alone(instruction) && (packet.instructions.size() > 1 || packet.ends_inner_loop || packet.ends_outer_loop)) {
      return refusal("ISA0013", "an instruction that tolerates no others", name_of(instruction),
                     "give it a packet of its own");
    }
    if (!is_one_of(instruction, {kY5L2fetch})) continue;
    for (const PacketInstruction& other : packet.instructions) {
      if (&other == &entry || is_scalar_arithmetic(other.instruction)) continue;
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
    if (!is_one_of(*branch, {kJ2Jumpr})) continue;
    return refusal("ISA0013", "a branch to a register beside another one", name_of(*branch), "split the packet");
  }
  if (is_conditional(*branches.front())) return Done{};
  return refusal("ISA0013", "the first of two branches has no condition", name_of(*branches.front()),
                 "put the conditional branch first");
}

Status check_writes(const Packet& packet) {
  std::map<std::string, std::string> writers;
  bool compares = false;
  for (const PacketInstruction& entry : packet.instructions) compares = compares || is_compare(entry.instruction);
  if (compares) writers[fmt::format("c{}", kPredicates)] = "a compare";
  const auto note = [&](const std::string& name, const std::string& writer) {
    return writers.emplace(name, writer).second;
  };
  if (packet.ends_inner_loop)
    writers.insert({{"c0", "the end of the inner loop"}, {"c1", "the end of the inner loop"}});
  if (packet.ends_outer_loop)
    writers.insert({{"c2", "the end of the outer loop"}, {"c3", "the end of the outer loop"}});
  for (const PacketInstruction& entry : packet.instructions) {
    for (const std::string& name : written_by(entry.instruction)) {
      if (name == fmt::format("c{}", kProgramCounter)) {
        return refusal("ISA0012", "the program counter cannot be written", name_of(entry.instruction), "use a branch");
      }
      if (note(name, name_of(entry.instruction))) continue;
      return refusal("ISA0012", fmt::format("register {} is written twice", name),
                     fmt::format("{} and {}", writers[name], name_of(entry.instruction)), "split the packet");
    }
  }
  return Done{};
}

/// A temporary value takes the place of its register for the readers of the packet; to accumulate onto it would be to
/// write what the packet does not keep.
Status check_temporaries(const Packet& packet) {
  std::set<int32_t> temporaries;
  for (const PacketInstruction& entry : packet.instructions) {
    if (is_one_of(entry.instruction, {kVl32bTmpPi})) temporaries.insert(entry.instruction.operands[0]);
  }
  for (const PacketInstruction& entry : packet.instructions) {
    if (is_one_of(entry.instruction, {kVinsertwr})) continue;  // it replaces a part, it does not accumulate
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
    if (is_one_of(instruction, {kVs32bNewPi}) && !codec.producer(packet, i)) {
      return refusal("ISA0012", "a new value that no instruction before it produces", name_of(instruction),
                     "put the producer before it");
    }
    if (!is_one_of(instruction, {kJ2Jumptnewpt})) continue;
    const bool is_produced =
        std::any_of(packet.instructions.begin(), packet.instructions.end(), [&](const PacketInstruction& other) {
          return is_compare(other.instruction) && other.instruction.operands[0] == instruction.operands[0];
        });
    if (is_produced) continue;
    return refusal("ISA0012", fmt::format("no compare of the packet writes p{}", instruction.operands[0]),
                   name_of(instruction), "branch on the old value, or compare in the same packet");
  }
  return Done{};
}

}  // namespace

PacketChecker::PacketChecker(const Machine& machine) : mnemonics_(machine.mnemonics), codec_(machine) {}

Status PacketChecker::check_rules(const Packet& packet) const {
  const Status branches = check_branches(packet);
  if (!branches) return branches.error();
  const Status written = check_writes(packet);
  if (!written) return written.error();
  const Status temporaries = check_temporaries(packet);
  if (!temporaries) return temporaries.error();
  return check_new_values(packet, codec_);
}

Result<std::vector<PacketChecker::Demand>> PacketChecker::demands(const Packet& packet) const {
  const Result<std::vector<InstructionWord>> words = codec_.encode(packet);
  if (!words) return words.error();
  std::vector<Demand> demands;
  for (const PacketInstruction& entry : packet.instructions) {
    for (const Mnemonic& mnemonic : mnemonics_) {
      if (mnemonic.does != entry.instruction.operation) continue;
      const uint32_t all = (uint32_t{1} << codec_.rules().slots) - 1;
      demands.push_back(
          {mnemonic.slots == 0 ? all : mnemonic.slots, mnemonic.blocks, mnemonic.pipes, is_branch(entry.instruction)});
      break;
    }
  }
  return demands;
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
  const Result<std::vector<Demand>> demanded = demands(packet);
  if (!demanded) return demanded.error();
  const Status rules = check_rules(packet);
  if (!rules) return rules.error();
  std::vector<Assignment::Wish> wishes;
  for (const Demand& demand : *demanded) wishes.push_back({demand.slots, demand.blocks, demand.pipes, true});
  if (Assignment(std::move(wishes)).found()) return Done{};
  return no_assignment(packet);
}

Result<Packet> PacketChecker::arranged(const Packet& packet) const {
  const Result<std::vector<Demand>> demanded = demands(packet);
  if (!demanded) return demanded.error();
  const Status rules = check_rules(packet);
  if (!rules) return rules.error();
  std::vector<Assignment::Wish> wishes;
  for (const Demand& demand : *demanded) {
    wishes.push_back({demand.slots, demand.blocks, demand.pipes, demand.is_branch});
  }
  Assignment assignment(std::move(wishes));
  if (!assignment.found()) return no_assignment(packet);
  std::vector<size_t> order(packet.instructions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t left, size_t right) { return assignment.slots()[left] > assignment.slots()[right]; });
  Packet result = packet;
  for (size_t i = 0; i < order.size(); ++i) result.instructions[i] = packet.instructions[order[i]];
  for (size_t i = 0; i < order.size(); ++i) {
    const std::optional<PacketCodec::Producer> meant = codec_.producer(packet, order[i]);
    if (meant) codec_.set_producer(result, i, meant->vector);
  }
  return result;
}

}  // namespace covenant::acg
