#include "sim/vliw/packet_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "acg/base/check.h"
#include "acg/operations/vliw_registers.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::sim::vliw {
namespace {

using acg::Instruction;
using acg::OperandKind;
using acg::Register;
using acg::RegisterFile;
using acg::RegisterUse;
using enum acg::VliwTrait;

template <auto file>
void copy(CoreState& core, const MicroOperation& operation) {
  auto& registers = core.registers.*file;
  registers[static_cast<size_t>(operation.operands[0])] = registers[static_cast<size_t>(operation.operands[1])];
}

MicroOperation copy_of(const Register& from, int32_t to) {
  const auto step = [&](MicroOperation::Execute execute) { return MicroOperation{execute, {to, from.number}}; };
  switch (from.file) {
    case RegisterFile::kScalar:
      return step(copy<&Registers::scalars>);
    case RegisterFile::kVector:
      return step(copy<&Registers::vectors>);
    case RegisterFile::kPredicate:
      return step(copy<&Registers::predicates>);
    case RegisterFile::kVectorPredicate:
      return step(copy<&Registers::vector_predicates>);
    case RegisterFile::kControl:
      return step(copy<&Registers::controls>);
  }
  fail("a register of no file");
}

bool is_vector(OperandKind kind) { return kind == OperandKind::kVector || kind == OperandKind::kVectorPair; }

/// Registers that operands of a kind count from.
int32_t first_register(OperandKind kind) { return kind == OperandKind::kModifier ? acg::kFirstModifier : 0; }

class PacketOrder {
 public:
  PacketOrder(const acg::Packet& packet, uint32_t address, const acg::PacketCodec& codec) {
    for (const acg::PacketInstruction& entry : packet.instructions)
      nodes_.push_back(node_of(entry.instruction, address));
    for (size_t i = 0; i < nodes_.size(); ++i) hide_temporary(i);
    for (size_t i = 0; i < nodes_.size(); ++i) add_producer(i, codec.producer(packet, i));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (size_t j = 0; j < nodes_.size(); ++j) add_order(i, j);
    }
  }

  std::vector<MicroOperation> steps() {
    std::vector<MicroOperation> steps;
    for (size_t left = nodes_.size(); left > 0;) {
      const size_t next = free_node();
      if (next == nodes_.size()) {
        copy_old_values();
        continue;
      }
      Node& node = nodes_[next];
      node.is_done = true;
      --left;
      steps.insert(steps.end(), node.before.begin(), node.before.end());
      steps.push_back(node.step);
    }
    steps.insert(steps.begin(), copies_.begin(), copies_.end());
    return steps;
  }

 private:
  struct Node {
    const Instruction* instruction;
    MicroOperation step;
    std::vector<RegisterUse> uses;
    std::vector<size_t> old_of{};          ///< nodes that must come later because they write what it reads
    std::set<Register> old{};              ///< registers that those write
    std::vector<size_t> after{};           ///< nodes that come earlier for any other reason
    std::vector<MicroOperation> before{};  ///< steps right before its own
    bool is_done = false;

    void keep_old(size_t writer, const Register& old_value) {
      old_of.push_back(writer);
      old.insert(old_value);
    }
  };

  static Node node_of(const Instruction& instruction, uint32_t address) {
    const std::optional<acg::VliwOperation> operation = acg::vliw_operation(instruction.operation);
    check(operation.has_value(), "an instruction of another unit in a packet");
    Node node{&instruction, {execute_of(operation.value()), {}}, register_uses(instruction)};
    const std::span<const acg::OperandInfo> operands = acg::info(instruction.operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_target = operands[i].name == "target" || operands[i].name == "ahead";
      node.step.operands[i] =
          static_cast<int32_t>(static_cast<uint32_t>(instruction.operands[i]) + (is_target ? address : 0));
    }
    return node;
  }

  /// A `produced` operand becomes the register that the producer writes.
  void add_producer(size_t consumer, const std::optional<acg::PacketCodec::Producer>& producer) {
    if (!producer) return;
    Node& node = nodes_[consumer];
    const Node& from = nodes_[producer->index];
    const std::span<const acg::OperandInfo> written = acg::info(from.instruction->operation).operands;
    const std::span<const acg::OperandInfo> operands = acg::info(node.instruction->operation).operands;
    node.after.push_back(producer->index);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].kind != producer->kind) continue;
      for (size_t k = 0; k < written.size(); ++k) {
        if (!writes(written[k].access) || is_vector(written[k].kind) != (producer->kind == OperandKind::kProduced)) {
          continue;
        }
        node.step.operands[i] = from.step.operands[k] + producer->number - from.instruction->operands[k];
        break;
      }
    }
  }

  /// Hidden registers come in pairs, as those that instructions name.
  int32_t hidden_pair(RegisterFile file) {
    const bool is_predicate = file == RegisterFile::kPredicate || file == RegisterFile::kVectorPredicate;
    int32_t& used = hidden_[file];
    check(used + 2 <= static_cast<int32_t>(kHidden), "more hidden registers than there are");
    used += 2;
    return static_cast<int32_t>(is_predicate ? kNamedPredicates : kNamed) + used - 2;
  }

  /// The value of a temporary load goes to a hidden register; readers of the packet read that.
  void hide_temporary(size_t load) {
    if (!has(*nodes_[load].instruction, kTemporary)) return;
    const int32_t named = nodes_[load].instruction->operands[0];
    const int32_t pair = hidden_pair(RegisterFile::kVector), hidden = pair + named % 2;
    nodes_[load].step.operands[0] = hidden;
    std::erase_if(nodes_[load].uses, [](const RegisterUse& use) { return use.used.file == RegisterFile::kVector; });
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (i != load) read_hidden(i, load, {RegisterFile::kVector, named}, pair);
    }
  }

  void read_hidden(size_t reader, size_t load, const Register& named, int32_t pair) {
    Node& node = nodes_[reader];
    const int32_t hidden = pair + named.number % 2;
    const auto use = std::find_if(node.uses.begin(), node.uses.end(),
                                  [&](const RegisterUse& entry) { return entry.used == named && reads(entry.access); });
    if (use == node.uses.end()) return;
    node.after.push_back(load);
    if (writes(use->access)) {
      use->access = acg::Access::kWrite;
      node.before.push_back(copy_of({RegisterFile::kVector, hidden}, named.number));
      return;
    }
    const size_t operand = use->operand.value();
    const bool is_pair = acg::info(node.instruction->operation).operands[operand].kind == OperandKind::kVectorPair;
    if (is_pair) copies_.push_back(copy_of({RegisterFile::kVector, named.number ^ 1}, hidden ^ 1));
    node.step.operands[operand] = is_pair ? pair : hidden;
    std::erase_if(node.uses, [&](const RegisterUse& entry) { return entry.operand == operand; });
    read_hidden(reader, load, named, pair);  // another operand may name the same register
  }

  /// Adds the dependence of node j on node i, if there is one. Words are ordered as in the packet.
  void add_order(size_t i, size_t j) {
    if (i == j) return;
    Node& first = nodes_[i];
    Node& second = nodes_[j];
    const auto are_both = [&](auto trait) { return has(*first.instruction, trait) && has(*second.instruction, trait); };
    const bool access_memory = is_access(first) && is_access(second);
    // A vector is loaded before anything is stored.
    const bool is_later = is_vector_load(second) != is_vector_load(first) ? is_vector_load(first) : i < j;
    if ((access_memory && is_later) || (i < j && are_both(kBranch))) second.after.push_back(i);
    for (const RegisterUse& read : first.uses) {
      for (const RegisterUse& write : second.uses) {
        if (read.used != write.used || !writes(write.access)) continue;
        if (reads(read.access)) {
          is_new(first, second, read.used.file) ? first.after.push_back(j) : first.keep_old(j, read.used);
        } else if (i < j) {
          add_order_of_writers(i, j);
        }
      }
    }
  }

  /// Two that may write one register: compares make an AND, one that branches on it last; of two under conditions the
  /// later one counts where both do.
  void add_order_of_writers(size_t i, size_t j) {
    const bool is_compare = !has(*nodes_[i].instruction, kPredicated);
    if (has(*nodes_[i].instruction, kCompareJump)) std::swap(i, j);
    nodes_[j].after.push_back(i);
    if (is_compare) nodes_[j].step.operands[kAndOperand] = 1;
  }

  static bool is_vector_load(const Node& node) {
    return has(*node.instruction, kLoad) &&
           acg::info(node.instruction->operation).operands[0].kind == OperandKind::kVector;
  }
  static bool is_access(const Node& node) { return has(*node.instruction, kLoad) || has(*node.instruction, kStore); }

  /// True if the reader needs the value that the writer produces in this packet.
  static bool is_new(const Node& reader, const Node& writer, RegisterFile file) {
    if (has(*writer.instruction, kCurrent)) return file == RegisterFile::kVector;
    return has(*reader.instruction, kNewPredicate) && has(*writer.instruction, kCompare);
  }

  /// The first node that waits for no other.
  size_t free_node() const {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_done) continue;
      bool is_free = std::all_of(nodes_[i].after.begin(), nodes_[i].after.end(),
                                 [&](size_t other) { return nodes_[other].is_done; });
      for (const Node& other : nodes_) {
        if (other.is_done || &other == &nodes_[i]) continue;
        is_free = is_free && std::find(other.old_of.begin(), other.old_of.end(), i) == other.old_of.end();
      }
      if (is_free) return i;
    }
    return nodes_.size();
  }

  /// Four registers in one operand: a copy of one of them cannot replace it.
  static bool reads_all_predicates(const Node& node) {
    return node.instruction->operation == acg::operation_of(acg::VliwOperation::kA2Tfrcrr) &&
           node.instruction->operands[1] == acg::kAllPredicates;
  }

  /// Makes the first reader that blocks a writer read copies instead. A reader of all predicates cannot; if it blocks a
  /// writer, others wait for nothing but old values, and one of these reads copies.
  void copy_old_values() {
    const auto reader = std::find_if(nodes_.begin(), nodes_.end(), [](const Node& node) {
      return !node.is_done && !node.old_of.empty() && !reads_all_predicates(node);
    });
    check(reader != nodes_.end(), "a packet that has no order");
    reader->old_of.clear();
    const std::span<const acg::OperandInfo> operands = acg::info(reader->instruction->operation).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_old = std::any_of(reader->uses.begin(), reader->uses.end(), [&](const RegisterUse& use) {
        return use.operand == i && reads(use.access) && reader->old.contains(use.used);
      });
      if (is_old) redirect(*reader, i, operands[i].kind);
    }
  }

  /// For a pair, the other register is copied when the reader's turn has come.
  void redirect(Node& reader, size_t operand, OperandKind kind) {
    std::optional<int32_t> pair;
    for (const RegisterUse& use : reader.uses) {
      if (use.operand != operand) continue;
      if (!pair) pair = hidden_pair(use.used.file);
      std::vector<MicroOperation>& copies = reader.old.contains(use.used) ? copies_ : reader.before;
      copies.push_back(copy_of(use.used, *pair + use.used.number % 2));
      const bool is_pair = kind == OperandKind::kScalarPair || kind == OperandKind::kVectorPair;
      reader.step.operands[operand] = *pair + (is_pair ? 0 : use.used.number % 2) - first_register(kind);
    }
  }

  std::vector<Node> nodes_;
  std::vector<MicroOperation> copies_;  ///< before all steps
  std::map<RegisterFile, int32_t> hidden_;
};

}  // namespace

std::vector<MicroOperation> ordered(const acg::Packet& packet, uint32_t address, const acg::PacketCodec& codec) {
  return PacketOrder(packet, address, codec).steps();
}

}  // namespace covenant::sim::vliw
